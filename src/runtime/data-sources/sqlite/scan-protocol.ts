import type { ErrorReport } from '#kernel/errors/error-report';
import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';

/** What a scan worker is started with. */
export interface ScanWorkerData {
  readonly path: string;
  /** One 32-bit number: the statement with this number is to stop. */
  readonly stopped: SharedArrayBuffer;
}

/** One statement at a time, numbered from 1. */
export interface ScanRequest {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

export type ScanAnswer =
  | { readonly kind: 'rows'; readonly rows: SqlRow[]; readonly hasBinary: boolean }
  | {
      readonly kind: 'refusal';
      readonly error: ErrorReport;
      readonly safeDetails: Readonly<Record<string, unknown>>;
      /** What the database said. */
      readonly reason: string | undefined;
    };
