import { createHash } from 'node:crypto';

/** SHA-256 of some bytes, lower-case hexadecimal. */
export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
