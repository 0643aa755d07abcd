import * as z from 'zod';
import type { ActLine } from './act-line.ts';
import type { ActStretch, ReadStretch } from './act-stretch.ts';
import { ChainCheck } from './chain-check.ts';
import type { CheckpointKey } from './checkpoint.ts';
import { genesisSchema } from './export-lines.ts';
import { MerkleTree } from './merkle-tree.ts';
import { readSegment, type Segment } from './segment.ts';
import { BrokenLog, type Verdict, verdictOf } from './verdict.ts';
import { type Lines, readParts, takeLines, takeRow } from './verify-export.ts';

/** The first line of a segment in a file. Its rows follow, as lines of an export. */
const segmentStartSchema = z.object({
  object: z.literal('segment'),
  /** The newest format is 1. Another version of vendor-cloud may write a newer one. */
  format: z.literal(1),
  genesis: genesisSchema,
  /** Signed. */
  note: z.string(),
  /** Public keys of the platform. Trust them only when they come from elsewhere too. */
  keys: z.array(z.string()),
});

export type SegmentStart = z.output<typeof segmentStartSchema>;

/** Whether a file with this first line holds a segment. */
export function isSegmentStart(line: string): boolean {
  return line.startsWith('{"object":"segment"');
}

/** The first row of a segment, by the first line of its file; `undefined` for a line that does not say it. */
export function firstRowOf(line: string): number | undefined {
  try {
    return readSegment(startIn(line).note)?.first;
  } catch (error) {
    // Whoever verifies the line says what is wrong with it.
    if (error instanceof BrokenLog) return undefined;
    throw error;
  }
}

/**
 * Verify one segment of a log without the rows before and after it: every row, the links between them, the root of their tree, and its
 * signature.
 */
export async function verifySegment(
  lines: Lines,
  { keys, anchors }: { readonly keys: readonly CheckpointKey[]; readonly anchors: readonly string[] },
): Promise<Verdict> {
  let reader: SegmentReader | undefined;
  let problem: Verdict['problem'] = null;
  try {
    let isTooNew = false;
    for await (const part of readParts(lines)) {
      takeLines(part, (read, act) => {
        const line = typeof read === 'string' ? read : '';
        if (reader) return reader.take(read, act);
        isTooNew = newerFormatOf(line) !== undefined;
        if (!isTooNew) reader = new SegmentReader(line, keys, anchors);
        return !isTooNew;
      });
      if (isTooNew) return tooNew;
    }
    if (!reader) throw new BrokenLog('unreadable', 0, 'The segment has no first line.');
    reader.finish();
  } catch (error) {
    if (!(error instanceof BrokenLog)) throw error;
    problem = error.problem;
  }
  const missing = [
    ...(reader && !reader.isWhole ? ['The segment was cut off: rows at its end are missing.'] : []),
    ...(keys.length === 0 ? ['No public key of the platform is known from elsewhere.'] : []),
  ];
  const isSigned = keys.length > 0 && !problem;
  return {
    ...verdictOf(reader?.check, { problem, missing }),
    chain: reader?.segment.chain ?? null,
    checkpoint: isSigned ? (reader?.note ?? null) : null,
  };
}

/** What this version cannot verify may well hold. */
const tooNew: Verdict = {
  ...{ outcome: 'unverifiable', chain: null, rows: 0, first: null, last: null, problem: null, checkpoint: null },
  missing: ['The segment is of a newer format than this vendor-cloud knows: update it.'],
};

class SegmentReader {
  readonly note: string;
  readonly segment: Segment;
  readonly check: ChainCheck;
  readonly #tree = new MerkleTree();

  constructor(line: string, keys: readonly CheckpointKey[], anchors: readonly string[]) {
    const { genesis, note } = startIn(line);
    const segment = readSegment(note);
    if (segment?.chain !== genesis.chain) {
      throw new BrokenLog('unreadable', 0, 'The note of the segment cannot be read, or is of another log.');
    }
    const { first, last, before, chain } = segment;
    const own = anchors.filter((each) => {
      const said = readSegment(each);
      return said?.chain === chain && said.month === segment.month && said.last <= last;
    });
    this.note = note;
    this.segment = segment;
    this.check = new ChainCheck({
      ...{ genesis, after: first - 1, previousHash: before, hasGaps: false, keys },
      anchors: [...own, note],
    });
    // The file does not say when its rows were read, and later rows of the log may say what was erased.
    this.check.beginPart(0);
  }

  get isWhole(): boolean {
    return this.#tree.size === this.segment.size;
  }

  readonly take = (read: string | ReadStretch, act: ActLine | undefined): true => {
    if (typeof read === 'string') this.#takeLine(read, act);
    else if (!this.#takeStretch(read.stretch)) takeLines(read.lines(), this.take);
    return true;
  };

  /** False where the acts do not join: then their lines tell what is wrong. */
  #takeStretch(stretch: ActStretch): boolean {
    const { from, to, first, last, subtrees } = stretch;
    const isOfMonth = [from, to].every((time) => time.slice(0, 7) === this.segment.month);
    const isWithin = first === this.check.last + 1 && last <= this.segment.last;
    if (!isOfMonth || !isWithin || !this.check.takeStretch(stretch)) return false;
    for (const { height, root } of subtrees) this.#tree.addSubtree(height, root);
    return true;
  }

  #takeLine(line: string, act: ActLine | undefined): void {
    const next = this.check.last + 1;
    if (this.isWhole) throw new BrokenLog('order', next, 'The file has more rows than the segment.');
    const place = takeRow(this.check, line, act);
    if (!place || !this.check.leaf) throw new BrokenLog('order', next, `Row ${this.check.last} comes twice.`);
    if (place.sequence !== next) throw new BrokenLog('gap', next, `Row ${next} is missing.`);
    if (place.createdAt.slice(0, 7) !== this.segment.month) {
      throw new BrokenLog('time', place.sequence, `Row ${place.sequence} is of another month.`);
    }
    this.#tree.add(this.check.leaf);
  }

  finish(): void {
    if (!this.isWhole || this.#tree.root() === this.segment.root) return;
    throw new BrokenLog('segment', this.segment.first, 'The rows are not those that were signed as the segment.');
  }
}

function startIn(line: string): SegmentStart {
  try {
    const read = segmentStartSchema.safeParse(JSON.parse(line));
    if (read.success) return read.data;
  } catch {
    // Told below.
  }
  throw new BrokenLog('unreadable', 0, 'The first line is not that of a segment.');
}

const newerFormat = z.object({ object: z.literal('segment'), format: z.number().gt(1) });

/** The format of a segment that this version does not know. */
function newerFormatOf(line: string): number | undefined {
  try {
    return newerFormat.safeParse(JSON.parse(line)).data?.format;
  } catch {
    // Told by who reads the line.
    return undefined;
  }
}
