import { hkdfSync } from 'node:crypto';

/** Encrypts texts under a key that only its owner has. */
export interface SealedTexts {
  /** The text as a JWE (`dir`, A256GCM). */
  seal(text: string): Promise<string>;
  /** The text again; `undefined` for what was not sealed with the same secret and purpose, or was changed. */
  open(sealed: string): Promise<string | undefined>;
}

/**
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
