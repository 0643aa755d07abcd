import type { ActEntries } from './activity-entries.ts';

/** Entries that belong together. */
export interface Noted {
  readonly entries: ActEntries;
  /** That its entries take. */
  readonly sizeBytes: number;
}

/** An act that waits to be sent. */
export interface WaitingAct extends Noted {
  readonly onSent: (() => void) | undefined;
}

/** How far a segment was read: this many whole acts, and this many entries of the next one. */
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
  /** The size that its file has when everything is written before it is sent, in bytes. */
  sizeBytes = 0;
  /** Whether anything was written, or is about to be. */
  hasFile = false;
  /** Intentions that are in its file, while their outcome is neither in a file nor sent. */
  open = 0;
  /** Whether it holds a write that was let pass because it is recorded: such a segment is never dropped to make room. */
  mustStay = false;
  private readonly acts: WaitingAct[] = [];
  /** How many entries of the first act are sent. */
  private sentOfFirst = 0;
  private unwritten: Noted[] = [];

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

  get unwrittenCount(): number {
    return this.unwritten.length;
  }

  /** Have entries written, and not sent. */
  note(noted: Noted): void {
    this.unwritten.push(noted);
    this.sizeBytes += noted.sizeBytes;
  }

  push(act: WaitingAct): void {
    this.note(act);
    this.acts.push(act);
  }

  /** The lines to write next. */
  takeUnwritten(): string {
    if (this.unwritten.length === 0) return '';
    const lines = this.unwritten.flatMap(({ entries }) => entries);
    this.unwritten = [];
    this.hasFile = true;
    return `${lines.join('\n')}\n`;
  }

  /** The unsent entries of the acts from one on, at least one entry, and the position behind them. */
  from(start: number, count: number, maxBytes: number): { entries: readonly string[]; end: SegmentPosition } {
    const found: string[] = [];
    let bytes = 0;
    for (const [index, { entries, sizeBytes }] of this.acts.slice(start, start + count).entries()) {
      const acts = start + index;
      const sent = acts === 0 ? this.sentOfFirst : 0;
      for (const [offset, entry] of entries.slice(sent).entries()) {
        bytes += entries.length === 1 ? sizeBytes : entryBytes([entry]);
        const isFull = found.length === count || (found.length > 0 && bytes > maxBytes);
        if (isFull) return { entries: found, end: { acts, entries: sent + offset } };
        found.push(entry);
      }
    }
    return { entries: found, end: { acts: Math.min(this.count, start + count), entries: 0 } };
  }

  /** What is before the position is sent, or not to be: forget it. What is not written by now need not be. */
  forget({ acts, entries }: SegmentPosition): void {
    const forgotten = this.acts.splice(0, acts);
    for (const { onSent } of forgotten) onSent?.();
    this.sentOfFirst = entries;
    if (this.unwritten.length === 0) return;
    const needless = new Set<Noted>(forgotten);
    this.unwritten = this.unwritten.filter((noted) => !needless.has(noted));
  }
}
