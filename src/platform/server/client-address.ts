import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Where a request comes from, behind the proxies that the platform trusts. `undefined` on the machine itself: that is the
 * developer, or a proxy that is not trusted and stands for everybody.
 */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string | undefined {
  const plain = ip.replace(/^::ffff:/, '');
  const isLoopback = plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
  return isLoopback ? undefined : plain;
}
