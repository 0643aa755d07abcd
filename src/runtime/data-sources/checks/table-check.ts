import type { CheckText } from './check-text.ts';

/** A check in the catalogue of a database, and the table that it is of. */
export interface TableCheck extends CheckText {
  /** `null` for the schema of the connection. */
  readonly schema: string | null;
  readonly table: string;
}
