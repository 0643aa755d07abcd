import { maxActivitiesPerBatch } from '#contracts/activity';
import { createTaskQueue } from '#kernel/async/task-queue';
import type { SpoolFolder } from './spool-folder.ts';
import { lineBytes, SpoolSegment } from './spool-segment.ts';

/** Activities that are not sent yet, each as JSON. */
export interface SpoolBatch {
  readonly activities: readonly string[];
  /** Forget activities that are stored elsewhere now, and the skipped ones before them. */
  confirm(): void;
}

interface SpoolOptions {
  readonly folder: SpoolFolder;
  readonly maxBytes: number;
  /** When the spool is full: drop the oldest activities to make room, or keep them and drop new ones. */
  readonly whenFull: 'drop oldest' | 'drop newest';
  readonly onDropped: (count: number) => void;
  /** A file could not be written or removed. */
  readonly onFileFailure: (error: unknown) => void;
}

const segmentsWhenFull = 8;
const maxBatchBytes = 512 * 1024;

/**
 * Activities that wait to be sent: in memory, in order, with a copy in files, and no more bytes of them than are allowed. They
 * are texts of JSON without line breaks, as they are written and sent.
 */
export class ActivitySpool {
  private readonly options: SpoolOptions;
  private readonly segments: SpoolSegment[] = [];
  private readonly inTurn = createTaskQueue();
  private filesMade = 0;
  private usedBytes = 0;
  private drops = 0;
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

  /** The number of times that the oldest activities were dropped. */
  get timesDropped(): number {
    return this.drops;
  }

  /** Whether the same amount would fit once more. */
  get isHalfEmpty(): boolean {
    return this.usedBytes * 2 < this.options.maxBytes;
  }

  /** Keep an activity; an `isOwed` one even where there is no room. */
  add(activity: string, isOwed = false): void {
    if (isOwed || this.makeRoom(lineBytes(activity))) this.push(activity);
    else this.options.onDropped(1);
  }

  /**
   * Write an activity down before it is known how it ends. Resolves, once that is in a file, with what settles it: to
   * be called with the outcome under the same id. `undefined` where there is no room. Rejects as `written` does.
   */
  async intend(pending: string): Promise<((outcome: string) => void) | undefined> {
    const sizeBytes = lineBytes(pending);
    if (!this.makeRoom(sizeBytes)) return undefined;
    const segment = this.segmentFor(sizeBytes);
    segment.note(pending);
    segment.open++;
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
      this.push(outcome, close);
      // When the outcome cannot be written, it stays in memory, and the file keeps what was intended. The failure is reported.
      void this.written().then(close, () => undefined);
    };
  }

  /** Resolves once everything is in the files. Rejects with `MACHINE_FILE_NOT_WRITABLE` when some is in memory alone. */
  written(): Promise<void> {
    this.nextWrite ??= this.inTurn(() => this.writeAll());
    return this.nextWrite;
  }

  /** The oldest waiting activities without the first `passedOver`; `undefined` when there is nothing to send. */
  oldest(count = maxActivitiesPerBatch, passedOver = 0): SpoolBatch | undefined {
    const taken = new Map<SpoolSegment, number>();
    let left = passedOver;
    for (const segment of this.segments) {
      if (segment.count > left) {
        const activities = segment.from(left, count, maxBatchBytes);
        taken.set(segment, left + activities.length);
        return { activities, confirm: () => this.forget(taken) };
      }
      taken.set(segment, segment.count);
      left -= segment.count;
    }
    return undefined;
  }

  private forget(first: ReadonlyMap<SpoolSegment, number>): void {
    for (const [segment, count] of first) {
      if (!this.segments.includes(segment)) continue;
      segment.shift(count);
      this.discardWhenDone(segment);
    }
  }

  private push(activity: string, onSent?: () => void): void {
    this.segmentFor(lineBytes(activity)).push({ activity, onSent });
  }

  private makeRoom(sizeBytes: number): boolean {
    const { maxBytes, whenFull, onDropped } = this.options;
    while (whenFull === 'drop oldest' && this.usedBytes + sizeBytes > maxBytes && this.segments[0]) {
      this.drops += 1;
      onDropped(this.segments[0].count);
      this.discard(this.segments[0]);
    }
    return this.usedBytes + sizeBytes <= maxBytes;
  }

  private segmentFor(sizeBytes: number): SpoolSegment {
    this.usedBytes += sizeBytes;
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
