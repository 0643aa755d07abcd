import type { ExitCode } from './exit-codes.ts';

/** Who has to act: the user, whoever runs the machine, whoever runs the platform, or us. */
export type ErrorKind = 'user' | 'environment' | 'platform' | 'bug';

/** What must change before a retry helps; the dev loop waits for it. */
export type Recovery = 'edit-files' | 'change-env' | 'login' | 'retry' | 'restart' | 'none';

/** What is known of an error before it happens; `docs/errors.md` is written from it. */
export interface CatalogueEntry {
  readonly kind: ErrorKind;
  readonly recover: Recovery;
  readonly exitCode: ExitCode;
  /** HTTP status when it leaves through a server. */
  readonly status: number;
  /** The name in the JSON:API error envelope, where clients know the error by it. */
  readonly wireName?: string;
  /** Why it happens, for the docs. */
  readonly cause: string;
  /** How it is mended, for the docs. */
  readonly fix: string;
}
