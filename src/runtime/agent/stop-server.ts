import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';

/** Stops one server: no new connections, requests in flight get `drainMs` to end, then what is left is cut. */
export type StopServer = (drainMs: number) => Promise<void>;

/** Follow the requests of a server that is not listening yet, so that it can be stopped without waiting for idle clients. */
export function createServerStop(server: Server): StopServer {
  const inFlight = new Set<ServerResponse>();
  server.prependListener('request', (_request, response: ServerResponse) => {
    inFlight.add(response);
    response.once('close', () => inFlight.delete(response));
  });
  return async (drainMs) => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    // A client that keeps its connection for a next request would hold the server open until the end of the drain.
    server.closeIdleConnections();
    for (const response of inFlight) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
    const cut = setTimeout(() => server.closeAllConnections(), drainMs);
    await closed;
    clearTimeout(cut);
  };
}
