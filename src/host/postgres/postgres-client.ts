import type { ConnectionOptions } from 'node:tls';
import type { Client, ClientConfig } from 'pg';
import type { PostgresParameters } from '#kernel/ports/postgres-pool';

/** Members that the driver has for others to use, and that its types leave out. */
declare module 'pg' {
  interface Client {
    /** From the greeting of the server. With both, another connection can cancel what this one is doing. */
    readonly processID: number | null;
    readonly secretKey: number | null;
    /** The parameters of the message that starts a connection. */
    getStartupConf(): Readonly<Record<string, string>>;
  }
}

/** Every value as the text that the database sends: what it means is decided where its column is known. */
const asText = { getTypeParser: () => (text: unknown) => text };

let loading: Promise<typeof Client> | undefined;

/** A client of the driver, which is loaded now. It is not connected yet. */
export async function createPostgresClient(
  parameters: PostgresParameters,
  tls: ConnectionOptions | undefined,
  connectTimeoutMs: number,
): Promise<Client> {
  loading ??= loadClient();
  const DriverClient = await loading;
  return new DriverClient({
    host: parameters.host,
    port: parameters.port ?? 5432,
    user: parameters.user ?? 'postgres',
    database: parameters.database,
    ssl: tls ?? false,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    pipeline: true,
    application_name: 'vendor-cloud',
    types: asText as NonNullable<ClientConfig['types']>,
    ...(parameters.password === undefined ? {} : { password: parameters.password }),
  });
}

/**
 * The client of the driver, with dates as ISO 8601 in UTC whatever the server is set to. The start-up message asks for
 * that: poolers keep just these two settings across connections, refuse most others there, and stop sharing a connection
 * on which a `set` statement was carried out.
 */
async function loadClient(): Promise<typeof Client> {
  const { default: driver } = await import('pg');
  return class extends driver.Client {
    override getStartupConf(): Readonly<Record<string, string>> {
      return { ...super.getStartupConf(), DateStyle: 'ISO', TimeZone: 'UTC' };
    }
  };
}
