import { readActLines } from './act-line.ts';
import { type Subtree, subtreesOf } from './merkle-tree.ts';

/** Acts that follow one another in a text of lines. Each of them was verified by itself, and is linked to the one before. */
export interface ActStretch {
  readonly chain: string;
  /** Sequences. */
  readonly first: number;
  readonly last: number;
  /** What the first one is linked to, and the hash of the last one. */
  readonly previousHash: string;
  readonly hash: string;
  /** `createdAt` of the first and of the last one; each is later than the one before. */
  readonly from: string;
  readonly to: string;
  /** The parts of the tree of a segment that they are; none outside of a segment. */
  readonly subtrees: readonly Subtree[];
  /** Where their lines are in the text, with the end of the last one. */
  readonly start: number;
  readonly end: number;
}

/** A stretch, and its lines for whoever finds that it does not join to the rows around it. */
export interface ReadStretch {
  readonly stretch: ActStretch;
  lines(): readonly string[];
}

export interface StretchLimits {
  /** Sequences that a stretch ends with, because somebody wants to know the hash of that row. */
  readonly ends: ReadonlySet<number>;
  /** The first row of the segment that the rows are of. */
  readonly segmentFirst?: number | undefined;
}

const linesReadTogether = 64;

/**
 * Verify what can be verified of some lines without those before them: any thread may do that. The acts that hold become stretches. All
 * other lines stay as they are, also those of acts that do not hold: whoever takes them says what is wrong.
 *
 * @param text Whole lines, each with its end.
 */
export function readStretches(text: string, { ends, segmentFirst }: StretchLimits): readonly (string | ActStretch)[] {
  const read: (string | ActStretch)[] = [];
  const growing = new GrowingStretch(segmentFirst);
  const close = () => {
    const stretch = growing.close();
    if (stretch) read.push(stretch);
  };
  let start = 0;
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += linesReadTogether) {
    const together = lines.slice(at, at + linesReadTogether);
    for (const [index, act] of readActLines(together).entries()) {
      const line = together[index] ?? '';
      const end = start + line.length + 1;
      if (!act || act.linkHash !== act.hash) {
        close();
        if (line !== '') read.push(line);
      } else {
        if (!growing.isContinuedBy(act)) close();
        growing.add(act, start, end);
        if (ends.has(act.sequence)) close();
      }
      start = end;
    }
  }
  close();
  return read;
}

type Act = NonNullable<ReturnType<typeof readActLines>[number]>;

/** The stretch that the next act may belong to. */
class GrowingStretch {
  readonly #segmentFirst: number | undefined;
  readonly #leaves: string[] = [];
  #first: { readonly act: Act; readonly start: number } | undefined;
  #last: { readonly act: Act; readonly end: number } | undefined;

  constructor(segmentFirst: number | undefined) {
    this.#segmentFirst = segmentFirst;
  }

  isContinuedBy({ chain, sequence, previousHash, createdAt }: Act): boolean {
    const last = this.#last?.act;
    if (!last) return true;
    return (
      chain === last.chain && sequence === last.sequence + 1 && previousHash === last.hash && createdAt > last.createdAt
    );
  }

  add(act: Act, start: number, end: number): void {
    this.#first ??= { act, start };
    this.#last = { act, end };
    if (this.#segmentFirst !== undefined) this.#leaves.push(act.leaf);
  }

  close(): ActStretch | undefined {
    const [first, last] = [this.#first, this.#last];
    if (!first || !last) return undefined;
    const { chain, sequence, previousHash, createdAt: from } = first.act;
    const place = sequence - (this.#segmentFirst ?? sequence);
    const subtrees = place < 0 ? [] : subtreesOf(place, this.#leaves);
    this.#leaves.length = 0;
    this.#first = undefined;
    this.#last = undefined;
    return {
      ...{ chain, first: sequence, last: last.act.sequence, previousHash, hash: last.act.hash },
      ...{ from, to: last.act.createdAt, subtrees, start: first.start, end: last.end },
    };
  }
}
