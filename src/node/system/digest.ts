import { createHash, hash } from 'node:crypto';

/** SHA-256 of some bytes, lower-case hexadecimal. */
export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

const digitsOfDigest = 16;

/**
 * A name for what an agent keeps of one environment on one platform, which no other environment shares: 16 hex digits.
 */
export function environmentDigest(envSecret: string, serverUrl: string): string {
  return hash('sha256', `${envSecret} ${serverUrl}`).slice(0, digitsOfDigest);
}
