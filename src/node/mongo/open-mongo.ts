import {
  type ClientSession,
  type Db,
  MongoBulkWriteError,
  MongoClient,
  type MongoClientOptions,
  ReadPreference,
} from 'mongodb';
import type {
  MongoCollectionDescription,
  MongoDatabase,
  MongoDocument,
  MongoRequest,
  MongoStatements,
} from '#kernel/ports/mongo-database';
import { lostDuringCommit } from '../database/database-errors.ts';
import { type ClientConnection, connectionOf } from './mongo-client-connection.ts';
import { invalidUri, type ResolvedMongoConnection } from './mongo-connection-params.ts';
import { isUnknownCommit, isWorthRepeating, mongoError } from './mongo-errors.ts';

export interface MongoParameters extends ResolvedMongoConnection {
  /** Connections at most; default 10. */
  readonly poolSize?: number | undefined;
  /** How long to wait for the server, and for a free connection, in milliseconds; default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long one statement may run, in milliseconds; default 30000. `0` means no limit. */
  readonly statementTimeoutMs?: number | undefined;
}

/** Values as the BSON library reads them: a `long` is a bigint, so that it keeps its digits. */
const reading = { useBigInt64: true, promoteLongs: true, ignoreUndefined: true } as const;

/** How often work that other transactions were in the way of is done again. */
const repetitions = 20;

/**
 * Open a MongoDB database. The first statement connects; when the server goes away and comes back, the next one finds it again.
 *
 * Every method rejects with `DATABASE_UNREACHABLE`, `DATABASE_AUTHENTICATION_FAILED`, `DATABASE_TLS_FAILED`, `DATABASE_BUSY`,
 * `DATABASE_TIMEOUT`, `DATABASE_CONSTRAINT_VIOLATED`, `DATABASE_VALUE_REFUSED`, `DATABASE_PERMISSION_DENIED`, `DATABASE_QUERY_FAILED`
 * and `INTERRUPTED`.
 */
export function openMongo(parameters: MongoParameters): MongoDatabase {
  const { uri, database, poolSize = 10, connectTimeoutMs = 5000, statementTimeoutMs = 30_000 } = parameters;
  const client = newClient(uri, {
    ...reading,
    maxPoolSize: poolSize,
    serverSelectionTimeoutMS: connectTimeoutMs,
    connectTimeoutMS: connectTimeoutMs,
    waitQueueTimeoutMS: connectTimeoutMs,
    appName: 'vendor-cloud',
  });
  const db = client.db(database);
  let connections = 0;
  client.on('connectionCreated', () => {
    connections += 1;
  });
  client.on('connectionClosed', () => {
    connections -= 1;
  });
  const connection = connectionOf(client);
  const told: Told = (work, signal) =>
    connection.carryOut(work).catch((error: unknown) => {
      throw mongoError(error, statementTimeoutMs, signal);
    });
  let topology: Promise<boolean> | undefined;

  const hasTransactions = () => {
    topology ??= told(() => db.command({ hello: 1 })).then(
      (hello) => typeof hello['setName'] === 'string' || hello['msg'] === 'isdbgrid',
    );
    return topology;
  };

  return {
    ...statementsOn(db, { connection, statementTimeoutMs, told }),
    describeCollections: () => told(() => describeCollections(db)),
    hasTransactions,
    async transaction(work, { signal, isRepeatable = false } = {}) {
      if (!(await hasTransactions())) return work(statementsOn(db, { connection, statementTimeoutMs, told }));
      for (let attempt = 1; ; attempt++) {
        const session = client.startSession();
        try {
          return await inTransaction(session, () =>
            work(statementsOn(db, { connection, session, statementTimeoutMs, told })),
          );
        } catch (error) {
          if (!isRepeatable || attempt === repetitions || !isWorthRepeating(error)) {
            throw mongoError(error, statementTimeoutMs, signal);
          }
        } finally {
          await session.endSession();
        }
      }
    },
    openConnections: () => connections,
    close: connection.close,
  };
}

