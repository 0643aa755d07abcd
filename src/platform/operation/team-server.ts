import type { FastifyInstance, FastifyRequest } from 'fastify';
import { whenClosed } from '#kernel/async/when-closed';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { addressRanges, type IncludesAddress, isLoopbackAddress } from '../server/address-ranges.ts';
import type { Certificate, ObservedRequest, TeamOptions } from '../server/team-options.ts';
import type { Metrics } from './metrics.ts';

/** How the server of a team differs. */
export interface TeamServer {
  readonly tls?: Certificate;
  readonly isTrusted: (address: string) => boolean;
  readonly observe: (server: FastifyInstance) => void;
  readonly check?: (request: FastifyRequest) => void;
}

export function teamServer(team: TeamOptions, metrics: Metrics, publicOrigin: string | undefined): TeamServer {
  const { tls, tellRequest } = team;
  const isTrusted = trustedProxies(team.trustedProxies);
  const isBehindProxy = tls === undefined && team.trustedProxies.length > 0 && publicOrigin !== undefined;
  return {
    isTrusted,
    observe: (server) => observeRequests(server, metrics, tellRequest),
    ...(tls ? { tls } : {}),
    ...(isBehindProxy ? { check: (request) => checkWayIsEncrypted(request, isTrusted, publicOrigin) } : {}),
  };
}

/** What probes of another machine ask for; it is not a secret. */
const openToProbes = new Set(['/health', '/ready']);

/**
 * Behind a TLS proxy, lets through only what came encrypted: from this machine, or through a trusted proxy that does not say
 * that its client spoke plain http. Rejects with `REQUEST_FORBIDDEN`.
 */
function checkWayIsEncrypted(request: FastifyRequest, isTrusted: IncludesAddress, publicOrigin: string): void {
  if (openToProbes.has(request.routeOptions.url ?? '')) return;
  const peer = request.raw.socket.remoteAddress ?? '';
  if (isTrusted(peer)) {
    // The last one is what the trusted proxy itself added.
    const said = String(request.headers['x-forwarded-proto'] ?? 'https').split(',');
    if (said.at(-1)?.trim() === 'https') return;
  } else if (isLoopbackAddress(peer)) return;
  throw cloudError(
    'REQUEST_FORBIDDEN',
    'The request came unencrypted, or through a proxy that the platform does not trust.',
    [
      `Send it to ${publicOrigin}.`,
      'If it came through the TLS proxy, start the platform with the address of that in --trusted-proxy.',
    ],
  );
}

/** Counts each request and tells it once, when its connection has its answer or is gone. */
function observeRequests(server: FastifyInstance, metrics: Metrics, tell: (request: ObservedRequest) => void): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const { id, method, ip } = request;
    const route = request.routeOptions.url ?? null;
    const count = metrics.request(route);
    const startedAt = performance.now();
    whenClosed(reply.raw, () => {
      const ms = Math.round((performance.now() - startedAt) * 10) / 10;
      const { statusCode: status, writableFinished } = reply.raw;
      const observed = { id, method, route, status, ms, ip, isAborted: !writableFinished };
      count(observed);
      tell(observed);
    });
  });
}

/**
 * The proxies whose `X-Forwarded-…` headers are believed: addresses such as `10.0.0.7` and ranges such as `10.0.0.0/8`.
 * Throws `USAGE_INVALID` for anything else.
 */
function trustedProxies(places: readonly string[]): IncludesAddress {
  return addressRanges(places, malformed);
}

function malformed(place: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `"${place}" is neither an address nor a range of addresses, so no proxy can be trusted by it.`,
    'Write it like 10.0.0.7, 10.0.0.0/8 or fd00::/8. A range of length 0, which is everybody, is refused.',
  );
}
