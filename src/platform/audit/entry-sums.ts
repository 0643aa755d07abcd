import { hash, randomBytes } from 'node:crypto';

/** The entries of this many rows are compared at once. */
const rowsPerBlock = 1_000;

/**
 * Compares what the rows of a log say with a table that is derived from them, in one pass and with a number for each thousand
 * rows. The digests of what the rows say are added, and the digests of what the table has are taken away. Nobody can make two
 * entries with the same digest, because a random key is a part of it.
 */
export class EntrySums {
  readonly #key = randomBytes(32).toString('hex');
  readonly #sums = new Map<number, bigint>();

  /** A row says it. */
  expect(sequence: number, entry: readonly (string | number)[]): void {
    this.#add(sequence, this.#digest(sequence, entry));
  }

  /** The table has it. */
  find(sequence: number, entry: readonly (string | number)[]): void {
    this.#add(sequence, -this.#digest(sequence, entry));
  }

  /** The first rows whose entries are not those of the table. */
  difference(): { readonly from: number; readonly to: number } | undefined {
    const blocks = [...this.#sums].filter(([, sum]) => sum !== 0n).map(([block]) => block);
    if (blocks.length === 0) return undefined;
    const first = Math.min(...blocks) * rowsPerBlock;
    return { from: first + 1, to: first + rowsPerBlock };
  }

  #add(sequence: number, digest: bigint): void {
    const block = Math.floor((sequence - 1) / rowsPerBlock);
    this.#sums.set(block, BigInt.asUintN(256, (this.#sums.get(block) ?? 0n) + digest));
  }

  #digest(sequence: number, entry: readonly (string | number)[]): bigint {
    return BigInt(`0x${hash('sha256', `${this.#key}${JSON.stringify([sequence, ...entry])}`)}`);
  }
}