function newClient(uri: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(uri, options);
  } catch (error) {
    throw invalidUri('The driver cannot read the connection URI, or one of the parameters behind its "?".', error);
  }
}

async function inTransaction<Result>(session: ClientSession, work: () => Promise<Result>): Promise<Result> {
  session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } });
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction();
    throw error;
  }
  try {
    await session.commitTransaction();
  } catch (error) {
    throw isUnknownCommit(error) ? lostDuringCommit(error) : error;
  }
  return result;
}

interface Execution {
  readonly session?: ClientSession;
  readonly statementTimeoutMs: number;
  readonly connection: ClientConnection;
  readonly told: Told;
}

/** Rejects in the words of this file. */
type Told = <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;

function statementsOn(db: Db, { connection, session, statementTimeoutMs, told }: Execution): MongoStatements {
  const limits = {
    // A transaction reads where it writes, whatever the URI prefers for reading.
    ...(session ? { session, readPreference: ReadPreference.primary } : {}),
    ...(statementTimeoutMs > 0 ? { maxTimeMS: statementTimeoutMs } : {}),
  };
  const limitsOf = ({ signal }: MongoRequest = {}) => ({ ...limits, ...(signal ? { signal } : {}) });
  return {
    aggregate: (collection, pipeline, request) =>
      told(
        () =>
          db
            .collection(collection)
            .aggregate<MongoDocument>([...pipeline], { ...limitsOf(request), allowDiskUse: true })
            .toArray(),
        request?.signal,
      ),
    async insert(collection, documents, request) {
      try {
        const [only] = documents;
        const into = db.collection(collection);
        // The answer to a single insertion says more of what is refused.
        await connection.carryOut<unknown>(() =>
          documents.length === 1 && only
            ? into.insertOne({ ...only }, limits)
            : into.insertMany([...documents], limits),
        );
      } catch (error) {
        if (!session) await takeBack(db, collection, documents, error);
        throw mongoError(error, statementTimeoutMs, request?.signal);
      }
    },
    async update(collection, filter, change, request) {
      const { arrayFilters } = request ?? {};
      const options = { ...limits, ...(arrayFilters ? { arrayFilters: [...arrayFilters] } : {}) };
      const stages = Array.isArray(change) ? [...(change as readonly MongoDocument[])] : { ...change };
      const { matchedCount } = await told(
        () => db.collection(collection).updateMany(filter, stages, options),
        request?.signal,
      );
      return matchedCount;
    },
    async remove(collection, filter, request) {
      const { deletedCount } = await told(() => db.collection(collection).deleteMany(filter, limits), request?.signal);
      return deletedCount;
    },
  };
}

/** The documents before the refused one are there; they are inserted in order. */
async function takeBack(
  db: Db,
  collection: string,
  documents: readonly MongoDocument[],
  error: unknown,
): Promise<void> {
  if (!(error instanceof MongoBulkWriteError) || error.insertedCount === 0) return;
  const inserted = documents.slice(0, error.insertedCount).map(({ _id }) => _id);
  await db.collection(collection).deleteMany({ _id: { $in: inserted as never[] } });
}

async function describeCollections(db: Db): Promise<MongoCollectionDescription[]> {
  const found = await db.listCollections({}, { nameOnly: false }).toArray();
  const described = found
    .filter(({ name }) => !name.startsWith('system.'))
    .map(async ({ name, type, options }): Promise<MongoCollectionDescription> => {
      // Of a time series no more than one field can be changed, and none in a transaction.
      const isView = type === 'view' || type === 'timeseries';
      const indexes = isView ? [] : await db.collection(name).indexes();
      const uniqueKeys = indexes.filter(({ unique }) => unique === true).map(({ key }) => Object.keys(key));
      const jsonSchema: unknown = options?.['validator']?.['$jsonSchema'];
      return { name, isView, uniqueKeys, ...(isDocument(jsonSchema) ? { jsonSchema } : {}) };
    });
  return (await Promise.all(described)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function isDocument(value: unknown): value is MongoDocument {
  return typeof value === 'object' && value !== null;
}
