/** A check in the catalogue of a database, and the table that it is of. */
export interface TableCheck extends CheckText {
  /** `null` for the schema of the connection. */
  readonly schema: string | null;
  readonly table: string;
}

/** A check as the catalogue of a database has it. */
export interface CheckText {
  readonly text: string;
  /** The column that `VALUE` stands for, in the check of a domain. */
  readonly valueColumn?: string | undefined;
  /** Whether `[name]` is a name, as in SQLite; else brackets hold a list. */
  readonly hasBracketNames?: boolean;
}
