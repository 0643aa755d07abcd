import type { Kysely } from 'kysely';
import type { StoreEngine } from './migrations/migration.ts';
import type { Tables } from './tables.ts';

/** What the processes of the platform tell one another about. */
export type Topic = 'events' | 'news' | 'mails';

export interface StoreTransaction {
  /** For the queries of this transaction. They see what it has written so far. */
  readonly db: Kysely<Tables>;
  /**
   * Wait until no other transaction holds the same name, and hold it until this one ends. A transaction that decides by what
   * it reads needs this: on PostgreSQL another one may change the same rows meanwhile. Call it before the first query.
   *
   * @param name what must not change meanwhile, for instance `versions of project 3`.
   */
  lock(name: string): Promise<void>;
  /**
   * Tell every process of the platform, this one included, once the transaction is committed. Nobody learns about it when it fails.
   *
   * @param payload at most 7,000 bytes.
   */
  announce(topic: Topic, payload: string): void;
  /**
   * Run `work` as the last of the transaction, before it is committed. What others wait for is best taken here, so that it is
   * held for a short time.
   */
  beforeCommit(work: () => Promise<void>): void;
}

/**
 * Where the platform keeps everything: a SQLite file of one process, or a PostgreSQL database that several processes
 * share. Both behave the same; `test/contract/store` asks both.
 *
 * Repositories build their queries with Kysely, in SQL that both engines know. Columns are `camelCase` in code and
 * `snake_case` in the store. Integers come as numbers, also counts; bytes as `Uint8Array`. A time is a number of milliseconds
 * since the epoch, a flag is 0 or 1, JSON is text. Text is compared and sorted by its bytes; `like` differs between the engines.
 *
 * Queries reject with `PLATFORM_STORE_UNAVAILABLE` when the disk is full, the file is damaged or the database is away, else
 * with the `DATABASE_…` errors of the engine.
 *
 * To add a table: a script at the end of `migrations/`, its columns in one of the `*-tables.ts` here, and a repository in the
 * room of its service. The repository takes the store. What a service adds to the changes of others is a function that takes
 * their `StoreTransaction`, as `announceEvent` does.
 */
export interface Store {
  readonly engine: StoreEngine;
  /** For queries that only read. They see what is committed. */
  readonly db: Kysely<Tables>;
  /**
   * Run `work` in one transaction. When the promise resolves, everything is on the disk; when it rejects, nothing is kept.
   * Everything that is one change belongs into one transaction.
   *
   * `work` waits for the database only, because on SQLite the transactions of others wait for it. It may run again when
   * PostgreSQL found that it conflicts with another transaction. It begins no other transaction of the store.
   * After a refused statement nothing is kept, also when `work` goes on.
   */
  transaction<Result>(work: (transaction: StoreTransaction) => Promise<Result>): Promise<Result>;
  /**
   * Hear what any process announces. `onGap`: announcements may have been missed, so read again what they would have told of.
   * Returns how to stop.
   */
  listen(topic: Topic, onAnnounced: (payload: string) => void, onGap: () => void): () => void;
  /**
   * Run `work` unless a process of the platform is running the same; resolves to whether it ran. A process that ends loses
   * its lock. `work` may use the store, and may take long. A process runs five of them at a time at most.
   */
  exclusively(name: string, work: () => Promise<void>): Promise<boolean>;
  /** Waits for transactions under way. */
  close(): Promise<void>;
}
