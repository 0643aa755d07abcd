/** A value as the drivers of SQL databases give and take it. A bigint is an integer that a number would not hold exactly. */
export type SqlValue = string | number | bigint | boolean | Uint8Array | null;

/** A parameter of a statement: a value, or a list of values where the engine can bind one. */
export type SqlParameter = SqlValue | readonly SqlValue[];

/** One row of a result: values by the names of their columns. */
export type SqlRow = Readonly<Record<string, SqlValue>>;
