import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy that stands before a platform. */
export interface PublicProxy {
  readonly url: string;
  /** The platform behind it. */
  target: string;
}

/** Start it before what is behind it. `tellsHost`: whether that hears which host was asked for. */
export async function startPublicProxy({ tellsHost }: { readonly tellsHost: boolean }): Promise<PublicProxy> {
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const host = tellsHost ? headers.host : new URL(proxy.target).host;
    const behind = httpRequest(`${proxy.target}${url}`, { method, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    behind.on('error', () => response.destroy());
    response.on('close', () => behind.destroy());
    request.pipe(behind);
  });
  const proxy = { url: '', target: '' };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}
