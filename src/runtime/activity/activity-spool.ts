import { maxActivitiesPerBatch } from '#contracts/activity';
import { createTaskQueue } from '#kernel/async/task-queue';
import type { ActEntries } from './activity-entries.ts';
import type { SpoolFolder } from './spool-folder.ts';
import { entryBytes, type Noted, type SegmentPosition, SpoolSegment } from './spool-segment.ts';

/** Entries that are not sent yet, each as JSON. A long act may take several batches. */
export interface SpoolBatch {
  readonly entries: readonly string[];
  /** Forget entries that are stored elsewhere now, and the skipped acts before them. */
  confirm(): void;
}

interface SpoolOptions {
  readonly folder: SpoolFolder;
  readonly maxBytes: number;
  /** When the spool is full: drop the oldest acts to make room, or keep them and drop new ones. */
  readonly whenFull: () => 'drop oldest' | 'drop newest';
  /** This many acts were dropped, each with all its entries. */
  readonly onDropped: (count: number) => void;
  /** An act does not fit even into an empty spool: its report is kept, and this many continuations are not. */
  readonly onShortened: (continuations: number) => void;
  /** A file could not be written or removed. */
  readonly onFileFailure: (error: unknown) => void;
}

function sized(entries: ActEntries): Noted {
  return { entries, sizeBytes: entryBytes(entries) };
}

const segmentsWhenFull = 8;
/** With what is around the entries, a batch is below 512 KiB. */
const maxBatchBytes = 511 * 1024;

/**
 * Acts that wait to be sent: in memory, in order, with a copy in files, and no more bytes of them than are allowed. Their
 * entries are texts of JSON without line breaks, as they are written and sent. An act is kept whole or dropped whole.
 */
export class ActivitySpool {
  private readonly options: SpoolOptions;
  private readonly segments: SpoolSegment[] = [];
  private readonly inTurn = createTaskQueue();
  private filesMade = 0;
  private usedBytes = 0;
  private drops = 0;
  private givenCount = 0;
  private nextWrite: Promise<void> | undefined;
  /** The segment that is added to: the last, unless its file is full or could not be written. */
  private current: SpoolSegment | undefined;

  constructor(options: SpoolOptions) {
    this.options = options;
  }

  get isEmpty(): boolean {
    return this.segments.length === 0;
  }

  get hasUnsent(): boolean {
    return this.segments.some(({ count }) => count > 0);
  }

  /** Whether as many acts wait as a batch may have. */
  get hasFullBatch(): boolean {
    let acts = 0;
    for (const { count } of this.segments) acts += count;
    return acts >= maxActivitiesPerBatch;
  }

  /** How many reports it was given so far, and intentions. */
  get given(): number {
    return this.givenCount;
  }

  /** How many of them are in memory only: the last ones. */
  get unwritten(): number {
    return this.segments.reduce((sum, segment) => sum + segment.unwrittenCount, 0);
  }

  /** The number of times that the oldest acts were dropped. */
  get timesDropped(): number {
    return this.drops;
  }

  /** Whether the same amount would fit once more. */
  get isHalfEmpty(): boolean {
    return this.usedBytes * 2 < this.options.maxBytes;
  }

  /** Keep an act; an `isOwed` one even where there is no room. */
  add(act: ActEntries, isOwed = false): void {
    const kept = isOwed ? sized(act) : this.shortened(sized(act));
    if (isOwed || this.makeRoom(kept.sizeBytes)) this.push(kept);
    else this.options.onDropped(1);
  }

