import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { type ArchiveStatement, archiveText } from './archive.ts';
import { type Checkpoint, type CheckpointKey, ed25519, keyName, noteKeyId } from './checkpoint.ts';
import { cosignedText, timestamped } from './cosignature.ts';
import { type ErasureStatement, erasureText } from './erasure.ts';
import { type RestoreStatement, restoreText } from './register.ts';
import type { Segment } from './segment.ts';

/** What the platform and cosigners sign. Whoever verifies needs none of this. */

/** A signed note (C2SP `signed-note`). @param text Lines, none of them empty, each with its end. */
function signNote(text: string, privateKey: KeyObject): string {
  const id = Buffer.from(noteKeyId(keyName, ed25519, rawKey(privateKey)), 'hex');
  const signature = sign(null, Buffer.from(text), privateKey);
  return `${text}\n— ${keyName} ${Buffer.concat([id, signature]).toString('base64')}\n`;
}

/**
 * The checkpoint as a signed note (C2SP `signed-note` and `tlog-checkpoint`): origin, size, hash in base64, the time, an empty line,
 * and an Ed25519 signature of the lines before.
 */
export function signCheckpoint({ chain, size, hash, at }: Checkpoint, privateKey: KeyObject): string {
  return signNote(`${keyName}/${chain}\n${size}\n${base64(hash)}\n${at}\n`, privateKey);
}

/**
 * The segment as a signed note, in the form of a checkpoint of a log (C2SP `tlog-checkpoint`). Lines behind origin, size and root say where
 * it is in its log.
 */
export function signSegment(segment: Segment, privateKey: KeyObject): string {
  const { chain, month, size, root, first, last, before, end, at } = segment;
  const lines = [
    `${keyName}/${chain}/${month}`,
    String(size),
    base64(root),
    `first ${first}`,
    `last ${last}`,
    `before ${base64(before)}`,
    `end ${base64(end)}`,
    `time ${at}`,
  ];
  return signNote(`${lines.join('\n')}\n`, privateKey);
}

/** Whoever can write to the store cannot sign, so that nobody deletes values and calls that an erasure. */
export function signErasure(chain: string, statement: ErasureStatement, privateKey: KeyObject): string {
  return signNote(erasureText(chain, statement), privateKey);
}

/** Whoever can write to the store cannot sign, so that nobody cuts a log off and calls that a restore. */
export function signRestore(statement: RestoreStatement, privateKey: KeyObject): string {
  return signNote(restoreText(statement), privateKey);
}

/** Whoever can write to an archive cannot sign, so that nobody exchanges its files. */
export function signArchive(statement: ArchiveStatement, privateKey: KeyObject): string {
  return signNote(archiveText(statement), privateKey);
}

/** What stands before the 32 bytes of an Ed25519 key in DER. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key that cosigns. */
export interface CosignerKey {
  readonly name: string;
  readonly privateKey: KeyObject;
}

/** @param seed 32 bytes, in hexadecimal. */
export function cosignerKeyOf(name: string, seed: string): CosignerKey {
  const key = Buffer.concat([pkcs8Head, Buffer.from(seed, 'hex')]);
  return { name, privateKey: createPrivateKey({ key, format: 'der', type: 'pkcs8' }) };
}

/** The public key, as `name+id+key`. */
export function cosignerOf({ name, privateKey }: CosignerKey): string {
  return verifierKey(name, timestamped, privateKey);
}

/** The note with the signature of the cosigner as its last line. @param seconds since 1970. */
export function cosign(note: string, { name, privateKey }: CosignerKey, seconds: number): string {
  const id = Buffer.from(noteKeyId(name, timestamped, rawKey(privateKey)), 'hex');
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(seconds));
  const signature = sign(null, Buffer.from(cosignedText(note, seconds)), privateKey);
  return `${note}— ${name} ${Buffer.concat([id, time, signature]).toString('base64')}\n`;
}

/** The key that checks what a private key signs. */
export function verifierOf(privateKey: KeyObject): CheckpointKey {
  return { verifier: verifierKey(keyName, ed25519, privateKey) };
}

/** A verifier key of signed notes (C2SP). @param type The byte of the kind of signature. */
function verifierKey(name: string, type: number, privateKey: KeyObject): string {
  const raw = rawKey(privateKey);
  const encoded = Buffer.concat([Buffer.from([type]), Buffer.from(raw, 'hex')]).toString('base64');
  return `${name}+${noteKeyId(name, type, raw)}+${encoded}`;
}

/** What stands before the 32 bytes of an Ed25519 key in DER. */
const spkiHeadLength = 12;

/** The public key, in hexadecimal. */
function rawKey(privateKey: KeyObject): string {
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return der.subarray(spkiHeadLength).toString('hex');
}

function base64(hexadecimal: string): string {
  return Buffer.from(hexadecimal, 'hex').toString('base64');
}
