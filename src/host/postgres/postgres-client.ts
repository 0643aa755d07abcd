import type { ConnectionOptions } from 'node:tls';
import type { Client, Pool, PoolConfig } from 'pg';
import type { PostgresParameters } from '#kernel/ports/postgres-pool';

interface StartsUp {
  getStartupConf(): Readonly<Record<string, string>>;
}

/** Every value as the text the database sends: what it means is decided where its column is known. */
const asText = { getTypeParser: () => (text: unknown) => text };

/** A pool of connections on the `pg` driver, which is loaded now. It opens none yet. */
export async function createPostgresPool(
  parameters: PostgresParameters,
  tls: ConnectionOptions | undefined,
  size: number,
  connectTimeoutMs: number,
): Promise<Pool> {
  const { default: driver } = await import('pg');
  const configuration: PoolConfig = {
    host: parameters.host,
    port: parameters.port ?? 5432,
    user: parameters.user ?? 'postgres',
    database: parameters.database,
    ssl: tls ?? false,
    max: size,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    pipeline: true,
    application_name: 'vendor-cloud',
    types: asText as NonNullable<PoolConfig['types']>,
    Client: inCanonicalForms(driver.Client),
    ...(parameters.password === undefined ? {} : { password: parameters.password }),
  };
  const pool = new driver.Pool(configuration);
  // A connection lost while idle has left the pool already; without a listener the process would end.
  pool.on('error', () => {});
  return pool;
}

/**
 * A client whose dates come as ISO 8601 in UTC whatever the server is set to. Set in the start-up message, since poolers
 * keep just these two settings across connections, and refuse others.
 */
function inCanonicalForms(base: typeof Client): typeof Client {
  const inherited = (base.prototype as unknown as StartsUp).getStartupConf;
  return class extends base {
    getStartupConf(): Readonly<Record<string, string>> {
      return { ...inherited.call(this as unknown as StartsUp), DateStyle: 'ISO', TimeZone: 'UTC' };
    }
  };
}
