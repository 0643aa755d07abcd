import type { IncomingHttpHeaders } from 'node:http';
import { CloudError } from '#kernel/errors/cloud-error';
import { mayUseCookie } from './cors.ts';

const cookieName = 'service_session_token';

/** The token of a request: the session cookie, else `Authorization: Bearer`. Throws `REQUEST_UNAUTHENTICATED`. */
export function readToken(headers: IncomingHttpHeaders, allowedOrigins: ReadonlySet<string>): string {
  const cookie = mayUseCookie(headers.origin, allowedOrigins) ? cookieOf(headers.cookie) : undefined;
  if (cookie) return cookie;
  const { authorization } = headers;
  if (authorization === undefined) throw unauthenticated('The request has no token.');
  const bearer = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (bearer === undefined) throw unauthenticated('The Authorization header is not of the form "Bearer <token>".');
  return bearer;
}

function cookieOf(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const separator = pair.indexOf('=');
    if (separator > 0 && pair.slice(0, separator).trim() === cookieName) return pair.slice(separator + 1).trim();
  }
  return undefined;
}

function unauthenticated(message: string): CloudError {
  return new CloudError({
    code: 'REQUEST_UNAUTHENTICATED',
    message,
    nextSteps: ['Send a valid "Authorization: Bearer" token.'],
  });
}
