import { type ArchivedErasure, type ArchiveManifest, erasedWithin } from '#contracts/audit/archive';
import { ChainCheck } from '#contracts/audit/chain-check';
import type { CheckpointKey } from '#contracts/audit/checkpoint';
import { DisclosureCheck } from '#contracts/audit/disclosure-check';
import type { Commitments } from '#contracts/audit/disclosures';
import { isSignedErasure, rangesOf } from '#contracts/audit/erasure';
import { MerkleTree } from '#contracts/audit/merkle-tree';
import type { AuditEntry, RowPlace } from '#contracts/audit/rows';
import { readSegment, type Segment } from '#contracts/audit/segment';
import { BrokenLog } from '#contracts/audit/verdict';

export interface MonthInput {
  readonly genesis: ArchiveManifest['genesis'];
  /** The signed segment of the month. */
  readonly note: string;
  readonly keys: readonly CheckpointKey[];
  /** Checkpoints and notes of segments that are kept elsewhere. */
  readonly anchors: readonly string[];
}

/** Checks the rows of a month that is over, with their values, one after another. Every method throws a `BrokenLog`. */
export class MonthCheck {
  readonly #input: MonthInput;
  readonly #chain: ChainCheck;
  readonly #disclosures = new DisclosureCheck();
  readonly #tree = new MerkleTree();
  readonly segment: Segment;
  #previousHash: string;

  constructor(input: MonthInput) {
    const { genesis, note, keys, anchors } = input;
    const segment = readSegment(note);
    if (segment?.chain !== genesis.chain) {
      throw new BrokenLog('unreadable', 0, 'The note of the segment cannot be read, or is of another log.');
    }
    this.#input = input;
    this.segment = segment;
    this.#previousHash = segment.before;
    this.#chain = new ChainCheck({
      ...{ genesis, after: segment.first - 1, previousHash: segment.before, hasGaps: false, keys },
      anchors: [...anchors, note],
    });
    // What is missing or erased is compared at the end, with all erasures.
    this.#chain.beginPart(0);
  }

  /** How many rows were taken. */
  get taken(): number {
    return this.#tree.size;
  }

  take(row: { readonly body: string; readonly hash: string; readonly disclosed: Commitments }): AuditEntry & RowPlace {
    const { body, hash, disclosed } = row;
    const next = this.#chain.last + 1;
    if (this.#tree.size === this.segment.size) {
      throw new BrokenLog('order', next, 'There are more rows than the segment has.');
    }
    const entry = this.#chain.take({ body, hash, previousHash: this.#previousHash, disclosed });
    if (!entry || !this.#chain.leaf) throw new BrokenLog('order', next, `Row ${this.#chain.last} comes twice.`);
    if (entry.createdAt.slice(0, 7) !== this.segment.month) {
      throw new BrokenLog('time', entry.sequence, `Row ${entry.sequence} is of another month.`);
    }
    const committed = 'committed' in entry && entry.version === 2 ? entry.committed : undefined;
    this.#disclosures.take(entry.sequence, committed, disclosed);
    this.#previousHash = hash;
    this.#tree.add(this.#chain.leaf);
    return entry;
  }

  /** All rows were taken. @param erasures What was deleted from them, by rows of this or of later months. */
  finish(erasures: readonly ArchivedErasure[]): void {
    const { genesis, keys } = this.#input;
    const { first, last, size, root } = this.segment;
    if (this.#tree.size < size) {
      throw new BrokenLog('truncated', this.#chain.last + 1, `Rows up to ${last} were signed, and are missing.`);
    }
    if (this.#tree.root() !== root) {
      throw new BrokenLog('segment', first, 'The rows are not those that were signed as the segment.');
    }
    const erased = new Map<string, Set<number>>();
    for (const erasure of erasures) {
      const entry = { object: 'erasure', id: '', ...erasure } as const;
      if (keys.length > 0 && !isSignedErasure(genesis.chain, entry, keys)) {
        const { sequence } = erasure;
        throw new BrokenLog('signature', sequence, `The platform has not signed the erasure in row ${sequence}.`);
      }
      for (const [place, row] of erasedWithin(erasure, this.segment)) {
        erased.set(place, (erased.get(place) ?? new Set()).add(row));
      }
    }
    // Two erasures may say the same.
    const places = [...erased].map(([place, rows]) => [place, rangesOf([...rows].sort((one, other) => one - other))]);
    const all = { object: 'erasure', id: '', erased: Object.fromEntries(places), at: '', note: '' } as const;
    this.#disclosures.takeErasure(all, last + 1, first);
    this.#disclosures.finish();
  }
}
