import type { IncomingMessage, ServerResponse } from 'node:http';
import { stringify as stringifyForm } from 'node:querystring';
import { parseCookie, stringifySetCookie } from 'cookie';
import { pageHeaders, renderPage } from '#node/http/html-page';
import { IncomingMessage as Message } from '#node/http/node-http';
import { hasHostReadBody, hostBodyOf, readBytes } from '../../request/request-bodies.ts';

export interface OauthCookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** 0 takes it away. */
  readonly maxAgeSeconds: number;
}

export function cookieOf(request: IncomingMessage, name: string): string | undefined {
  return parseCookie(request.headers.cookie ?? '')[name];
}

/** No script reads it, and no other site sends it along with a form. */
export function addCookie(response: ServerResponse, cookie: OauthCookie, isSecure: boolean): void {
  const { name, value, path, maxAgeSeconds: maxAge } = cookie;
  const line = stringifySetCookie({ name, value, path, maxAge, httpOnly: true, sameSite: 'lax', secure: isSecure });
  response.appendHeader('set-cookie', line);
}

export function redirectTo(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'cache-control': 'no-store' }).end();
}

export function sendPage(
  response: ServerResponse,
  status: number,
  html: string,
  formTargets: readonly string[] = [],
): void {
  response.writeHead(status, { ...pageHeaders({ formTargets }), ...closedToOthers }).end(html);
}

export function sendProblemPage(response: ServerResponse, status: number, problem: string): void {
  const html = '<p>Begin again in your application.</p>';
  sendPage(response, status, renderPage({ title: 'This did not work', problem, html }));
}

const closedToOthers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
};

/** Answer with an error in the form of OAuth. */
export function refuseOauth(
  response: ServerResponse,
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const own = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  response.writeHead(status, { ...own, ...headers });
  response.end(JSON.stringify({ error, error_description: description }));
}

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
