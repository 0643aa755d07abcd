import type { IncomingHttpHeaders } from 'node:http';

export interface CorsAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** A preflight: answered with 204 and these headers, before any token is asked for. */
  readonly isPreflight: boolean;
}

export const correlationHeader = 'x-service-correlation-id';

/**
 * Any origin may call with a bearer token, which no browser adds by itself. Credentials that a browser does add are
 * allowed to the origins that were named, and to no other.
 */
export function answerCors(
  method: string,
  headers: IncomingHttpHeaders,
  allowedOrigins: ReadonlySet<string>,
): CorsAnswer {
  const { origin } = headers;
  const requestedMethod = headers['access-control-request-method'];
  const isPreflight = method === 'OPTIONS' && requestedMethod !== undefined;
  const requestedHeaders = headers['access-control-request-headers'];
  return {
    isPreflight,
    headers: {
      vary: 'Origin',
      ...(origin === undefined ? {} : { 'access-control-allow-origin': origin }),
      ...(origin !== undefined && allowedOrigins.has(origin) ? { 'access-control-allow-credentials': 'true' } : {}),
      ...(isPreflight
        ? {
            'access-control-max-age': '86400',
            'access-control-allow-methods': 'GET,HEAD,PUT,POST,DELETE,PATCH',
            ...(requestedHeaders === undefined ? {} : { 'access-control-allow-headers': requestedHeaders }),
            ...(headers['access-control-request-private-network'] === 'true'
              ? { 'access-control-allow-private-network': 'true' }
              : {}),
          }
        : { 'access-control-expose-headers': correlationHeader }),
    },
  };
}

/** Whether a browser may have added the session cookie to the request by itself on behalf of a foreign page. */
export function mayUseCookie(origin: string | undefined, allowedOrigins: ReadonlySet<string>): boolean {
  return origin === undefined || allowedOrigins.has(origin);
}
