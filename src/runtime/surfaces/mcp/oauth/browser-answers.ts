import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import { pageHeaders, renderPage } from '#node/http/html-page';

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
