import type { ErrorReport } from '#kernel/errors/error-report';
import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';

/** The start data of a scan worker. */
export interface ScanWorkerData {
  readonly path: string;
  /** A 32-bit number: the number of the statement that must stop. */
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
      /** The error of the database. */
      readonly reason: string | undefined;
    };
