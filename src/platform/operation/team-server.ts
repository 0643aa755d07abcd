import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Certificate, TeamOptions } from '../server/team-options.ts';
import { checkWayIsEncrypted } from './check-encryption.ts';
import type { Metrics } from './metrics.ts';
import { observeRequests } from './request-observer.ts';
import { trustedProxies } from './trusted-proxies.ts';

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
