import type { Commitments } from './disclosures.ts';
import { type ErasureEntry, readRanges } from './erasure.ts';
import { BrokenLog } from './verdict.ts';
import type { CheckedChain } from './verified-part.ts';

/**
 * Checks the personal values of the rows of a chain, one row after another. Each is the one that was written, or an erasure further
 * behind says that it was deleted. Every method but `begin` throws a `BrokenLog`.
 */
export class DisclosureCheck {
  /** What is missing until an erasure says so: places, by row. */
  readonly #missing: Map<number, Set<string>>;
  /** How long the log was when the rows from here on were read. */
  readonly #readings: { readonly from: number; readonly size: number }[];

  /** @param before What an earlier check has seen, to go on behind it. */
  constructor(before?: Pick<CheckedChain, 'missing' | 'readings'>) {
    this.#missing = new Map(before?.missing.map(([sequence, places]) => [sequence, new Set(places)]));
    this.#readings = [...(before?.readings ?? [])];
  }

  /** What has to be known to go on. */
  seen(): Pick<CheckedChain, 'missing' | 'readings'> {
    const missing = [...this.#missing].map(([sequence, places]): [number, string[]] => [sequence, [...places]]);
    return { missing, readings: [...this.#readings] };
  }

  /**
   * Rows from here on were read when the log had `size` rows. Later erasures may or may not have been done by then. Without a call,
   * all rows were read at once.
   */
  begin(from: number, size: number): void {
    this.#readings.push({ from, size });
  }

  take(sequence: number, committed: unknown, disclosed: Commitments): void {
    const expected = (committed ?? {}) as Commitments;
    for (const place in disclosed) {
      if (disclosed[place] !== expected[place]) {
        throw new BrokenLog('disclosure', sequence, `Row ${sequence} has another value at ${place} than was written.`);
      }
    }
    for (const place in expected) {
      if (!(place in disclosed)) this.#miss(sequence, place);
    }
  }

  #miss(sequence: number, place: string): void {
    const places = this.#missing.get(sequence);
    if (places) places.add(place);
    else this.#missing.set(sequence, new Set([place]));
  }

  /** @param first The first row that was checked; erasures of rows before it are not looked at. */
  takeErasure(erasure: ErasureEntry, sequence: number, first: number): void {
    for (const [place, text] of Object.entries(erasure.erased ?? {})) {
      const ranges = readRanges(text);
      if (!ranges || (ranges.at(-1)?.to ?? 0) >= sequence) {
        throw new BrokenLog('disclosure', sequence, `The erasure in row ${sequence} does not say what was deleted.`);
      }
      for (const { from, to } of ranges) {
        for (let row = Math.max(from, first); row <= to; row++) this.#erase(row, place, sequence);
      }
    }
  }

  #erase(row: number, place: string, erasedIn: number): void {
    const places = this.#missing.get(row);
    if (places?.delete(place)) {
      if (places.size === 0) this.#missing.delete(row);
      return;
    }
    const size = this.#readings.findLast(({ from }) => from <= row)?.size ?? Number.POSITIVE_INFINITY;
    if (erasedIn > size) return;
    throw new BrokenLog('disclosure', row, `Row ${row} has a value at ${place} that row ${erasedIn} says is erased.`);
  }

  /** All rows of the log were taken. */
  finish(): void {
    const [missing] = this.#missing;
    if (!missing) return;
    const [sequence, places] = missing;
    const names = [...places].join(' and ');
    throw new BrokenLog('disclosure', sequence, `Row ${sequence} has lost its ${names}, and no erasure says so.`);
  }
}
