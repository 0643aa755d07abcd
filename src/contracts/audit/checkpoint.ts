import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** A statement of how long a chain was, and where its head was. */
export interface Checkpoint {
  /** Id of the chain. */
  readonly chain: string;
  /** Sequence of its last row; 0 for a chain without rows. */
  readonly size: number;
  /** Hash of that row, in hexadecimal. */
  readonly hash: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A public key that checkpoints are signed with. */
export interface CheckpointKey {
  /** Name and key as `name+id+key`: the verifier key of signed notes (C2SP). */
  readonly verifier: string;
}

const origin = 'vendor-cloud.audit/';
const keyName = 'vendor-cloud.audit';
const ed25519 = 1;
/** What stands before the 32 bytes of an Ed25519 key in DER. */
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * The checkpoint as a signed note (C2SP `signed-note` and `tlog-checkpoint`): origin, size, hash in base64, the time, an empty line,
 * and an Ed25519 signature of the lines before.
 */
export function signCheckpoint({ chain, size, hash, at }: Checkpoint, privateKey: KeyObject): string {
  return signNote(`${origin}${chain}\n${size}\n${Buffer.from(hash, 'hex').toString('base64')}\n${at}\n`, privateKey);
}

/** A signed note. @param text Lines, none of them empty, each with its end. */
export function signNote(text: string, privateKey: KeyObject): string {
  const id = noteKeyId(keyName, ed25519, privateKey);
  const signature = sign(null, Buffer.from(text), privateKey);
  return `${text}\n— ${keyName} ${Buffer.concat([id, signature]).toString('base64')}\n`;
}

/** The checkpoint that a note states, unverified; `undefined` for text that is not one. */
export function readCheckpoint(note: string): Checkpoint | undefined {
  const found = /^vendor-cloud\.audit\/([0-9a-f-]{36})\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n(\S+)\n\n— /.exec(
    note,
  );
  if (!found) return undefined;
  const [, chain = '', size = '', hash = '', at = ''] = found;
  return { chain, size: Number(size), hash: Buffer.from(hash, 'base64').toString('hex'), at };
}

/** Whether one of the keys has signed a note. */
export function isSignedBy(note: string, keys: readonly CheckpointKey[]): boolean {
  const end = note.indexOf('\n\n') + 1;
  const text = Buffer.from(note.slice(0, end));
  const signatures = [...note.slice(end).matchAll(/^— (\S+) ([A-Za-z0-9+/=]+)$/gm)];
  return keys.some(({ verifier }) => {
    const key = parseVerifier(verifier);
    return (
      key !== undefined &&
      signatures.some(([, name, encoded = '']) => {
        const bytes = Buffer.from(encoded, 'base64');
        const isOurs = name === keyName && bytes.length === 68 && bytes.subarray(0, 4).equals(key.id);
        return isOurs && verify(null, text, key.publicKey, bytes.subarray(4));
      })
    );
  });
}

/** The key that checks what a private key signs. */
export function verifierOf(privateKey: KeyObject): CheckpointKey {
  return { verifier: verifierKey(keyName, ed25519, privateKey) };
}

/** Whether a text is the public key of checkpoints. */
export function isVerifier(text: string): boolean {
  return parseVerifier(text) !== undefined;
}

function parseVerifier(text: string): PublicNoteKey | undefined {
  const key = parseVerifierKey(text, ed25519);
  return key?.name === keyName ? key : undefined;
}

interface PublicNoteKey {
  readonly name: string;
  readonly id: Buffer;
  readonly publicKey: KeyObject;
}

/** A verifier key of signed notes (C2SP). @param type The byte of the kind of signature. */
export function verifierKey(name: string, type: number, privateKey: KeyObject): string {
  const raw = rawKey(privateKey);
  const encoded = Buffer.concat([Buffer.from([type]), raw]).toString('base64');
  return `${name}+${keyId(name, type, raw).toString('hex')}+${encoded}`;
}

export function parseVerifierKey(text: string, type: number): PublicNoteKey | undefined {
  const [name = '', id, ...rest] = text.trim().split('+');
  const bytes = Buffer.from(rest.join('+'), 'base64');
  if (bytes.length !== 33 || bytes[0] !== type) return undefined;
  const raw = bytes.subarray(1);
  const ownId = keyId(name, type, raw);
  if (ownId.toString('hex') !== id) return undefined;
  const publicKey = createPublicKey({ key: Buffer.concat([spkiHead, raw]), format: 'der', type: 'spki' });
  return { name, id: ownId, publicKey };
}

/** What a signature begins with. */
export function noteKeyId(name: string, type: number, privateKey: KeyObject): Buffer {
  return keyId(name, type, rawKey(privateKey));
}

/** The first four bytes of SHA-256 of the name, a line feed, the kind of signature and the key. */
function keyId(name: string, type: number, raw: Buffer): Buffer {
  return createHash('sha256')
    .update(`${name}\n`)
    .update(Buffer.from([type]))
    .update(raw)
    .digest()
    .subarray(0, 4);
}

function rawKey(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(spkiHead.length);
}
