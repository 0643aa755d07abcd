import { createPublicKey, hash, verify } from 'node:crypto';

/**
 * What verifiers compute, on Node.js. The page in the browser has `web-digests.ts` in its place: `package.json` chooses by the condition
 * `browser`, and both export the same.
 */

/** SHA-256 of a text as UTF-8, in hexadecimal: Node.js makes such a text in less time and memory than a buffer. */
export function sha256(text: string): string {
  return hash('sha256', text);
}

/** Bytes that are hashed again and again: a head that stays, and room behind it that is written each time. */
export class DigestInput {
  readonly #bytes: Buffer;
  /** Where the room begins. */
  readonly #start: number;

  constructor(head: string, room: number) {
    const start = Buffer.from(head);
    this.#bytes = Buffer.concat([start, Buffer.alloc(room)]);
    this.#start = start.length;
  }

  /** A whole number as 8 bytes, the highest first. */
  writeNumber(at: number, value: number): void {
    // Two halves: a BigInt for each row costs more than both.
    this.#bytes.writeUInt32BE(Math.floor(value / 2 ** 32), this.#start + at);
    this.#bytes.writeUInt32BE(value % 2 ** 32, this.#start + at + 4);
  }

  writeHex(at: number, text: string): void {
    this.#bytes.write(text, this.#start + at, 'hex');
  }

  /** SHA-256, in hexadecimal. */
  sha256(): string {
    return hash('sha256', this.#bytes);
  }
}

export function hexOfBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('hex');
}

/** An Ed25519 signature of a text as UTF-8. Key and signature are in hexadecimal. */
export interface Signature {
  readonly key: string;
  readonly text: string;
  readonly signature: string;
}

/** What stands before the 32 bytes of an Ed25519 key in DER. */
const spkiHead = '302a300506032b6570032100';

export function isSigned({ key, text, signature }: Signature): boolean {
  const publicKey = createPublicKey({ key: Buffer.from(spkiHead + key, 'hex'), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'hex'));
}
