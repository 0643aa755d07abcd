import { type CheckpointKey, isSignedBy } from '#contracts/audit/checkpoint';
import { cosignedAt } from '#contracts/audit/cosignature';
import { MerkleTree } from '#contracts/audit/merkle-tree';
import { monthName, monthNumber, readSegment, type Segment } from '#contracts/audit/segment';
import { BrokenLog } from '#contracts/audit/verdict';
import { EntrySums } from './entry-sums.ts';
import { tileWidth } from './segment-tree.ts';
import type { StoredRow } from './stored-row.ts';

export interface StoredSegmentsInput {
  /** Its row in `audit_chains`. */
  readonly chain: StoredRow;
  readonly keys: readonly CheckpointKey[];
  /** Its rows in `audit_segments` and in `audit_cosignatures`. */
  readonly segments: readonly StoredRow[];
  readonly cosignatures: readonly StoredRow[];
  /** Notes of segments that are kept elsewhere. */
  readonly kept: readonly Segment[];
  /** The first row that the register says to be in a segment; `undefined` for a log without. */
  readonly from: number | undefined;
  /** The months before this row must be signed: a checkpoint of it says so. */
  readonly signedTo: number;
}

/** A row as the log has it. */
interface TreeRow {
  readonly sequence: number;
  /** 202610. */
  readonly month: number;
  readonly leaf: string;
  readonly hash: string;
  readonly previousHash: string;
}

/** The tree of one month, as far as its rows have been read. */
interface Growing {
  readonly month: number;
  readonly first: number;
  readonly tree: MerkleTree;
  /** What was signed of it, by how many rows it had. */
  readonly heads: ReadonlyMap<number, readonly Segment[]>;
}

/**
 * Compares the segments of a log with its rows, in the pass that reads them. These are the root of every month, what other machines have
 * signed, and the nodes that the store keeps. Every method throws a `BrokenLog`.
 */
export class StoredSegmentsCheck {
  readonly #input: StoredSegmentsInput;
  /** By month. */
  readonly #segments: ReadonlyMap<string, Segment>;
  readonly #heads: readonly Segment[];
  readonly #nodes = new EntrySums();
  /** By month: how many rows have nodes. */
  readonly #grown = new Map<number, number>();
  readonly #firstSequence: number;
  /** The segment that has lost some of its rows, and the hashes of those that are proved together with rows that are left. */
  readonly #cut: { readonly segment: Segment; readonly tree: MerkleTree; readonly edge: string[] } | undefined;
  #growing: Growing | undefined;

  constructor(input: StoredSegmentsInput) {
    this.#input = input;
    this.#firstSequence = Number(input.chain['first_sequence']);
    const segments = input.segments.map((row) => this.#signed(row));
    this.#segments = new Map(segments.map((segment) => [segment.month, segment]));
    this.#heads = [...segments, ...input.cosignatures.map((row) => this.#cosigned(row)), ...input.kept];
    this.#checkOrder(segments);
    const segment = segments.find(({ first, last }) => first < this.#firstSequence && last >= this.#firstSequence);
    if (segment) this.#cut = { segment, tree: this.#newTree(segment.month), edge: [] };
  }

  /** A row of `audit_nodes`. They come before the rows, by month, level and position. */
  takeNode(row: StoredRow): void {
    const [month, level, position, hash] = [row['month'], row['level'], row['position'], row['hash']].map(nodeValue);
    const cut = this.#cut;
    const cutRows = cut && this.#firstSequence - cut.segment.first;
    if (cut && cutRows !== undefined && month === monthNumber(cut.segment.month)) {
      const wholeTiles = Math.floor(cutRows / tileWidth);
      if (level === 0) {
        if (position !== wholeTiles * tileWidth + cut.edge.length || Number(position) >= cutRows)
          throw wrongNodes(cut.segment);
        cut.edge.push(String(hash));
        return;
      }
      // Nothing else is left of the rows below; the root proves it.
      if (level === 1 && Number(position) < wholeTiles) {
        if (position !== cut.tree.size / tileWidth) throw wrongNodes(cut.segment);
        cut.tree.addSubtree(8, String(hash));
        this.#grown.set(Number(month), cut.tree.size);
        return;
      }
    }
    if (level === 1) this.#grown.set(Number(month), (Number(position) + 1) * tileWidth);
    this.#nodes.find(1, [Number(month), Number(level), Number(position), String(hash)]);
  }

  takeRow({ sequence, month, leaf, hash, previousHash }: TreeRow): void {
    if (this.#growing?.month !== month) {
      this.#endMonth(sequence);
      this.#growing = this.#begin(month, sequence, previousHash);
    }
    const { tree, heads } = this.#growing;
    tree.add(leaf);
    for (const head of heads.get(tree.size) ?? []) {
      if (head.root !== tree.root() || head.end !== hash) throw differs(head);
    }
  }

  /** Behind the last row. */
  finish(): void {
    this.#endMonth(undefined);
    const found = this.#nodes.difference();
    if (found) throw new BrokenLog('segment', 0, 'The nodes of a segment are not those that its rows make.');
  }

  /** The segment in a row, whose columns must say what it says. */
  #signed(row: StoredRow): Segment {
    const note = String(row['note']);
    const segment = readSegment(note);
    const { chain, keys } = this.#input;
    if (!segment || segment.chain !== chain['chain'] || monthNumber(segment.month) !== row['month']) {
      throw new BrokenLog('segment', 0, 'A segment in the store is found by something else than it says.');
    }
    if (!isSignedBy(note, keys)) {
      throw new BrokenLog('signature', segment.first, `The segment ${segment.month} is not signed by a known key.`);
    }
    return segment;
  }

  #cosigned(row: StoredRow): Segment {
    const segment = this.#signed(row);
    if (cosignedAt(String(row['note']), String(row['cosigner'])) !== undefined) return segment;
    throw new BrokenLog('signature', segment.first, `The cosignature of ${segment.month} is not that of its machine.`);
  }

