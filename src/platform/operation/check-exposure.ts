import { createSecureContext } from 'node:tls';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { isLoopbackAddress } from '../server/address-ranges.ts';
import type { Certificate, TeamOptions } from '../server/team-options.ts';

/**
 * Refuses a platform that would take passwords and tokens unencrypted. Throws `PLATFORM_EXPOSED`, or `PLATFORM_ADDRESS_INVALID` for a public
 * address that does not fit.
 *
 * @param publicOrigin the address that people and agents use.
 */
export function checkExposure(
  listenHost: string,
  publicOrigin: string | undefined,
  { tls, trustedProxies }: TeamOptions,
): void {
  const isLocal = listenHost === 'localhost' || isLoopbackAddress(listenHost);
  if (publicOrigin !== undefined) checkPublicOrigin(publicOrigin, tls !== undefined);
  if (isLocal) return;
  if (publicOrigin === undefined) {
    throw exposed(
      `The platform is to listen on ${listenHost}, but its public address is not set.`,
      'Give its public address: --public-url https://platform.example.com.',
    );
  }
  const isBehindProxy = trustedProxies.length > 0 && publicOrigin.startsWith('https:');
  if (tls === undefined && !isBehindProxy) {
    throw exposed(
      `Passwords and tokens would travel to ${listenHost} unencrypted: there is neither a certificate nor a trusted TLS proxy.`,
      'Give --tls-cert and --tls-key, or an https --public-url and --trusted-proxy with the address of the TLS proxy, or listen on 127.0.0.1.',
    );
  }
}

function checkPublicOrigin(publicOrigin: string, hasCertificate: boolean): void {
  const { protocol, hostname } = new URL(publicOrigin);
  if (protocol === 'https:') return;
  if (isLoopbackHost(hostname) && !hasCertificate) return;
  throw cloudError(
    'PLATFORM_ADDRESS_INVALID',
    `The public address ${publicOrigin} is plain http: passwords and tokens would travel unencrypted.`,
    'Give an https address, such as https://platform.example.com.',
  );
}

function exposed(message: string, nextStep: string): CloudError {
  return cloudError('PLATFORM_EXPOSED', message, nextStep);
}

/** Throws `PLATFORM_CERTIFICATE_INVALID` for what no server could use. */
export function checkCertificate({ cert, key }: Certificate): void {
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason';
    throw cloudError(
      'PLATFORM_CERTIFICATE_INVALID',
      `The certificate and the key of the platform cannot be used together (${reason}).`,
      'Give the whole chain in --tls-cert and its private key, without a passphrase, in --tls-key, both as PEM.',
      { cause },
    );
  }
}
