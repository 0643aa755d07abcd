import { maxActivitiesPerBatch } from '#contracts/activity';
import { createTaskQueue } from '#kernel/async/task-queue';
import { isDiskFull } from '#node/files/file-errors';
import type { ActEntries } from './activity-entries.ts';
import type { SpoolFolder } from './spool-folder.ts';
import {
  entryBytes,
  type Noted,
  notedOf,
  type SegmentPosition,
  SpoolSegment,
  type WaitingAct,
} from './spool-segment.ts';

/** Entries that are not sent yet, each as JSON. A long act may take several batches. */
export interface SpoolBatch {
  readonly entries: readonly string[];
  /** Forget entries that are stored elsewhere now, and the skipped acts before them. */
  confirm(): void;
}

interface SpoolOptions {
  readonly folder: SpoolFolder;
  readonly maxBytes: number;
  /** When the spool is full: drop the oldest acts that need not stay to make room, or keep them and drop new ones. */
  readonly whenFull: () => 'drop oldest' | 'drop newest';
  /** This many acts were dropped, each with all its entries. */
  readonly onDropped: (count: number) => void;
  /** An act does not fit even into an empty spool: its report is kept, and this many continuations are not. */
  readonly onShortened: (continuations: number) => void;
  /** A file could not be written or removed. */
  readonly onFileFailure: (error: unknown) => void;
}

const segmentsWhenFull = 8;
/** With what is around the entries, a batch is below 512 KiB. */
const maxBatchBytes = 511 * 1024;
/** A write is let pass when as much as its report usually takes is free. */
const usualBytes = 1024;

/**
 * Acts that wait to be sent: in memory, in order, with a copy in files, and no more bytes of them than are allowed. Their
 * entries are texts of JSON without line breaks, as they are written and sent. An act is kept whole or dropped whole. Acts that
 * must stay have files of their own, so that others can be dropped to make room for them.
 */
export class ActivitySpool {
  private readonly options: SpoolOptions;
  private readonly segments: SpoolSegment[] = [];
  private readonly inTurn = createTaskQueue();
  private filesMade = 0;
  private usedBytes = 0;
  private drops = 0;
  private pushed = 0;
  private droppable = 0;
  private nextWrite: Promise<void> | undefined;
  private nextKept: Promise<void> | undefined;
  /** Whether the last attempt to write something succeeded. */
  private isProved = false;
  /** The segments that are added to: the last ones, unless they are full. */
  private readonly current = new Map<boolean, SpoolSegment>();

  constructor(options: SpoolOptions) {
    this.options = options;
  }

  get isEmpty(): boolean {
    return this.segments.length === 0;
  }

  get hasUnsent(): boolean {
    return this.segments.some(({ acts }) => acts.length > 0);
  }

  /** Whether as many acts wait as a batch may have. */
  get hasFullBatch(): boolean {
    let waiting = 0;
    for (const { acts } of this.segments) waiting += acts.length;
    return waiting >= maxActivitiesPerBatch;
  }

  /** How many reports it was given so far that need not stay. */
  get given(): number {
    return this.droppable;
  }

  /** How many of them are in memory only: the last ones. */
  get unwritten(): number {
    return this.segments.reduce((sum, { mustStay, unwrittenCount }) => sum + (mustStay ? 0 : unwrittenCount), 0);
  }

  /** The number of times that the oldest acts were dropped. */
  get timesDropped(): number {
    return this.drops;
  }

  /** Whether the same amount would fit again. */
  get isHalfEmpty(): boolean {
    return this.usedBytes * 2 < this.options.maxBytes;
  }

  /** Add an act that may be dropped. */
  add(act: Noted): void {
    const kept = this.shortened(act);
    if (this.makeRoom(kept.sizeBytes)) this.push(kept, false);
    else this.options.onDropped(1);
  }

  /** Add an act that another agent left, even if there is no room. */
  adopt(act: ActEntries, mustStay: boolean): void {
    this.push(notedOf(act), mustStay);
  }

