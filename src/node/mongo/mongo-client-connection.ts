import type { MongoClient } from 'mongodb';
import { UnderWay } from '#kernel/async/under-way';
import { closed } from '../database/database-errors.ts';

/** The connection of a client to its servers. */
export interface ClientConnection {
  /**
   * Do work once the client is connected. Rejects as the driver does, and as soon as every server refuses connections. That is
   * an answer, yet the driver would wait for another one as it waits for silent servers.
   */
  carryOut<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** The first work connects. When that fails, the next one tries again. */
export function connectionOf(client: MongoClient): ClientConnection {
  const untilRefused = untilServersRefuse(client);
  let connecting: Promise<unknown> | undefined;
  let isClosed = false;
  const connect = () => {
    connecting ??= untilRefused(client.connect()).catch(async (error: unknown) => {
      // A client whose connection has failed does not try again by itself.
      await client.close();
      connecting = undefined;
      throw error;
    });
    return connecting;
  };
  return {
    async carryOut(work) {
      if (isClosed) throw closed();
      await connect();
      return untilRefused(work());
    },
    close: async () => {
      isClosed = true;
      await client.close();
    },
  };
}

function untilServersRefuse(client: MongoClient): <Result>(work: Promise<Result>) => Promise<Result> {
  let servers: readonly string[] = [];
  const refusing = new Set<string>();
  const waiting = new UnderWay<(refusal: Error) => void>();
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    servers = [...newDescription.servers.keys()];
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => refusing.delete(connectionId));
  client.on('serverHeartbeatFailed', ({ connectionId, failure }) => {
    if (!isRefusal(failure)) {
      refusing.delete(connectionId);
      return;
    }
    refusing.add(connectionId);
    if (servers.every((server) => refusing.has(server))) for (const giveUp of waiting) giveUp(failure);
  });
  return (work) => {
    const { promise, reject } = Promise.withResolvers<never>();
    waiting.add(reject);
    return Promise.race([work, promise]).finally(() => waiting.delete(reject));
  };
}

/** A host of several addresses refuses when each of them does. */
function isRefusal(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isRefusal);
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === 'ECONNREFUSED') || isRefusal(error.cause);
}
