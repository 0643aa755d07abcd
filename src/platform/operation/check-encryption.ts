import type { FastifyRequest } from 'fastify';
import { cloudError } from '#kernel/errors/cloud-error';
import type { IncludesAddress } from '../server/address-ranges.ts';
import { isLoopbackAddress } from './loopback.ts';

/** What probes of another machine ask for; it is no secret. */
const openToProbes = new Set(['/health', '/ready']);

/**
 * Behind a TLS proxy, lets through only what came encrypted: from this machine, or through a trusted proxy that does not say
 * that its client spoke plain http. Rejects with `REQUEST_FORBIDDEN`.
 */
export function checkWayIsEncrypted(request: FastifyRequest, isTrusted: IncludesAddress, publicOrigin: string): void {
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