  /** Whether an act of usual size can be kept, as far as the spool knows: there is room, and the files can be written. */
  get canKeep(): boolean {
    return this.isProved && this.makeRoom(usualBytes);
  }

  /**
   * Add an act that stays, even if there is no room. Resolves once it is in a file that outlives a loss of power. Acts that come
   * while a file is written are written together after it, and so are those that come while `gather` takes. Rejects as `written`
   * does.
   */
  keep(act: ActEntries, gather: () => Promise<void> | void): Promise<void> {
    this.push(notedOf(act), true);
    return this.keptWritten(gather);
  }

  /**
   * Write an act down before it is known how it ends. Resolves, once that is in a file, with what settles it. That takes the
   * outcome under the same id, which is kept even where there is no room. It resolves once the outcome is written, or could not
   * be. `undefined` where there is no room for the intention. Rejects as `written` does.
   */
  async intend(pending: ActEntries): Promise<((outcome: ActEntries) => Promise<void>) | undefined> {
    const intention = notedOf(pending);
    const { sizeBytes } = intention;
    if (!this.makeRoom(sizeBytes)) return undefined;
    const segment = this.segmentFor(sizeBytes, true);
    segment.note(intention);
    segment.open++;
    let isOpen = true;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      segment.open--;
      this.discardWhenDone(segment);
    };
    try {
      await this.keptWritten();
    } catch (error) {
      close();
      throw error;
    }
    return (outcome) => {
      this.push(notedOf(outcome), true, close);
      // When the outcome cannot be written, it stays in memory, and the file keeps what was intended. The failure is reported.
      return this.keptWritten().then(close, () => undefined);
    };
  }

  /** Resolves once everything is in the files. Rejects with `MACHINE_FILE_NOT_WRITABLE` when some is in memory only. */
  written(): Promise<void> {
    this.nextWrite ??= this.inTurn(() => {
      this.nextWrite = undefined;
      return this.write(this.segments);
    });
    return this.nextWrite;
  }

  private keptWritten(gather: () => Promise<void> | void = () => undefined): Promise<void> {
    this.nextKept ??= this.inTurn(async () => {
      await gather();
      this.nextKept = undefined;
      return this.write(this.segments.filter(({ mustStay }) => mustStay));
    });
    return this.nextKept;
  }

  /** The oldest waiting entries, without those of the first `passedOver` acts; `undefined` when there is nothing to send. */
  oldest(count = maxActivitiesPerBatch, passedOver = 0): SpoolBatch | undefined {
    const read = new Map<SpoolSegment, SegmentPosition>();
    const found: string[] = [];
    const batch = { entries: found, confirm: () => this.forget(read) };
    let bytes = 0;
    let left = passedOver;
    for (const { segment, index, act } of this.inOrder(passedOver + count)) {
      const sent = index === 0 ? segment.sentOfFirst : 0;
      for (const [offset, entry] of left > 0 ? [] : act.entries.slice(sent).entries()) {
        bytes += act.entries.length === 1 ? act.sizeBytes : entryBytes([entry]);
        if (found.length === count || (found.length > 0 && bytes > maxBatchBytes)) {
          read.set(segment, { acts: index, entries: sent + offset });
          return batch;
        }
        found.push(entry);
      }
      read.set(segment, { acts: index + 1, entries: 0 });
      left--;
    }
    return found.length > 0 ? batch : undefined;
  }

  /** The oldest acts that wait, in order. */
  private inOrder(most: number): readonly PlacedAct[] {
    const acts = [false, true].flatMap((mustStay) => [...actsOf(this.segments, mustStay, most)]);
    return acts.sort((first, second) => first.act.order - second.act.order).slice(0, most);
  }

  private forget(read: ReadonlyMap<SpoolSegment, SegmentPosition>): void {
    for (const [segment, position] of read) {
      if (!this.segments.includes(segment)) continue;
      segment.forget(position);
      this.discardWhenDone(segment);
    }
  }

  private push({ entries, sizeBytes }: Noted, mustStay: boolean, onSent?: () => void): void {
    this.pushed++;
    if (!mustStay) this.droppable++;
    this.segmentFor(sizeBytes, mustStay).push({ entries, sizeBytes, onSent, order: this.pushed });
  }

  private shortened(act: Noted): Noted {
    const [report, ...continuations] = act.entries;
    if (continuations.length === 0 || act.sizeBytes <= this.options.maxBytes) return act;
    this.options.onShortened(continuations.length);
    return notedOf([report]);
  }

  private makeRoom(sizeBytes: number): boolean {
    const { maxBytes, whenFull, onDropped } = this.options;
    while (whenFull() === 'drop oldest' && this.usedBytes + sizeBytes > maxBytes) {
      const oldest = this.segments.find(({ mustStay }) => !mustStay);
      if (!oldest) break;
      this.drops += 1;
      onDropped(oldest.acts.length);
      this.discard(oldest);
    }
    return this.usedBytes + sizeBytes <= maxBytes;
  }

  private segmentFor(sizeBytes: number, mustStay: boolean): SpoolSegment {
    this.usedBytes += sizeBytes;
    const current = this.current.get(mustStay);
    if (current && current.sizeBytes + sizeBytes <= this.options.maxBytes / segmentsWhenFull) return current;
    const segment = new SpoolSegment(`${++this.filesMade}.jsonl`, mustStay);
    this.current.set(mustStay, segment);
    this.segments.push(segment);
    return segment;
  }

  private discardWhenDone(segment: SpoolSegment): void {
    if (segment.isDone && this.segments.includes(segment)) this.discard(segment);
  }

  private discard(segment: SpoolSegment): void {
    this.segments.splice(this.segments.indexOf(segment), 1);
    this.usedBytes -= segment.sizeBytes;
    if (this.current.get(segment.mustStay) === segment) this.current.delete(segment.mustStay);
    segment.takeUnwritten();
    if (!segment.hasFile) return;
    // If a file stays, the agent that finds it sends it again, and the platform stores each activity once.
    this.inTurn(() => this.options.folder.remove(segment.file)).catch(this.options.onFileFailure);
  }

  private async write(segments: readonly SpoolSegment[]): Promise<void> {
    const failures: unknown[] = [];
    for (const segment of [...segments]) {
      const taken = segment.takeUnwritten();
      if (taken.length === 0) continue;
      try {
        await this.append(segment, taken);
        this.isProved = failures.length === 0;
      } catch (error) {
        this.isProved = false;
        failures.push(error);
      }
    }
    if (failures.length === 0) return;
    this.options.onFileFailure(failures[0]);
    throw failures[0];
  }

  private async append(segment: SpoolSegment, taken: readonly Noted[]): Promise<void> {
    const append = () => this.options.folder.append(segment.file, segment.textOf(taken), segment.mustStay);
    try {
      await append().catch(async (error: unknown) => {
        if (!segment.mustStay || !isDiskFull(error) || !(await this.freeDisk())) throw error;
        segment.wrote([], false);
        await append();
      });
      segment.wrote(taken, true);
    } catch (error) {
      segment.wrote(taken, false);
      throw error;
    }
  }

  /** Remove the files of acts that need not stay; the acts stay in memory. Whether there were any. */
  private async freeDisk(): Promise<boolean> {
    const found = this.segments.filter(({ mustStay, hasFile }) => !mustStay && hasFile);
    for (const segment of found) {
      segment.loseFile();
      await this.options.folder.remove(segment.file);
    }
    return found.length > 0;
  }
}

/** An act, and its place in its segment. */
interface PlacedAct {
  readonly segment: SpoolSegment;
  readonly index: number;
  readonly act: WaitingAct;
}

function* actsOf(segments: readonly SpoolSegment[], mustStay: boolean, most: number): Generator<PlacedAct> {
  let left = most;
  for (const segment of segments) {
    if (segment.mustStay !== mustStay) continue;
    for (const [index, act] of segment.acts.entries()) {
      if (left-- === 0) return;
      yield { segment, index, act };
    }
  }
}
