import { createSecureContext } from 'node:tls';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Certificate } from '../server/team-options.ts';

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
