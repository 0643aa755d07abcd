import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { McpPlace } from '../mcp-place.ts';
import { requestWith } from './oauth-body.ts';

/** A request as the library answers it. */
interface LibraryRequest {
  readonly method: 'GET' | 'POST';
  /** Below the base path, with its query. */
  readonly path: string;
  readonly body?: string;
}

/** Lets the library answer a request. */
export type HandOver = (request: IncomingMessage, response: ServerResponse, as: LibraryRequest) => Promise<void>;

export function createHandOver(provider: Provider, place: McpPlace): HandOver {
  const answer = provider.callback();
  return async (request, response, { path, ...as }) => {
    const copy = asOfIssuer(requestWith(request, { ...as, url: path }), place);
    await answer(Object.assign(copy, { originalUrl: place.basePath + path }), response);
  };
}

/** The links and the cookies of the library are those of its issuer, whatever a proxy makes of the request or says of itself. */
export function asOfIssuer(request: IncomingMessage, { origin }: McpPlace): IncomingMessage {
  const { host, protocol } = new URL(origin);
  Object.assign(request.headers, { 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) });
  return request;
}
