import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { PostgresParameters } from '#kernel/ports/postgres-pool';
import { createPostgresClient } from './postgres-client.ts';
import { checkRole, createHostChoice, type PostgresServer, roleQuery } from './postgres-hosts.ts';
import { connectError, negotiateTls } from './postgres-tls.ts';

/** Hears what is announced on a channel of PostgreSQL. */
export interface PostgresListener {
  close(): Promise<void>;
}

export interface ListenerOptions {
  readonly onNotification: (payload: string) => void;
  /** The connection was lost and is back: notifications in between did not arrive. */
  readonly onGap: () => void;
  /** How often the server is asked whether it is still there, and how long it may take to answer, in milliseconds; default 10,000. */
  readonly checkMs?: number;
}

const connectTimeoutMs = 5_000;
const firstPauseMs = 100;
const longestPauseMs = 5_000;
const goodbyeMs = 500;

/**
 * Listen on a channel, over a connection of its own that is opened again whenever it is lost. Rejects when the first
 * connection cannot be opened, as `openPostgres` does.
 *
 * @param channel a name that needs no quotes.
 */
export async function listenOnPostgres(
  parameters: PostgresParameters,
  channel: string,
  { onNotification, onGap, checkMs = 10_000 }: ListenerOptions,
): Promise<PostgresListener> {
  const stop = new AbortController();
  const hosts = createHostChoice(parameters);
  const open = () =>
    hosts.open(
      (server) => connect(server, channel, onNotification),
      async (late) => late.end(),
    );
  let client = await open();
  const listening = keepListening();

  async function keepListening(): Promise<void> {
    for (;;) {
      await lost(client, checkMs, stop.signal);
      const next = await reconnect(open, stop.signal);
      if (!next) return;
      client = next;
      onGap();
    }
  }

  return {
    async close() {
      stop.abort();
      await listening;
      // A server that does not answer is not waited for.
      const forced = setTimeout(() => client.connection.stream.destroy(), goodbyeMs);
      await client.end();
      clearTimeout(forced);
    },
  };
}

async function connect(
  server: PostgresServer,
  channel: string,
  onNotification: (payload: string) => void,
): Promise<Client> {
  const tls = await negotiateTls(server, connectTimeoutMs);
  const client = await createPostgresClient(server, tls, connectTimeoutMs);
  client.on('notification', ({ payload = '' }) => onNotification(payload));
  // `end` follows, and is what is waited for.
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (server.target !== 'any') checkRole((await client.query(roleQuery)).rows[0], server);
    await client.query(`listen ${channel}`);
    return client;
  } catch (error) {
    client.connection.stream.destroy();
    throw isCloudError(error) ? error : connectError(error, server);
  }
}

/** Resolves when the connection has ended or no longer answers, or nobody listens any more. */
async function lost(client: Client, checkMs: number, signal: AbortSignal): Promise<void> {
  const check = setInterval(() => {
    const query = { text: 'select 1', query_timeout: checkMs };
    client.query(query).catch(() => client.connection.stream.destroy());
  }, checkMs);
  await once(client, 'end', { signal }).catch(() => undefined);
  clearInterval(check);
}

/** Resolves to `undefined` when nobody listens any more. */
async function reconnect(open: () => Promise<Client>, signal: AbortSignal): Promise<Client | undefined> {
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await open();
    } catch {
      // The pool tells whoever asks the database now; here the next try is all there is to do.
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
