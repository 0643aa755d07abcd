import type { SqlValue } from '#kernel/ports/sql-row';

/** A row of a table, by the names of the store. */
export type StoredRow = Readonly<Record<string, SqlValue>>;

/** The object that a text of the store is; `undefined` for any other text, which the checks tell as a problem. */
export function objectIn(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read = JSON.parse(json) as unknown;
    return typeof read === 'object' && read !== null ? (read as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    // Told by who asks.
    return undefined;
  }
}

export function text(row: StoredRow, column: string): string {
  return String(row[column]);
}
