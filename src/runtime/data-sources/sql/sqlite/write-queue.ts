import { interrupted } from '#host/connection-slots';
import { sessionIsOver } from '#host/database-errors';
import type { SqliteConnection, SqlValue } from '#kernel/ports/sqlite-connection';
import type { QueryContext } from '../../data-source.ts';
import type { SqlEngine, SqlSession } from '../sql-engine.ts';

/** SQLite has one writer: transactions wait for one another here, not in the database. */
export function createWriteQueue(writer: SqliteConnection): SqlEngine['transaction'] {
  let last: Promise<unknown> = Promise.resolve();
  return (work, context) => {
    const result = last.then(() => transact(writer, work, context));
    last = result.catch(() => undefined); // Whoever asked for it sees the failure; the next one runs all the same.
    return result;
  };
}

async function transact<Result>(
  writer: SqliteConnection,
  work: (session: SqlSession) => Promise<Result>,
  { signal }: QueryContext,
): Promise<Result> {
  if (signal?.aborted) throw interrupted();
  writer.execute('begin immediate');
  /** Why no statement is carried out any more: the database would keep each one at once, or with somebody else's. */
  let end: { readonly reason: unknown } | undefined;

  function step<Value>(carryOut: () => Value): Value {
    if (end) throw end.reason;
    try {
      return carryOut();
    } catch (error) {
      // A trigger, a full disk and the like undo the whole transaction, not only the statement.
      if (!writer.isInTransaction()) end = { reason: error };
      throw error;
    }
  }

  try {
    const result = await work({
      all: async (sql, parameters) => step(() => writer.all(sql, parameters as SqlValue[])),
      run: async (sql, parameters) => step(() => writer.run(sql, parameters as SqlValue[]).changes),
    });
    step(() => writer.execute('commit'));
    return result;
  } catch (error) {
    if (writer.isInTransaction()) writer.execute('rollback');
    throw error;
  } finally {
    end = { reason: sessionIsOver() };
  }
}
