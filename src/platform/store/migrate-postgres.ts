import { isCloudError } from '#kernel/errors/cloud-error';
import type { PostgresPool, PostgresSession } from '#kernel/ports/postgres-pool';
import { lockKey } from './lock-key.ts';
import { migrations } from './migrations/index.ts';
import { statementsOf } from './migrations/migration.ts';
import { schemaIsForeign, storeIsNewer, storeUnavailable } from './store-errors.ts';

/**
 * Bring the store to the newest version, in one transaction. Processes that start together do so one after another. The one
 * row of the table `store_version` is its version.
 *
 * @param place the database, as messages name it.
 */
export async function migratePostgres(pool: PostgresPool, schema: string, place: string): Promise<void> {
  try {
    await pool.transaction(async (session) => {
      await session.all('select pg_advisory_xact_lock($1)', [lockKey(schema, 'migrate')]);
      await migrateSchema(session, schema, place);
    });
  } catch (error) {
    if (isCloudError(error) && error.code === 'PLATFORM_STORE_UNAVAILABLE') throw error;
    const reason = isCloudError(error) ? ` ${error.message}` : '';
    throw storeUnavailable(
      `The store of the platform in the database ${place} cannot be opened.${reason}`,
      'Check the address of the store, that the database is there, and that its user may create a schema.',
      error,
    );
  }
}

/** The same in a transaction under way, up to the version `target`. */
export async function migrateSchema(
  session: PostgresSession,
  schema: string,
  place: string,
  target: number = migrations.length,
): Promise<void> {
  const version = await readVersion(session, schema, place);
  if (version > migrations.length) throw storeIsNewer(place);
  if (version >= target) return;
  await session.run(`set local search_path to ${schema}`);
  for (const migration of migrations.slice(version, target)) {
    for (const statement of statementsOf(migration('postgres'))) await session.run(statement);
  }
  await session.run('update store_version set version = $1', [target]);
}

/** 0 for an empty store, which is made if there is none. */
async function readVersion(session: PostgresSession, schema: string, place: string): Promise<number> {
  const tables = await session.all(
    `select c.relname as name from pg_catalog.pg_class c
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = $1`,
    [schema],
  );
  if (tables.length === 0) {
    await session.run(`create schema if not exists ${schema}`);
    await session.run(`create table ${schema}.store_version (version integer not null)`);
    await session.run(`insert into ${schema}.store_version values (0)`);
    return 0;
  }
  if (!tables.some(({ name }) => name === 'store_version')) throw schemaIsForeign(schema, place);
  const [row] = await session.all(`select version from ${schema}.store_version`);
  return Number(row?.['version'] ?? 0);
}
