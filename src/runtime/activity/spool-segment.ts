import type { ActEntries } from './activity-entries.ts';

/** An act that waits to be sent. */
export interface WaitingAct {
  readonly entries: ActEntries;
  /** That its entries take. */
  readonly sizeBytes: number;
  readonly onSent: (() => void) | undefined;
}

/** How far a segment was read: so many whole acts, and so many entries of the next one. */
export interface SegmentPosition {
  readonly acts: number;
  readonly entries: number;
}

/** The bytes that entries take in a file, or in a batch. */
export function entryBytes(entries: readonly string[]): number {
  return entries.reduce((sum, entry) => sum + Buffer.byteLength(entry) + 1, 0);
}

/**
 * A part of the acts that wait, with the name of the file that holds a copy. An act is in one segment with all its entries. The
 * file goes when all of them are sent.
 */
export class SpoolSegment {
  readonly file: string;
  /** The size of its file once everything is written, in bytes. */
  sizeBytes = 0;
  /** Intentions that are in its file, while their outcome is neither in a file nor sent. */
  open = 0;
  /** Whether it holds a write that was let pass because it is recorded: such a segment is never dropped to make room. */
  mustStay = false;
  private readonly acts: WaitingAct[] = [];
  /** How many entries of the first act are sent. */
  private sentOfFirst = 0;
  private unwritten: string[] = [];

  constructor(file: string) {
    this.file = file;
  }

  /** The number of acts. */
  get count(): number {
    return this.acts.length;
  }

  get isDone(): boolean {
    return this.acts.length === 0 && this.open === 0;
  }

  /** Have entries written, and not sent. */
  note({ entries, sizeBytes }: Pick<WaitingAct, 'entries' | 'sizeBytes'>): void {
    for (const entry of entries) this.unwritten.push(entry);
    this.sizeBytes += sizeBytes;
  }

  push(act: WaitingAct): void {
    this.note(act);
    this.acts.push(act);
  }

  /** The lines to write next. */
  takeUnwritten(): string {
    const lines = this.unwritten;
    this.unwritten = [];
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  }

  /** The unsent entries of the acts from one on, at least one entry, and the position behind them. */
  from(start: number, count: number, maxBytes: number): { entries: readonly string[]; end: SegmentPosition } {
    const found: string[] = [];
    let bytes = 0;
    for (const [index, { entries }] of this.acts.slice(start, start + count).entries()) {
      const acts = start + index;
      const sent = acts === 0 ? this.sentOfFirst : 0;
      for (const [offset, entry] of entries.slice(sent).entries()) {
        bytes += entryBytes([entry]);
        const isFull = found.length === count || (found.length > 0 && bytes > maxBytes);
        if (isFull) return { entries: found, end: { acts, entries: sent + offset } };
        found.push(entry);
      }
    }
    return { entries: found, end: { acts: Math.min(this.count, start + count), entries: 0 } };
  }

  /** What is before the position is sent, or not to be: forget it. */
  forget({ acts, entries }: SegmentPosition): void {
    for (const { onSent } of this.acts.splice(0, acts)) onSent?.();
    this.sentOfFirst = entries;
  }
}