  /**
   * Write an act down before it is known how it ends. Resolves, once that is in a file, with what settles it: to
   * be called with the outcome under the same id, which is kept even where there is no room. `undefined` where there is no room
   * for the intention. Rejects as `written` does.
   */
  async intend(pending: ActEntries): Promise<((outcome: ActEntries) => void) | undefined> {
    const intention = sized(pending);
    const { sizeBytes } = intention;
    if (!this.makeRoom(sizeBytes)) return undefined;
    const segment = this.segmentFor(sizeBytes);
    segment.note(intention);
    segment.open++;
    segment.mustStay = true;
    let isOpen = true;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      segment.open--;
      this.discardWhenDone(segment);
    };
    try {
      await this.written();
    } catch (error) {
      close();
      throw error;
    }
    return (outcome) => {
      this.push(sized(outcome), close).mustStay = true;
      // When the outcome cannot be written, it stays in memory, and the file keeps what was intended. The failure is reported.
      void this.written().then(close, () => undefined);
    };
  }

  /** Resolves once everything is in the files. Rejects with `MACHINE_FILE_NOT_WRITABLE` when some is in memory only. */
  written(): Promise<void> {
    this.nextWrite ??= this.inTurn(() => this.writeAll());
    return this.nextWrite;
  }

  /** The oldest waiting entries, without those of the first `passedOver` acts; `undefined` when there is nothing to send. */
  oldest(count = maxActivitiesPerBatch, passedOver = 0): SpoolBatch | undefined {
    const read = new Map<SpoolSegment, SegmentPosition>();
    let left = passedOver;
    for (const segment of this.segments) {
      if (segment.count > left) {
        const { entries, end } = segment.from(left, count, maxBatchBytes);
        read.set(segment, end);
        return { entries, confirm: () => this.forget(read) };
      }
      read.set(segment, { acts: segment.count, entries: 0 });
      left -= segment.count;
    }
    return undefined;
  }

  private forget(read: ReadonlyMap<SpoolSegment, SegmentPosition>): void {
    for (const [segment, position] of read) {
      if (!this.segments.includes(segment)) continue;
      segment.forget(position);
      this.discardWhenDone(segment);
    }
  }

  private push({ entries, sizeBytes }: Noted, onSent?: () => void): SpoolSegment {
    const segment = this.segmentFor(sizeBytes);
    segment.push({ entries, sizeBytes, onSent });
    return segment;
  }

  private shortened(act: Noted): Noted {
    const [report, ...continuations] = act.entries;
    if (continuations.length === 0 || act.sizeBytes <= this.options.maxBytes) return act;
    this.options.onShortened(continuations.length);
    return sized([report]);
  }

  private makeRoom(sizeBytes: number): boolean {
    const { maxBytes, whenFull, onDropped } = this.options;
    while (whenFull() === 'drop oldest' && this.usedBytes + sizeBytes > maxBytes) {
      const oldest = this.segments.find(({ mustStay }) => !mustStay);
      if (!oldest) break;
      this.drops += 1;
      onDropped(oldest.count);
      this.discard(oldest);
    }
    return this.usedBytes + sizeBytes <= maxBytes;
  }

  private segmentFor(sizeBytes: number): SpoolSegment {
    this.usedBytes += sizeBytes;
    this.givenCount += 1;
    if (this.current && this.current.sizeBytes + sizeBytes <= this.options.maxBytes / segmentsWhenFull) {
      return this.current;
    }
    this.current = new SpoolSegment(`${++this.filesMade}.jsonl`);
    this.segments.push(this.current);
    return this.current;
  }

  private discardWhenDone(segment: SpoolSegment): void {
    if (segment.isDone && this.segments.includes(segment)) this.discard(segment);
  }

  private discard(segment: SpoolSegment): void {
    this.segments.splice(this.segments.indexOf(segment), 1);
    this.usedBytes -= segment.sizeBytes;
    if (this.current === segment) this.current = undefined;
    segment.takeUnwritten();
    if (!segment.hasFile) return;
    // If a file stays, the agent that finds it sends it again, and the platform stores each activity once.
    this.inTurn(() => this.options.folder.remove(segment.file)).catch(this.options.onFileFailure);
  }

  private async writeAll(): Promise<void> {
    this.nextWrite = undefined;
    const failures: unknown[] = [];
    for (const segment of [...this.segments]) {
      const text = segment.takeUnwritten();
      if (text === '') continue;
      try {
        await this.options.folder.append(segment.file, text);
      } catch (error) {
        // A new line must not continue a line that was written in part.
        if (this.current === segment) this.current = undefined;
        failures.push(error);
      }
    }
    if (failures.length === 0) return;
    this.options.onFileFailure(failures[0]);
    throw failures[0];
  }
}
