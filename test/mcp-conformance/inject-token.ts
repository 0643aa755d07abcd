import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy on loopback that adds a token to requests without one, because the conformance suite cannot send any. */
export interface TokenProxy {
  readonly origin: string;
  close(): void;
}

export async function startTokenProxy(target: string, token: string): Promise<TokenProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, response) => {
    const { url = '/', method = 'GET', headers } = incoming;
    const outgoing = send(
      { hostname, port, path: url, method, headers: { authorization: `Bearer ${token}`, ...headers } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${own}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
