import type { ExitCode } from './exit-codes.ts';

/** The one who has to act: the user, the operator of the machine, the operator of the platform, or us. */
export type ErrorKind = 'user' | 'environment' | 'platform' | 'bug';

/** The thing that must change before a retry helps. The dev loop waits for it. */
export type Recovery = 'edit-files' | 'change-env' | 'login' | 'retry' | 'restart' | 'none';

/** The fixed facts of an error; `docs/errors.md` is written from them. */
export interface CatalogueEntry {
  readonly kind: ErrorKind;
  readonly recover: Recovery;
  readonly exitCode: ExitCode;
  /** HTTP status when it leaves through a server. */
  readonly status: number;
  /** The name in the JSON:API error envelope, where clients know the error by it. */
  readonly wireName?: string;
  /** The cause, for the docs. */
  readonly cause: string;
  /** The solution, for the docs. */
  readonly fix: string;
}
