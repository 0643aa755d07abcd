import { sha256 as digestOf } from '@noble/hashes/sha2.js';
import type { Signature } from './digests.ts';

export type { Signature } from './digests.ts';

/**
 * What verifiers compute, in a browser. Digests are JavaScript: Web Crypto answers each of them later, which takes longer than the
 * digest. Signatures are Web Crypto, and are learned before somebody asks for them.
 */

const encoder = new TextEncoder();

export function sha256(text: string): string {
  return hexOf(digestOf(encoder.encode(text)));
}

export class DigestInput {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #start: number;

  constructor(head: string, room: number) {
    const start = encoder.encode(head);
    this.#bytes = new Uint8Array(start.length + room);
    this.#bytes.set(start);
    this.#view = new DataView(this.#bytes.buffer);
    this.#start = start.length;
  }

  writeNumber(at: number, value: number): void {
    this.#view.setUint32(this.#start + at, Math.floor(value / 2 ** 32));
    this.#view.setUint32(this.#start + at + 4, value % 2 ** 32);
  }

  writeHex(at: number, text: string): void {
    this.#bytes.set(bytesOf(text), this.#start + at);
  }

  sha256(): string {
    return hexOf(digestOf(this.#bytes));
  }
}

export function hexOfBase64(text: string): string {
  // Like Node.js, it stops at the padding, and takes a text without one.
  const [digits = ''] = text.split('=');
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return hexOf(Uint8Array.from(atob(whole), (character) => character.charCodeAt(0)));
}

/** By signature: whether it is one. */
const known = new Map<string, boolean>();

/** @throws an error where Web Crypto does not know about the signature: nobody has learned it. */
export function isSigned(signature: Signature): boolean {
  const answer = known.get(nameOf(signature));
  if (answer === undefined) throw new Error('A signature was not verified before its row was looked at.');
  return answer;
}

/**
 * Verify signatures, so that `isSigned` can tell.
 *
 * @throws a `DOMException` or a `TypeError` where the browser has no Ed25519, as in a page without TLS.
 */
export async function learnSignatures(signatures: readonly Signature[]): Promise<void> {
  for (const each of signatures) {
    const { key, text, signature } = each;
    if (known.has(nameOf(each))) continue;
    const publicKey = await crypto.subtle.importKey('raw', bytesOf(key), 'Ed25519', false, ['verify']);
    const answer = await crypto.subtle.verify('Ed25519', publicKey, bytesOf(signature), encoder.encode(text));
    known.set(nameOf(each), answer);
  }
}

function nameOf({ key, text, signature }: Signature): string {
  return `${key} ${signature} ${text}`;
}

const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += pairs[byte];
  return text;
}

function bytesOf(hexadecimal: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hexadecimal.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(hexadecimal.slice(at * 2, at * 2 + 2), 16);
  return bytes;
}
