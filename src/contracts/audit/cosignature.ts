import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { hexOfBase64, isSigned } from '#kernel/digests/digests';
import { noteKeyId, parseVerifierKey } from './checkpoint.ts';
import { rawKey, verifierKey } from './signing.ts';

/** Cosignatures (C2SP `tlog-cosignature`, `cosignature/v1`): another machine signs a note, and when it did. */

/** The byte of this kind of signature. */
const timestamped = 4;
/** What stands before the 32 bytes of an Ed25519 key in DER. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key that cosigns. */
export interface CosignerKey {
  readonly name: string;
  readonly privateKey: KeyObject;
}

/** Names of keys have no blanks and no `+`. */
export const cosignerNameForm: RegExp = /^[A-Za-z0-9._/-]{1,100}$/;

/** @param seed 32 bytes, in hexadecimal. */
export function cosignerKeyOf(name: string, seed: string): CosignerKey {
  const key = Buffer.concat([pkcs8Head, Buffer.from(seed, 'hex')]);
  return { name, privateKey: createPrivateKey({ key, format: 'der', type: 'pkcs8' }) };
}

/** The public key, as `name+id+key`. */
export function cosignerOf({ name, privateKey }: CosignerKey): string {
  return verifierKey(name, timestamped, privateKey);
}

/** Whether a text is the public key of a cosigner. */
export function isCosigner(text: string): boolean {
  const key = parseVerifierKey(text, timestamped);
  return key !== undefined && cosignerNameForm.test(key.name);
}

/** The note with the signature of the cosigner as its last line. @param seconds since 1970. */
export function cosign(note: string, { name, privateKey }: CosignerKey, seconds: number): string {
  const id = Buffer.from(noteKeyId(name, timestamped, rawKey(privateKey)), 'hex');
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(seconds));
  const signature = sign(null, Buffer.from(messageOf(note, seconds)), privateKey);
  return `${note}— ${name} ${Buffer.concat([id, time, signature]).toString('base64')}\n`;
}

/** When a cosigner has signed a note, in milliseconds since the epoch; `undefined` where it has not. */
export function cosignedAt(note: string, cosigner: string): number | undefined {
  const key = parseVerifierKey(cosigner, timestamped);
  if (!key) return undefined;
  for (const [, name, encoded = ''] of note.slice(endOfText(note)).matchAll(/^— (\S+) ([A-Za-z0-9+/=]+)$/gm)) {
    const bytes = hexOfBase64(encoded);
    if (name !== key.name || bytes.length !== (4 + 8 + 64) * 2 || !bytes.startsWith(key.id)) continue;
    const seconds = Number(BigInt(`0x${bytes.slice(8, 24)}`));
    const signature = bytes.slice(24);
    if (isSigned({ key: key.publicKey, text: messageOf(note, seconds), signature })) return seconds * 1000;
  }
  return undefined;
}

function messageOf(note: string, seconds: number): string {
  return `cosignature/v1\ntime ${seconds}\n${note.slice(0, endOfText(note))}`;
}

function endOfText(note: string): number {
  return note.indexOf('\n\n') + 1;
}

/** A machine that cosigns every day may be late by an hour. */
const newestMs = 25 * 60 * 60_000;

/** What machines are demanded to have signed lately. */
interface Demanded {
  /** In words. */
  readonly what: 'this log' | 'the register';
  /** Of the segments of the log, or checkpoints of the register. */
  readonly notes: readonly string[];
}

/**
 * What is missing of the cosignatures that somebody demands: each of these machines must have signed one of the notes lately.
 *
 * @param now milliseconds since the epoch.
 */
export function missingCosignatures(
  { what, notes }: Demanded,
  cosigners: readonly string[],
  now: number,
): readonly string[] {
  return cosigners.flatMap((cosigner) => {
    const [name] = cosigner.split('+');
    const times = notes.flatMap((note) => cosignedAt(note, cosigner) ?? []);
    if (times.length === 0) return [`${name} has signed nothing of ${what}.`];
    const newest = Math.max(...times);
    if (now - newest <= newestMs) return [];
    return [`${name} has signed ${what} at ${new Date(newest).toISOString()} for the last time.`];
  });
}
