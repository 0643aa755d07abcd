import type { Connection } from 'mysql2';
import { isUsableAfter } from './mysql-errors.ts';
import { carryOut, type StatementOptions } from './mysql-statement.ts';

/** Begin or end a transaction. An abort does not cancel this statement. */
export async function control(connection: Connection, sql: string, options: StatementOptions): Promise<void> {
  await carryOut(connection, sql, [], { ...options, isPrepared: false, signal: undefined });
}

/**
 * Roll back what is left of a transaction. Never throws: a connection that cannot roll back is closed, and the server
 * rolls back by itself.
 *
 * @param after what failed before, if anything. A connection that broke is closed without a rollback.
 */
export async function rollBackOn(connection: Connection, options: StatementOptions, after?: unknown): Promise<void> {
  if (!isUsableAfter(after)) {
    connection.destroy();
    return;
  }
  try {
    await control(connection, 'rollback', options);
  } catch {
    connection.destroy();
  }
}
