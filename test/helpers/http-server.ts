import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface HttpServer {
  /** Without a path: `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly port: number;
  /** Cut the connections that are open; others are taken. */
  cut(): void;
  /** Resolves when the port is free. */
  close(): Promise<void>;
}

/** What answers a request. A promise that it returns must not reject: that would end the run of the tests. */
export type HttpListener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A server on loopback that answers until the test ends. */
export async function startHttpServer(listener: HttpListener): Promise<HttpServer> {
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  onTestFinished(close);
  return { origin: `http://127.0.0.1:${port}`, port, cut: () => server.closeAllConnections(), close };
}
