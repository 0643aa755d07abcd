import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import { crossSiteRequest, isSentByOtherPage } from '#node/http/request-guards';
import { readPositionHeader } from '../../request/read-positions.ts';

export const correlationHeader = 'x-service-correlation-id';
export const schemaRevisionHeader = 'service-schema-revision';
export const chartKindHeader = 'service-chart-kind';

/** The headers of an answer that pages of other origins may read. */
export const exposedHeaders = [
  correlationHeader,
  schemaRevisionHeader,
  chartKindHeader,
  readPositionHeader,
  'etag',
].join(', ');

/** The headers of a request that answers depend on, beside the token, for caches on the way. */
const dependsOn = 'Origin, Accept-Encoding, Service-Links, Service-Projection';

export interface CorsAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** A preflight: answered with 204 and these headers, before any token is asked for. */
  readonly isPreflight: boolean;
}

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
  // A browser must not take bytes for something else than they are called, whatever a record holds.
  const answer: Record<string, string> = { vary: dependsOn, 'x-content-type-options': 'nosniff' };
  if (origin !== undefined) answer['access-control-allow-origin'] = origin;
  if (origin !== undefined && allowedOrigins.has(origin)) answer['access-control-allow-credentials'] = 'true';
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  if (isPreflight) Object.assign(answer, preflightHeaders(headers));
  else answer['access-control-expose-headers'] = exposedHeaders;
  return { isPreflight, headers: answer };
}

function preflightHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const requestedHeaders = headers['access-control-request-headers'];
  return {
    'access-control-max-age': '86400',
    'access-control-allow-methods': 'GET,HEAD,PUT,POST,DELETE,PATCH',
    ...(requestedHeaders === undefined ? {} : { 'access-control-allow-headers': requestedHeaders }),
    ...(headers['access-control-request-private-network'] === 'true'
      ? { 'access-control-allow-private-network': 'true' }
      : {}),
  };
}

/** Whether a browser may have added the session cookie to the request by itself on behalf of a foreign page. */
export function mayUseCookie(origin: string | undefined, allowedOrigins: ReadonlySet<string>): boolean {
  return origin === undefined || allowedOrigins.has(origin);
}

/** How an answer can be compressed. */
export type Encoding = 'br' | 'gzip';

/** The best one that an `Accept-Encoding` header allows; `undefined` for none. */
export function acceptedEncoding(header: IncomingHttpHeaders['accept-encoding']): Encoding | undefined {
  if (header === undefined) return undefined;
  const allowed = header.split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [name];
  });
  return (['br', 'gzip'] as const).find((encoding) => allowed.includes(encoding));
}

/** Whether an `If-None-Match` header names a weak tag. */
export function matchesTag(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^(?!W\/)/, 'W/')) ?? [];
  return tags.includes(etag) || tags.includes('W/*');
}

/** The cookies that the agent sets or reads: the session, and the sign-ins that are under way. */
const ownCookies = /(?:^|;)\s*service_(?:session_token|sign_in_)/;

/**
 * Refuses a request in which a page of another origin uses a cookie of the agent, unless that origin is allowed.
 *
 * @throws `REQUEST_CROSS_SITE`
 */
export function requireOwnPage(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  allowedOrigins: ReadonlySet<string>,
): void {
  const { cookie, origin } = request.headers;
  if (cookie === undefined || !ownCookies.test(cookie)) return;
  if (origin !== undefined && allowedOrigins.has(origin)) return;
  if (isSentByOtherPage(request)) {
    throw crossSiteRequest('Name the origin of the page in "allowedOrigins", or leave the cookie out.');
  }
}

/** The value of a cookie in a `Cookie` header; the first of several. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  return header === undefined ? undefined : parseCookie(header)[name];
}

interface CookieScope {
  readonly path: string;
  /** Over TLS a page of another site may carry the cookie along; without it only pages of the same site do. */
  readonly isSecure: boolean;
  /** 0 takes the cookie away. */
  readonly maxAgeSeconds: number;
}

/** A `Set-Cookie` header that no script can read. */
export function setCookie(name: string, value: string, { path, isSecure, maxAgeSeconds }: CookieScope): string {
  const site = isSecure ? ({ sameSite: 'none', secure: true } as const) : ({ sameSite: 'lax' } as const);
  return stringifySetCookie({ name, value, path, maxAge: maxAgeSeconds, httpOnly: true, ...site });
}
