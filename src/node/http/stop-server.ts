import { once } from 'node:events';
import type { Server } from 'node:http';

/**
 * Stop a server: it takes no new connections, requests in flight get `drainMs` to end, then their connections are cut. A client
 * that keeps its connection for a next request does not hold the server open. The server may be opened again afterwards.
 */
export async function stopServer(server: Server, drainMs: number): Promise<void> {
  if (!server.listening) return;
  const { keepAliveTimeout, keepAliveTimeoutBuffer } = server;
  // A connection closes this many milliseconds after the answer that is in flight on it now.
  server.keepAliveTimeout = 1;
  server.keepAliveTimeoutBuffer = 0;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(cut);
  Object.assign(server, { keepAliveTimeout, keepAliveTimeoutBuffer });
}
