import { DigestInput, hexOfBase64, isSigned, type Signature } from '#kernel/digests/digests';

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

export const keyName = 'vendor-cloud.audit';
export const ed25519 = 1;

/** The checkpoint that a note states, unverified; `undefined` for text that is not one. */
export function readCheckpoint(note: string): Checkpoint | undefined {
  const found = /^vendor-cloud\.audit\/([0-9a-f-]{36})\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n(\S+)\n\n— /.exec(
    note,
  );
  if (!found) return undefined;
  const [, chain = '', size = '', hash = '', at = ''] = found;
  return { chain, size: Number(size), hash: hexOfBase64(hash), at };
}

/** Whether one of the keys has signed a note. */
export function isSignedBy(note: string, keys: readonly CheckpointKey[]): boolean {
  return signaturesOf(note, keys).some(isSigned);
}

/** What a note has that says to be a signature of one of the keys. */
export function signaturesOf(note: string, keys: readonly CheckpointKey[]): readonly Signature[] {
  const end = note.indexOf('\n\n') + 1;
  const text = note.slice(0, end);
  const lines = [...note.slice(end).matchAll(/^— (\S+) ([A-Za-z0-9+/=]+)$/gm)];
  return keys.flatMap(({ verifier }) => {
    const key = parseVerifier(verifier);
    if (!key) return [];
    return lines.flatMap(([, name, encoded = '']) => {
      const bytes = hexOfBase64(encoded);
      const isOurs = name === keyName && bytes.length === (4 + 64) * 2 && bytes.startsWith(key.id);
      return isOurs ? [{ key: key.publicKey, text, signature: bytes.slice(8) }] : [];
    });
  });
}

/** Whether a text is the public key of checkpoints. */
export function isVerifier(text: string): boolean {
  return parseVerifier(text) !== undefined;
}

function parseVerifier(text: string): PublicNoteKey | undefined {
  const key = parseVerifierKey(text, ed25519);
  return key?.name === keyName ? key : undefined;
}

/** Id and key are in hexadecimal. */
interface PublicNoteKey {
  readonly name: string;
  readonly id: string;
  readonly publicKey: string;
}

export function parseVerifierKey(text: string, type: number): PublicNoteKey | undefined {
  const [name = '', id, ...rest] = text.trim().split('+');
  const bytes = hexOfBase64(rest.join('+'));
  if (bytes.length !== 33 * 2 || Number.parseInt(bytes.slice(0, 2), 16) !== type) return undefined;
  const publicKey = bytes.slice(2);
  const ownId = noteKeyId(name, type, publicKey);
  return ownId === id ? { name, id, publicKey } : undefined;
}

/**
 * What a signature begins with: the first four bytes of SHA-256 of the name, a line feed, the kind of signature and the key, in
 * hexadecimal.
 */
export function noteKeyId(name: string, type: number, publicKey: string): string {
  const input = new DigestInput(`${name}\n${String.fromCharCode(type)}`, 32);
  input.writeHex(0, publicKey);
  return input.sha256().slice(0, 8);
}
