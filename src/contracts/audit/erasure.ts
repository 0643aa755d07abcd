import { canonicalJson } from '#kernel/json/canonical-json';
import { type CheckpointKey, isSignedBy } from './checkpoint.ts';

/** Values of a person were deleted from rows of the same log. Nothing that was hashed is changed. */
export interface ErasureEntry {
  readonly object: 'erasure';
  readonly id: string;
  /** By the place of the value: the rows, as `3-7,9`. */
  readonly erased: Readonly<Record<string, string>>;
  /** What the operator says of it, such as the number of a ticket. */
  readonly reference?: string | undefined;
  /** Who did it, as the operator says. Rows of earlier platforms do not have it. */
  readonly by?: string | undefined;
  /** ISO 8601. */
  readonly at: string;
  /** What the members above say of this log, as a note that the platform has signed. */
  readonly note: string;
}

export type ErasureStatement = Omit<ErasureEntry, 'object' | 'id' | 'note'>;

export function isSignedErasure(chain: string, entry: ErasureEntry, keys: readonly CheckpointKey[]): boolean {
  return (
    typeof entry.note === 'string' &&
    entry.note.startsWith(`${erasureText(chain, entry)}\n`) &&
    isSignedBy(entry.note, keys)
  );
}

/** What is signed of an erasure. */
export function erasureText(chain: string, { erased, reference, by, at }: ErasureStatement): string {
  return `vendor-cloud.audit.erasure/${chain}\n${canonicalJson({ erased, reference, by, at })}\n`;
}

/** How many rows an erasure names. One that lost several values counts once. */
export function erasedRows({ erased }: Pick<ErasureEntry, 'erased'>): number {
  const ranges = Object.values(erased).flatMap((text) => readRanges(text) ?? []);
  let count = 0;
  let counted = 0;
  for (const { from, to } of ranges.sort((one, other) => one.from - other.from)) {
    if (to > counted) count += to - Math.max(from - 1, counted);
    counted = Math.max(counted, to);
  }
  return count;
}

/** Rows as a short text: `3-7,9`. @param sequences Sorted, each once. */
export function rangesOf(sequences: readonly number[]): string {
  const ranges: { readonly from: number; to: number }[] = [];
  for (const sequence of sequences) {
    const last = ranges.at(-1);
    if (last?.to === sequence - 1) last.to = sequence;
    else ranges.push({ from: sequence, to: sequence });
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** What `rangesOf` wrote; `undefined` for any other text. */
export function readRanges(text: unknown): readonly Range[] | undefined {
  if (typeof text !== 'string') return undefined;
  const ranges: Range[] = [];
  for (const part of text.split(',')) {
    const [, from = '', to = from] = /^([1-9]\d{0,15})(?:-([1-9]\d{0,15}))?$/.exec(part) ?? [];
    const range = { from: Number(from), to: Number(to) };
    if (from === '' || range.to < range.from || range.from <= (ranges.at(-1)?.to ?? 0)) return undefined;
    ranges.push(range);
  }
  return ranges;
}