  /** Each begins where the one before it ends. */
  #checkOrder(segments: readonly Segment[]): void {
    const { from } = this.#input;
    let next = from ?? segments[0]?.first ?? 1;
    let end: string | undefined;
    for (const segment of segments) {
      if (segment.first !== next) throw missing(next);
      if (end !== undefined && segment.before !== end) throw differs(segment);
      next = segment.last + 1;
      end = segment.end;
    }
    // Rows stay until they are signed.
    if (from !== undefined && this.#firstSequence > next) throw missing(next);
    for (const { month, size, root } of this.#heads) {
      const segment = this.#segments.get(month);
      if (segment?.size === size && segment.root !== root) throw differs(segment);
    }
  }

  #begin(month: number, sequence: number, previousHash: string): Growing {
    const name = monthName(month);
    const heads = Map.groupBy(
      this.#heads.filter((head) => head.month === name),
      ({ size }) => size,
    );
    const cut = this.#cut?.segment.month === name ? this.#cut : undefined;
    const first = cut?.segment.first ?? sequence;
    for (const edge of cut?.edge ?? []) cut?.tree.add(edge);
    const tree = cut?.tree ?? this.#newTree(name);
    for (const head of [...heads.values()].flat()) {
      if (head.first !== first || first + tree.size !== sequence || (!cut && head.before !== previousHash)) {
        throw differs(head);
      }
    }
    return { month, first, tree, heads };
  }

  /** @param next The first row behind the month. */
  #endMonth(next: number | undefined): void {
    if (!this.#growing) return;
    const { month, first, tree, heads } = this.#growing;
    const longest = Math.max(0, ...heads.keys());
    if (longest > tree.size) {
      const message = `The segment ${monthName(month)} had ${longest} rows once, and has ${tree.size} now.`;
      throw new BrokenLog('segment', first + tree.size, message);
    }
    const { from, signedTo } = this.#input;
    const isDue = from !== undefined && next !== undefined && next <= signedTo;
    if (isDue && this.#segments.get(monthName(month))?.size !== tree.size) throw missing(first);
  }

  #newTree(month: string): MerkleTree {
    const number = monthNumber(month);
    const signed = this.#segments.get(month)?.size ?? 0;
    return new MerkleTree((height, position, hash) => {
      if (height % 8 !== 0) return;
      const isKept = (position + 1) * 2 ** height <= Math.max(signed, this.#grown.get(number) ?? 0);
      if (isKept) this.#nodes.expect(1, [number, height / 8, position, hash]);
    });
  }
}

function nodeValue(value: StoredRow[string] | undefined): number | string {
  return typeof value === 'number' ? value : String(value);
}

function missing(first: number): BrokenLog {
  return new BrokenLog('segment', first, `The segment that begins with row ${first} is missing, and was signed.`);
}

function differs({ month, first }: Segment): BrokenLog {
  return new BrokenLog('segment', first, `The rows of ${month} are not those that were signed as its segment.`);
}

function wrongNodes({ month, first }: Segment): BrokenLog {
  return new BrokenLog('segment', first, `The nodes of the segment ${month} are not those of its rows.`);
}
