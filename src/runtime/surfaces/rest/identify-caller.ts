import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Caller } from '../../customizer/caller.ts';
import { isForwarded } from '../request/ip-filter.ts';
import { cookieValue, mayUseCookie } from './http/http-headers.ts';
import type { RestServerOptions } from './rest-server-options.ts';

const cookieName = 'service_session_token';

/**
 * The claims of the token that a request carries, from an address that the project allows.
 *
 * @throws `REQUEST_UNAUTHENTICATED` or `REQUEST_FORBIDDEN`.
 */
export async function identifyCaller(
  { headers, ip }: FastifyRequest,
  { tokens, ipFilter, allowedOrigins }: RestServerOptions,
): Promise<AgentTokenClaims> {
  const claims = await tokens.verify(readToken(headers, allowedOrigins));
  await ipFilter?.check(ip, isForwarded(headers));
  return claims;
}

/** The caller of a request, with the origin that the request names. */
export function callerOf({ headers, id, ip }: FastifyRequest, claims: AgentTokenClaims, timezone: string): Caller {
  // The connection of a request that is injected, or gone already, has no address.
  const address: Pick<Caller, 'request'> = ip ? { request: { ip } } : {};
  return { ...claims, timezone, requestId: id, ...shownPlace(headers), ...address };
}

/** The session cookie, else `Authorization: Bearer`. */
function readToken(headers: IncomingHttpHeaders, allowedOrigins: ReadonlySet<string>): string {
  const { authorization, cookie, origin } = headers;
  const session = cookie && mayUseCookie(origin, allowedOrigins) ? cookieValue(cookie, cookieName) : undefined;
  if (session) return session;
  if (authorization === undefined) throw unauthenticated('The request has no token.');
  const bearer = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (bearer === undefined) throw unauthenticated('The Authorization header is not of the form "Bearer <token>".');
  return bearer;
}

/** The names that the address of the client's page begins with: `https://host/<project>/<environment>/…`. */
function shownPlace(headers: IncomingHttpHeaders): Pick<Caller, 'project' | 'environment'> {
  const sent = headers['service-context-url'];
  const path = typeof sent === 'string' ? URL.parse(sent)?.pathname : undefined;
  const [project, environment] = path?.split('/').slice(1, 3).map(decodedPart) ?? [];
  return project && environment ? { project, environment } : {};
}

function decodedPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // A name that cannot be decoded counts as missing.
    return undefined;
  }
}

function unauthenticated(message: string): CloudError {
  return cloudError('REQUEST_UNAUTHENTICATED', message, 'Send a valid "Authorization: Bearer" token.');
}
