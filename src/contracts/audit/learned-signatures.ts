import { learnSignatures, type Signature } from '#kernel/digests/web-digests';
import { type CheckpointKey, signaturesOf } from './checkpoint.ts';
import { cosignaturesOf } from './cosignature.ts';
import { type Lines, readParts, type VerifyOptions } from './verify-export.ts';

/**
 * The lines of an export, for a verifier in a browser. Web Crypto answers later, and a verifier looks at one row after another without a wait.
 * So the signatures in each part are verified before its rows are.
 *
 * @throws an error where the browser cannot verify Ed25519 signatures.
 */
export async function* withLearnedSignatures(
  lines: Lines<string>,
  { keys, anchors = [], kept }: VerifyOptions,
): AsyncGenerator<readonly string[]> {
  const notes = kept === undefined ? anchors : [...anchors, kept];
  await learnSignatures(notes.flatMap((note) => signaturesOf(note, keys)));
  for await (const part of readParts(lines)) {
    await learnSignatures(part.flatMap((line) => signaturesIn(line, keys)));
    yield part;
  }
}

/** The same of what other machines have signed. */
export async function learnCosignatures(notes: readonly string[], cosigners: readonly string[]): Promise<void> {
  await learnSignatures(notes.flatMap((note) => cosigners.flatMap((cosigner) => cosignaturesOf(note, cosigner))));
}

/** Nearly no line has a note: its checkpoints, its erasures, and the register in the first one. */
function signaturesIn(line: string, keys: readonly CheckpointKey[]): readonly Signature[] {
  if (!line.includes('vendor-cloud.audit')) return [];
  return textsIn(parsed(line)).flatMap((text) => signaturesOf(text, keys));
}

/** All texts of a value. The register has its rows as texts, which are JSON themselves. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('{') ? [value, ...textsIn(parsed(value))] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Told by who takes the line.
    return undefined;
  }
}
