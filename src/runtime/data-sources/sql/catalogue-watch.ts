import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { RecordStore, TransactionalStore } from '../interface/data-source.ts';
import type { TableDescription } from '../tables/table-description.ts';
import { type CatalogueChanges, catalogueChanges } from './catalogue-changes.ts';
import type { SqlEngine, SqlTransaction } from './sql-engine.ts';

/** What was read of a database at the start, and the fingerprint that it had then. */
export interface KnownCatalogue {
  readonly tables: readonly TableDescription[];
  readonly fingerprint: string;
}

/** Notices when the tables are no longer what was read of them. */
export interface CatalogueWatch {
  /**
   * Look at the database again, unless that was done lately. Await it before a write. A database that does not answer
   * counts as unchanged: the write tells of that.
   */
  look(): Promise<void> | undefined;
  /**
   * The same engine. A read or a transaction that fails because it needs what is no longer there rejects with `DATABASE_TABLE_CHANGED`.
   * Where the engine keeps statements that must be prepared again, its reads look too, seldom, and do not wait.
   */
  readonly watchedEngine: SqlEngine;
  /** @throws `DATABASE_TABLE_CHANGED` where the collection must not be written with what is known of it. */
  assertWritable(collection: string): void;
}

const intervalMs = 1000;
/** A look at a large database takes long, and comes less often: a fiftieth of the time, but every ten seconds at least. */
const shareOfTime = 50;
const longestIntervalMs = 10_000;
const mostSentences = 20;
const readAgain: readonly [string, ...string[]] = [
  'Restart the agent, so that it reads the tables again. On a host, end "vendor-cloud serve" and start it again, or push code that fits to the tables.',
  'Under "dev" it does so by itself: send the request again in a moment.',
];

/** @param tell gets each change in a sentence, and perhaps again at the next one. */
export function watchCatalogue(
  engine: SqlEngine,
  start: KnownCatalogue,
  tell: (sentence: string) => void,
): CatalogueWatch {
  let { fingerprint } = start;
  let changes: CatalogueChanges = { sentences: [], unwritable: new Map(), gone: [] };
  let lookAgainAt = performance.now() + intervalMs;
  let looking: Promise<void> | undefined;

  async function compare(): Promise<void> {
    const startedAt = performance.now();
    let pauseMs = intervalMs;
    try {
      const current = await engine.fingerprint();
      if (current !== fingerprint) await readAnew(current);
      pauseMs = Math.min(longestIntervalMs, Math.max(intervalMs, (performance.now() - startedAt) * shareOfTime));
    } catch (error) {
      if (!isCloudError(error)) throw error;
    } finally {
      lookAgainAt = performance.now() + pauseMs;
      looking = undefined;
    }
  }

  async function readAnew(current: string): Promise<void> {
    const found = catalogueChanges(start.tables, (await engine.introspect()).tables);
    // The fingerprint of PostgreSQL also changes when a table is truncated.
    if (JSON.stringify(found.sentences) !== JSON.stringify(changes.sentences)) engine.forgetStatements?.();
    changes = found;
    fingerprint = current;
    for (const sentence of inBrief(changes.sentences)) tell(withNextStep(sentence));
  }

  function withNextStep(sentence: string): string {
    const isRefused = [...changes.unwritable.values()].includes(sentence);
    const restart = 'A restart of the agent reads the tables again, which "dev" does by itself';
    return `${sentence} ${restart}${isRefused ? '; writes to the table are refused until then' : ''}.`;
  }

  function look(): Promise<void> | undefined {
    if (!looking && performance.now() >= lookAgainAt) looking = compare();
    return looking;
  }

  /** The error of a query, which may need what somebody has just taken away. */
  async function explained(sql: string, error: unknown): Promise<unknown> {
    if (!isCloudError(error) || error.code !== 'DATABASE_QUERY_FAILED') return error;
    // A look that is under way may have asked before the change.
    await looking;
    looking ??= compare();
    await looking;
    const gone = changes.gone.find(({ names }) => names.every((name) => sql.includes(name)));
    return gone ? elementGone(gone.sentence, error) : error;
  }

  /** The database has rolled back, and the connection is free, before anybody looks. */
  const transaction: SqlEngine['transaction'] = (work, context) => {
    const failed: string[] = [];
    const noted = (inside: SqlTransaction) => work(notingFailures(inside, failed));
    return engine.transaction(noted, context).catch(async (error: unknown) => {
      throw failed.length === 0 ? error : await explained(failed.join('\n'), error);
    });
  };

  engine.explainFailures?.(explained);
  const read: SqlEngine['read'] = (sql, parameters, context) => {
    // A failure is a bug, and the next write meets it too.
    if (performance.now() >= lookAgainAt + longestIntervalMs) look()?.catch(() => undefined);
    return engine.read(sql, parameters, context).catch(async (error: unknown) => {
      throw await explained(sql, error);
    });
  };

  return {
    look,
    watchedEngine: engine.explainFailures ? { ...engine, transaction } : { ...engine, read, transaction },
    assertWritable(collection) {
      const reason = changes.unwritable.get(collection);
      if (reason !== undefined) throw tableChanged(reason);
    },
  };
}

/** The same transaction. `failed` gets each statement that fails; nobody waits for that. */
function notingFailures({ all, run, insert }: SqlTransaction, failed: string[]): SqlTransaction {
  const noting = <Result>(sql: string, result: Promise<Result>): Promise<Result> => {
    result.catch(() => failed.push(sql));
    return result;
  };
  return {
    all: (sql, parameters) => noting(sql, all(sql, parameters)),
    run: (sql, parameters) => noting(sql, run(sql, parameters)),
    ...(insert ? { insert: (sql, parameters) => noting(sql, insert(sql, parameters)) } : {}),
  };
}

function inBrief(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= mostSentences) return sentences;
  return [...sentences.slice(0, mostSentences), `${sentences.length - mostSentences} more of its tables have changed.`];
}

function tableChanged(reason: string): CloudError {
  return cloudError(
    'DATABASE_TABLE_CHANGED',
    `${reason} Nothing was written, because the agent still takes it for what it was.`,
    readAgain,
  );
}

function elementGone(reason: string, cause: unknown): CloudError {
  return cloudError('DATABASE_TABLE_CHANGED', `${reason} The agent still takes the table for what it was.`, readAgain, {
    cause,
  });
}

/** The same store, whose writes trust what was read of the tables only after another look at them. */
export function watchedStore(store: TransactionalStore, watch: CatalogueWatch): TransactionalStore {
  const watched = withWritableTables(store, watch);
  return {
    ...store,
    async create(...call) {
      await watch.look();
      return watched.create(...call);
    },
    async update(...call) {
      await watch.look();
      return watched.update(...call);
    },
    async delete(...call) {
      await watch.look();
      return watched.delete(...call);
    },
    async transaction(work, context) {
      await watch.look();
      return store.transaction((inside) => work(withWritableTables(inside, watch)), context);
    },
  };
}

function withWritableTables(store: RecordStore, watch: CatalogueWatch): RecordStore {
  return {
    ...store,
    async create(collection, ...rest) {
      watch.assertWritable(collection);
      return store.create(collection, ...rest);
    },
    async update(collection, ...rest) {
      watch.assertWritable(collection);
      return store.update(collection, ...rest);
    },
    async delete(collection, ...rest) {
      watch.assertWritable(collection);
      return store.delete(collection, ...rest);
    },
  };
}
