import type { FastifyRequest } from 'fastify';
import { cloudError } from '#kernel/errors/cloud-error';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { clientAddress } from './client-address.ts';

/** What proxies and tunnels add to the requests of others. */
export const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Lets through only requests that come straight from this machine and call it by its own name: no tunnel, no proxy and no other
 * machine. `createServer` has refused pages of other origins before.
 *
 * @throws `REQUEST_FORBIDDEN`
 */
export function requireSameMachine({ socket, headers }: Pick<FastifyRequest, 'socket' | 'headers'>): void {
  const host = URL.parse(`http://${headers.host ?? ''}`)?.hostname;
  const isHere =
    socket.remoteAddress !== undefined &&
    clientAddress({ ip: socket.remoteAddress }) === undefined &&
    host !== undefined &&
    isLoopbackHost(host) &&
    forwardingHeaders.every((name) => headers[name] === undefined);
  if (isHere) return;
  throw cloudError(
    'REQUEST_FORBIDDEN',
    'One-time links are for browsers and programs on the machine of the platform.',
    'Use the address the platform printed when it started, on that machine.',
  );
}

/**
 * Lets through only forms that a page of this server has sent.
 *
 * @throws `REQUEST_FORBIDDEN`
 */
export function requireOwnForm({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  if (headers.origin === `http://${headers.host}` && site === 'same-origin') return;
  throw cloudError(
    'REQUEST_FORBIDDEN',
    'The form does not come from a page of this platform.',
    'Open the link in a browser on this machine.',
  );
}
