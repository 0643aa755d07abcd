import type { IncomingMessage } from 'node:http';
import { stringify as stringifyForm } from 'node:querystring';
import { IncomingMessage as Message } from '#node/http/node-http';
import { readBytes } from '../../request/read-bytes.ts';
import { hasHostReadBody, hostBodyOf } from '../../request/request-bodies.ts';

const maxBodyBytes = 32 * 1024;

/** The body of a request; `undefined` for one that is too large. */
export async function readOauthBody(request: IncomingMessage): Promise<string | undefined> {
  if (hasHostReadBody(request)) return textOf(hostBodyOf(request), request.headers['content-type']);
  return (await readBytes(request, maxBodyBytes))?.toString();
}

/** The query of a request, as it was sent. */
export function queryOf({ url = '' }: IncomingMessage): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

/** The same request with another address and another body, for a library that reads both itself. */
export function requestWith(
  request: IncomingMessage,
  { method, url, body }: { readonly method: 'GET' | 'POST'; readonly url: string; readonly body?: string },
): IncomingMessage {
  const copy = new Message(request.socket);
  const { 'transfer-encoding': _encoding, 'content-length': _length, ...headers } = request.headers;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  Object.assign(copy, { method, url, headers: { ...headers, ...length } });
  if (body !== undefined) copy.push(body);
  copy.push(null);
  // Nothing more comes over the connection for it.
  copy.complete = true;
  return copy;
}

/** What a parser of the host application made of the body. */
function textOf(body: unknown, contentType = ''): string {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  if (typeof body !== 'object' || body === null) return '';
  return contentType.startsWith('application/json') ? JSON.stringify(body) : stringifyForm({ ...body });
}
