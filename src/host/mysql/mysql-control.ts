import type { Connection } from 'mysql2';
import { isUsableAfter } from './mysql-errors.ts';
import { carryOut, type StatementOptions } from './mysql-statement.ts';

/** Begin or end a transaction. That is not cancelled: it is what ends the work. */
export async function control(connection: Connection, sql: string, options: StatementOptions): Promise<void> {
  await carryOut(connection, sql, [], { ...options, isPrepared: false, signal: undefined });
}

/**
 * Undo what is left of a transaction. Never throws: a connection that cannot do so is closed, and the server rolls back by
 * itself.
 *
 * @param after what failed before, if anything did: a connection that broke is not talked to any more.
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
