import { isCloudError } from '#kernel/errors/cloud-error';
import type { PostgresPool, PostgresSession } from '#kernel/ports/postgres-pool';
import type { PostgresListener } from '#node/postgres/postgres-listener';
import { type Announcements, checkedPayload } from './announcements.ts';
import { lockKey } from './lock-key.ts';
import { createQueryBuilder, type Statements } from './query-builder.ts';
import type { Store, StoreTransaction } from './store.ts';
import { postgresStoreError } from './store-errors.ts';

export interface PostgresStoreParts {
  readonly pool: PostgresPool;
  /** For what runs exclusively. */
  readonly locks: PostgresPool;
  /** Name of the schema, and of the channel of announcements. */
  readonly schema: string;
  readonly announcements: Announcements;
  readonly listener: PostgresListener;
  /** The database, as messages name it. */
  readonly place: string;
}

const maxAttempts = 5;
const conflictStates = new Set<unknown>(['40001', '40P01']);

/** The store on a schema of PostgreSQL. */
export function createPostgresStore(parts: PostgresStoreParts): Store {
  const { pool, locks, schema, announcements, listener, place } = parts;
  const builderOn = (statements: Statements) => createQueryBuilder('postgres', statements).withSchema(schema);

  function runOnce<Result>(work: (transaction: StoreTransaction) => Promise<Result>): Promise<Result> {
    return pool.transaction(async (session) => {
      const announced: string[] = [];
      const last: (() => Promise<void>)[] = [];
      const result = await work({
        db: builderOn(session),
        lock: async (name) => {
          await session.all('select pg_advisory_xact_lock($1)', [lockKey(schema, name)]);
        },
        announce: (topic, payload) => announced.push(`${topic} ${checkedPayload(payload)}`),
        beforeCommit: (added) => void last.push(added),
      });
      for (const finish of last) await finish();
      // PostgreSQL passes a notification on when its transaction is committed.
      for (const text of announced) await session.all('select pg_notify($1, $2)', [schema, text]);
      return result;
    });
  }

  return {
    engine: 'postgres',
    db: builderOn({
      all: (sql, parameters) =>
        pool.all(sql, parameters).catch((error: unknown) => {
          throw postgresStoreError(error, place);
        }),
    }),
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await runOnce(work);
        } catch (error) {
          if (!isConflict(error) || attempt === maxAttempts) throw postgresStoreError(error, place);
        }
      }
    },
    listen: (topic, onAnnounced, onGap) => announcements.listen(topic, onAnnounced, onGap),
    exclusively: (name, work) =>
      locks.transaction(async (session) => {
        if (!(await takeLock(session, lockKey(schema, name)))) return false;
        await work();
        return true;
      }),
    async close() {
      await listener.close();
      await Promise.all([pool.close(), locks.close()]);
    },
  };
}

/** Whether the lock is ours, until the transaction ends. The server must not end it because it waits for long. */
async function takeLock(session: PostgresSession, key: bigint): Promise<boolean> {
  await session.run('set local idle_in_transaction_session_timeout = 0');
  const [row] = await session.all('select pg_try_advisory_xact_lock($1) as "isOurs"', [key]);
  return row?.['isOurs'] === true;
}

/** Whether another transaction was in the way, so that the same may succeed now. */
function isConflict(error: unknown): boolean {
  return isCloudError(error) && conflictStates.has(error.safeDetails['sqlState']);
}
