import { hkdfSync } from 'node:crypto';

/** A key of 32 bytes for one purpose alone. All agents with the same auth secret have the same one. */
export function derivedKey(authSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', authSecret, '', `vendor-cloud ${purpose}`, 32));
}
