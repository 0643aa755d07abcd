import type { SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';

/** How many things are written, each with its rows, before the sample data let other work through. */
export const portion = 500;

/** Inserts rows into one table through one prepared statement, and counts them. */
export interface RowWriter {
  readonly table: string;
  /** Values in the order of the columns. */
  write(...values: readonly SqlValue[]): void;
  count(): number;
}

export function createRowWriter(connection: SqliteConnection, table: string, columns: readonly string[]): RowWriter {
  const sql = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
  let count = 0;
  return {
    table,
    write: (...values) => {
      connection.run(sql, values);
      count += 1;
    },
    count: () => count,
  };
}
