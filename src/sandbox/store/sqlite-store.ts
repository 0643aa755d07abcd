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
  const writing = createQueryBuilder('sqlite', writesOn(writer, file));
  const running = new Set<string>();
  return {
    engine: 'sqlite',
    db: createQueryBuilder('sqlite', readsOn(reader, file)),
    async transaction(work) {
      const announced: (() => void)[] = [];
      let result: Awaited<ReturnType<typeof work>> | undefined;
      const run = async () => {
        result = await work({
          db: writing,
          // Transactions run one after another already.
          lock: async () => undefined,
          announce(topic, payload) {
            const checked = checkedPayload(payload);
            announced.push(() => announcements.pass(topic, checked));
          },
        });
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

function readsOn(connection: SqliteConnection, file: string) {
  return {
    all: (sql, parameters) => inWordsOfTheStore(file, () => connection.all(sql, parameters)),
  } satisfies Statements;
}

function writesOn(connection: SqliteConnection, file: string) {
  return {
    ...readsOn(connection, file),
    run: (sql, parameters) => inWordsOfTheStore(file, () => connection.run(sql, parameters).changes),
  } satisfies Statements;
}

function inWordsOfTheStore<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw sqliteStoreError(error, file);
  }
}
