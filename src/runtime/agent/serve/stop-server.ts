import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Stops one server: no new connections, requests in flight get `drainMs` to end, then what is left is cut. */
export type StopServer = (drainMs: number) => Promise<void>;

/** Follow the requests of a server that is not listening yet, so that it can be stopped without waiting for idle clients. */
export function createServerStop(server: Server): StopServer {
  // By connection: a set that every request joins and leaves would keep those long gone from the garbage collector.
  const responses = new Map<Socket, ServerResponse>();
  server.on('connection', (socket) => socket.once('close', () => responses.delete(socket)));
  server.prependListener('request', ({ socket }, response: ServerResponse) => responses.set(socket, response));
  return async (drainMs) => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    // A client that keeps its connection for a next request would hold the server open until the end of the drain.
    server.closeIdleConnections();
    for (const response of responses.values()) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
    const cut = setTimeout(() => server.closeAllConnections(), drainMs);
    await closed;
    clearTimeout(cut);
  };
}
