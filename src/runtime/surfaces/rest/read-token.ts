import type { IncomingHttpHeaders } from 'node:http';
import { CloudError } from '#kernel/errors/cloud-error';
import { cookieValue } from './http/cookies.ts';
import { mayUseCookie } from './http/cors.ts';

const cookieName = 'service_session_token';

/** The token of a request: the session cookie, else `Authorization: Bearer`. Throws `REQUEST_UNAUTHENTICATED`. */
export function readToken(headers: IncomingHttpHeaders, allowedOrigins: ReadonlySet<string>): string {
  const cookie = mayUseCookie(headers.origin, allowedOrigins) ? cookieValue(headers.cookie, cookieName) : undefined;
  if (cookie) return cookie;
  const { authorization } = headers;
  if (authorization === undefined) throw unauthenticated('The request has no token.');
  const bearer = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (bearer === undefined) throw unauthenticated('The Authorization header is not of the form "Bearer <token>".');
  return bearer;
}

function unauthenticated(message: string): CloudError {
  return new CloudError({
    code: 'REQUEST_UNAUTHENTICATED',
    message,
    nextSteps: ['Send a valid "Authorization: Bearer" token.'],
  });
}
