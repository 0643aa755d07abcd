import { hexOfBase64, isSigned, type Signature } from '#kernel/digests/digests';
import { parseVerifierKey, readCheckpoint } from './checkpoint.ts';
import { readSegment } from './segment.ts';
import type { Verdict } from './verdict.ts';

/** Cosignatures (C2SP `tlog-cosignature`, `cosignature/v1`): another machine signs a note, and when it did. `signing.ts` makes them. */

/** The byte of this kind of signature. */
export const timestamped = 4;

/** Names of keys have no blanks and no `+`. */
export const cosignerNameForm: RegExp = /^[A-Za-z0-9._/-]{1,100}$/;

/** Whether a text is the public key of a cosigner. */
export function isCosigner(text: string): boolean {
  const key = parseVerifierKey(text, timestamped);
  return key !== undefined && cosignerNameForm.test(key.name);
}

interface Cosignature extends Signature {
  /** Since 1970. */
  readonly seconds: number;
}

/** What a note has that says to be a signature of a cosigner. */
export function cosignaturesOf(note: string, cosigner: string): readonly Cosignature[] {
  const key = parseVerifierKey(cosigner, timestamped);
  if (!key) return [];
  const lines = [...note.slice(endOfText(note)).matchAll(/^— (\S+) ([A-Za-z0-9+/=]+)$/gm)];
  return lines.flatMap(([, name, encoded = '']) => {
    const bytes = hexOfBase64(encoded);
    if (name !== key.name || bytes.length !== (4 + 8 + 64) * 2 || !bytes.startsWith(key.id)) return [];
    const seconds = Number(BigInt(`0x${bytes.slice(8, 24)}`));
    return [{ key: key.publicKey, text: cosignedText(note, seconds), signature: bytes.slice(24), seconds }];
  });
}

/** When a cosigner has signed a note, in milliseconds since the epoch; `undefined` where it has not. */
export function cosignedAt(note: string, cosigner: string): number | undefined {
  const found = cosignaturesOf(note, cosigner).find(isSigned);
  return found && found.seconds * 1000;
}

/** What a cosigner signs of a note. */
export function cosignedText(note: string, seconds: number): string {
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

interface NotesOfLog {
  /** The notes in which other machines may have signed the log. */
  readonly notes: readonly string[];
  /** A segment has no register. */
  readonly isSegment?: boolean | undefined;
}

/** What is missing of the cosignatures of a log that was verified, and of its register. A log without rows needs none. */
export function missingOfVerified(
  { chain, register, rows }: Verdict,
  { notes, isSegment = false }: NotesOfLog,
  cosigners: readonly string[],
  now: number,
): readonly string[] {
  if (rows === 0) return [];
  const ofLog = notes.filter((note) => readSegment(note)?.chain === chain);
  const unsigned = missingCosignatures({ what: 'this log', notes: ofLog }, cosigners, now);
  if (isSegment) return unsigned;
  const ofRegister = notes.filter((note) => readCheckpoint(note)?.chain === register);
  return [...unsigned, ...missingCosignatures({ what: 'the register', notes: ofRegister }, cosigners, now)];
}
