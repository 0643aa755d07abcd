import { cloudError } from '#kernel/errors/cloud-error';
import { unknownOption } from '#kernel/text/nearest-name';
import { type MongoConnectionParams, resolveMongoConnection } from '#node/mongo/mongo-connection-params';
import type { DataSourceFactory } from './interface/data-source.ts';
import type { IntrospectionOptions } from './mongo/introspect/introspect-mongo.ts';

/** How a MongoDB data source connects, and what it makes of the documents. All of them are optional. */
export interface MongoDataSourceOptions extends IntrospectionOptions {
  /** Connections at most. Default 10. */
  readonly poolSize?: number | undefined;
  /** How long to wait for the server, and for a free connection, in milliseconds. Default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** The time after which the server cancels a statement, in milliseconds. Default 30 000; `0` means no limit. */
  readonly statementTimeoutMs?: number | undefined;
}

const code = () =>
  Promise.all([
    import('#node/mongo/open-mongo'),
    import('./mongo/introspect/introspect-mongo.ts'),
    import('./mongo/mongo-data-source.ts'),
  ]);

/** Load the code of a data source on a MongoDB database, and open nothing. */
export async function loadMongoDataSource(): Promise<void> {
  await code();
}

/**
 * A data source on a MongoDB database: `mongodb://user:password@host/shop`, `mongodb+srv://…`, or the same in parts. Nothing is opened,
 * and no driver loaded, before the agent starts.
 *
 * @throws `DATABASE_URI_INVALID` and `AGENT_OPTION_INVALID` at once; `DATABASE_…` from the factory.
 *
 * @example
 * agent.addDataSource(createMongoDataSource('mongodb://db.internal/shop', { sampleSize: 500 }));
 */
export function createMongoDataSource(
  connection: string | MongoConnectionParams,
  options: MongoDataSourceOptions = {},
): DataSourceFactory {
  checkOptions(options, optionNames);
  if (typeof connection !== 'string') checkOptions(connection, connectionNames);
  const resolved = resolveMongoConnection(connection);
  return async () => {
    const [{ openMongo }, { introspectMongo }, { createMongoSourceOn }] = await code();
    const database = openMongo({ ...resolved, ...options });
    try {
      return await createMongoSourceOn(database, await introspectMongo(database, options));
    } catch (error) {
      await database.close();
      throw error;
    }
  };
}

const optionNames = Object.keys({
  poolSize: true,
  connectTimeoutMs: true,
  statementTimeoutMs: true,
  sampleSize: true,
  referenceSampleSize: true,
  flattenMode: true,
  flattenOptions: true,
} satisfies Record<keyof MongoDataSourceOptions, true>);

const connectionNames = Object.keys({
  host: true,
  port: true,
  database: true,
  username: true,
  password: true,
  authSource: true,
  replicaSet: true,
  tls: true,
} satisfies Record<keyof MongoConnectionParams, true>);

function checkOptions(given: object, known: readonly string[]): void {
  const problem = unknownOption(given, known);
  if (problem === undefined) return;
  throw cloudError(
    'AGENT_OPTION_INVALID',
    `createMongoDataSource has ${problem}`,
    'Correct the option where the data source is created.',
  );
}
