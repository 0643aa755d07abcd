import { hexOfBase64 } from '#kernel/digests/digests';
import { type Checkpoint, readCheckpoint } from './checkpoint.ts';

/**
 * A segment of a log: its rows of one month (UTC, by `createdAt`), as a Merkle tree in the order of the log. It is verified without the rows
 * before and after it. While its month goes on it grows, so that an older note of it names the beginning of a newer one.
 */
export interface Segment {
  /** Id of the chain. */
  readonly chain: string;
  /** `2026-10`. */
  readonly month: string;
  /** How many rows it has: from `first` to `last`. */
  readonly size: number;
  /** Root of the tree, in hexadecimal. */
  readonly root: string;
  /** Sequences. */
  readonly first: number;
  readonly last: number;
  /** What the first row is linked to, in hexadecimal. */
  readonly before: string;
  /** Hash of the last row, in hexadecimal. */
  readonly end: string;
  /** When it was signed, ISO 8601. */
  readonly at: string;
}

const hashForm = '([A-Za-z0-9+/]{43}=)';
const numberForm = '([1-9]\\d{0,14})';
const noteForm = new RegExp(
  [
    '^vendor-cloud\\.audit/([0-9a-f-]{36})/(\\d{4}-(?:0[1-9]|1[0-2]))',
    ...[numberForm, hashForm, `first ${numberForm}`, `last ${numberForm}`],
    ...[`before ${hashForm}`, `end ${hashForm}`, 'time (\\S+)', '', '— '],
  ].join('\n'),
);

/** The segment that a note states, unverified; `undefined` for text that is not one. */
export function readSegment(note: string): Segment | undefined {
  const found = noteForm.exec(note);
  if (!found) return undefined;
  const [, chain = '', month = '', size, root = '', first, last, before = '', end = '', at = ''] = found;
  const segment = {
    ...{ chain, month, size: Number(size), root: hexOfBase64(root) },
    ...{ first: Number(first), last: Number(last), before: hexOfBase64(before), end: hexOfBase64(end), at },
  };
  return segment.last - segment.first + 1 === segment.size ? segment : undefined;
}

/** What a note that was kept says of the end of a log: that of a checkpoint, or of a segment. */
export function readAnchor(note: string): Checkpoint | undefined {
  const segment = readSegment(note);
  if (!segment) return readCheckpoint(note);
  const { chain, last: size, end: hash, at } = segment;
  return { chain, size, hash, at };
}

/** The notes of a file of checkpoints; `undefined` for any other text. */
export function readNotes(text: string): readonly string[] | undefined {
  const notes = text.split(/\n\n(?=vendor-cloud\.audit\/)/).map((note) => `${note.trim()}\n`);
  return notes.every((note) => readAnchor(note)) ? notes : undefined;
}

/** Times in milliseconds since the epoch: the month begins with `start`, the next one with `end`. */
export function monthBounds(month: string): { readonly start: number; readonly end: number } {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return { start: Date.UTC(year, number - 1), end: Date.UTC(year, number) };
}

/** `2026-10` for 202610, as tables have it. */
export function monthName(month: number): string {
  return `${Math.floor(month / 100)}-${String(month % 100).padStart(2, '0')}`;
}

export function monthNumber(name: string): number {
  return Number(name.replace('-', ''));
}
