import { createHash, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { SealedTexts } from '#kernel/ports/sealed-texts';

/**
 * Texts become a JWE (`dir`, A256GCM).
 *
 * @param secret What the key is derived from; at least 32 random bytes, in any spelling.
 * @param purpose Keys for different purposes are different.
 */
export function createSealedTexts(secret: string, purpose: string): SealedTexts {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', `vendor-cloud ${purpose}`, 32));
  return {
    async seal(text) {
      const { CompactEncrypt } = await import('jose');
      const plain = new TextEncoder().encode(text);
      return new CompactEncrypt(plain).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(key);
    },
    async open(sealed) {
      const { compactDecrypt } = await import('jose');
      const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };
      const opened = await compactDecrypt(sealed, key, options).catch(() => undefined);
      return opened && new TextDecoder().decode(opened.plaintext);
    },
  };
}

/** Whether two texts are the same. How long it takes tells nothing about either. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

/** Texts of any length have digests of one. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
