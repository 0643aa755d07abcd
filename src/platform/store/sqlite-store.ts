import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { Announcements, checkedPayload } from './announcements.ts';
import { GroupCommit } from './group-commit.ts';
import { createQueryBuilder, type Statements } from './query-builder.ts';
import type { Store } from './store.ts';
import { sqliteStoreError } from './store-errors.ts';

export interface SqliteStoreParts {
  readonly file: string;
  /** Carries out the transactions, one after another. */
  readonly writer: SqliteConnection;
  /** Sees what is committed, also while a transaction is under way. */
  readonly reader: SqliteConnection;
  /** Closes the connections and gives the file back. */
  readonly release: () => void;
}

/** The store on a SQLite file. The transactions that wait at the same time are one write to the disk. */
export function createSqliteStore({ file, writer, reader, release }: SqliteStoreParts): Store {
  const group = new GroupCommit(writer);
  const announcements = new Announcements();
  /** What a statement of the transaction under way was refused with. */
  let refusal: unknown;
  const writing = createQueryBuilder(
    'sqlite',
    writesOn(writer, file, (error) => {
      refusal = error;
    }),
  );
  const running = new Set<string>();
  return {
    engine: 'sqlite',
    db: createQueryBuilder('sqlite', readsOn(reader, file)),
    async transaction(work) {
      const announced: (() => void)[] = [];
      let result: Awaited<ReturnType<typeof work>> | undefined;
      const run = async () => {
        refusal = undefined;
        const last: (() => Promise<void>)[] = [];
        result = await work({
          db: writing,
          // Transactions run one after another already.
          lock: async () => undefined,
          announce(topic, payload) {
            const checked = checkedPayload(payload);
            announced.push(() => announcements.pass(topic, checked));
          },
          beforeCommit: (added) => void last.push(added),
        });
        for (const finish of last) await finish();
        // PostgreSQL commits nothing after that, whatever the code made of it.
        if (refusal !== undefined) throw refusal;
      };
      try {
        await group.run(run);
      } catch (error) {
        throw sqliteStoreError(error, file);
      }
      for (const tell of announced) tell();
      return result as Awaited<ReturnType<typeof work>>;
    },
    listen: (topic, onAnnounced, onGap) => announcements.listen(topic, onAnnounced, onGap),
    async exclusively(name, work) {
      if (running.has(name)) return false;
      running.add(name);
      try {
        await work();
        return true;
      } finally {
        running.delete(name);
      }
    },
    async close() {
      await group.idle();
      release();
    },
  };
}

type OnRefused = (error: unknown) => void;

function readsOn(connection: SqliteConnection, file: string, onRefused?: OnRefused) {
  return {
    all: (sql, parameters) => inWordsOfTheStore(file, () => connection.all(sql, parameters), onRefused),
  } satisfies Statements;
}

function writesOn(connection: SqliteConnection, file: string, onRefused: OnRefused) {
  return {
    ...readsOn(connection, file, onRefused),
    run: (sql, parameters) => inWordsOfTheStore(file, () => connection.run(sql, parameters).changes, onRefused),
  } satisfies Statements;
}

function inWordsOfTheStore<Result>(file: string, work: () => Result, onRefused?: OnRefused): Result {
  try {
    return work();
  } catch (error) {
    const told = sqliteStoreError(error, file);
    onRefused?.(told);
    throw told;
  }
}
