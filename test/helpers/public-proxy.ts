import { request as httpRequest } from 'node:http';
import { startHttpServer } from './http-server.ts';

/** A proxy that stands before a platform. */
export interface PublicProxy {
  readonly url: string;
  /** The platforms behind it; requests go to one after the other. */
  targets: readonly string[];
}

/** Start it before what is behind it. `tellsHost`: whether that hears which host was asked for. */
export async function startPublicProxy({ tellsHost }: { readonly tellsHost: boolean }): Promise<PublicProxy> {
  let requests = 0;
  const { origin } = await startHttpServer((request, response) => {
    const { method, url, headers } = request;
    const target = proxy.targets[requests++ % proxy.targets.length] ?? '';
    const host = tellsHost ? headers.host : new URL(target).host;
    const behind = httpRequest(`${target}${url}`, { method, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    behind.on('error', () => response.destroy());
    response.on('close', () => behind.destroy());
    request.pipe(behind);
  });
  const proxy: PublicProxy = { url: origin, targets: [] };
  return proxy;
}
