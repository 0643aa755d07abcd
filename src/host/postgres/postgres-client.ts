import type { ConnectionOptions } from 'node:tls';
import type { Client, ClientConfig } from 'pg';
import type { PostgresParameters } from '#kernel/ports/postgres-pool';

/** Members of the client that its types and its documentation leave out. The driver does not mark them as private. */
declare module 'pg' {
  interface Client {
    /** From the greeting of the server. With both, another connection can cancel what this one is doing. */
    readonly processID: number | null;
    readonly secretKey: number | null;
    /** The parameters of the message that starts a connection. */
    getStartupConf(): Readonly<Record<string, string>>;
  }
}

/** Keeps every value as the text that the database sends. The code that knows its column decides what it means. */
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
 * The client of the driver, changed so that dates come as ISO 8601 in UTC whatever the server is set to. The message
 * that starts the connection asks for that. Poolers know these two settings there; they refuse other ways to set them,
 * or stop sharing a connection that carries out `set`.
 */
async function loadClient(): Promise<typeof Client> {
  const { default: driver } = await import('pg');
  return class extends driver.Client {
    override getStartupConf(): Readonly<Record<string, string>> {
      return { ...super.getStartupConf(), DateStyle: 'ISO', TimeZone: 'UTC' };
    }
  };
}
