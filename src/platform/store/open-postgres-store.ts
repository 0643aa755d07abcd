import type { PostgresParameters } from '#kernel/ports/postgres-pool';
import type { ServerConnectionParams } from '#node/database/sql-connection-params';
import { openPostgres } from '#node/postgres/open-postgres';
import { listenOnPostgres } from '#node/postgres/postgres-listener';
import { Announcements } from './announcements.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { createPostgresStore } from './postgres-store.ts';
import type { Store } from './store.ts';
import { storeUnavailable } from './store-errors.ts';

const defaultSchema = 'vendor_cloud';
const poolSize = 10;
/** A lock keeps its connection, so that locks have a pool of their own. It opens connections when they are needed. */
const lockPoolSize = 5;

/**
 * Open the store in a PostgreSQL database, which several processes of the platform may share. It has a schema of its own, so
 * that the database may hold other things too.
 */
export async function openPostgresStore(connection: ServerConnectionParams): Promise<Store> {
  const { schema, parameters, place } = postgresPlaceOf(connection);
  const pool = openPostgres({ ...parameters, poolSize });
  const locks = openPostgres({ ...parameters, poolSize: lockPoolSize });
  const announcements = new Announcements();
  try {
    await migratePostgres(pool, schema, place);
    const listener = await listenOnPostgres(parameters, schema, {
      onNotification: (text) => {
        const [, topic = '', payload = ''] = /^(\S+) (.*)$/s.exec(text) ?? [];
        announcements.pass(topic, payload);
      },
      onGap: () => announcements.tellGap(),
    });
    return createPostgresStore({ pool, locks, schema, announcements, listener, place });
  } catch (error) {
    await Promise.all([pool.close(), locks.close()]);
    throw error;
  }
}

export interface PostgresPlace {
  readonly schema: string;
  readonly parameters: PostgresParameters;
  /** The database, as messages name it. */
  readonly place: string;
}

export function postgresPlaceOf({ username, schemas, ...server }: ServerConnectionParams): PostgresPlace {
  return {
    schema: schemaOf(schemas),
    parameters: { ...server, user: username, values: 'typed', plans: 'generic' },
    place: `${server.database} at ${server.host}`,
  };
}

function schemaOf(schemas: readonly string[] | undefined): string {
  const [schema = defaultSchema, ...others] = schemas ?? [];
  if (others.length === 0 && /^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return schema;
  throw storeUnavailable(
    'The store of the platform takes one schema of the database, named in small letters, digits and "_".',
    'Correct "schema" in the address of the store.',
  );
}
