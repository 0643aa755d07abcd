import { rm } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import { openStore } from '#platform/store/open-store';
import type { Store } from '#platform/store/store';
import { type PostgresServer, usePostgresServer } from './postgres-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Where a store may be. */
export interface StoreEngine {
  readonly engine: Store['engine'];
  /** A new, empty place. */
  newPlace(): Promise<SqlConnectionParams>;
  /** Make room, where many stores are made in one test. */
  dropPlace(place: SqlConnectionParams): Promise<void>;
}

/** Both engines, to run the same tests on; gives the tests of a file a PostgreSQL server. */
export function useStoreEngines(): readonly StoreEngine[] {
  const server = usePostgresServer();
  return [
    {
      engine: 'sqlite',
      newPlace: async () => ({ dialect: 'sqlite', storage: path.join(await temporaryFolder(), 'platform.sqlite') }),
      dropPlace: async (place) => {
        if ('storage' in place) await rm(String(place.storage), { force: true });
      },
    },
    {
      engine: 'postgres',
      newPlace: async () => postgresPlace(server, await createSortedDatabase(server)),
      dropPlace: async (place) => {
        if ('database' in place) await server.execute('postgres', `drop database "${place.database}"`);
      },
    },
  ];
}

/** A database that sorts text as people do, which the store must not depend on. */
async function createSortedDatabase(server: PostgresServer): Promise<string> {
  const name = `sorted_${crypto.randomUUID().replaceAll('-', '')}`;
  await server.execute('postgres', `create database ${name} template template0 locale_provider icu icu_locale 'en'`);
  return name;
}

export function postgresPlace(server: PostgresServer, database: string, schema?: string): SqlConnectionParams {
  const { host, port, user, password } = server.parameters(database);
  const schemas = schema === undefined ? {} : { schemas: [schema] };
  return { dialect: 'postgres', host, port, username: user, password, database, ...schemas };
}

/** A store that is closed when the test ends. */
export async function openTestStore(place: SqlConnectionParams): Promise<Store> {
  const store = await openStore(place);
  onTestFinished(() => store.close());
  return store;
}
