import type { ActEntries } from './activity-entries.ts';

/** Entries that belong together. */
export interface Noted {
  readonly entries: ActEntries;
  /** That its entries take. */
  readonly sizeBytes: number;
}

/** An act that waits to be sent. */
export interface WaitingAct extends Noted {
  /** Its place among all acts of the spool. */
  readonly order: number;
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

export function notedOf(entries: ActEntries): Noted {
  return { entries, sizeBytes: entryBytes(entries) };
}

/**
 * A part of the acts that wait, with the name of the file that holds a copy. An act is in one segment with all its entries. The
 * file goes when all of them are sent.
 */
export class SpoolSegment {
  readonly file: string;
  /** Whether its acts are never dropped to make room: writes that somebody was let do because they are recorded. */
  readonly mustStay: boolean;
  /** The size that its file has when everything is written before it is sent, in bytes. */
  sizeBytes = 0;
  /** Whether anything was written, or is about to be. */
  hasFile = false;
  /** Intentions that are in its file, while their outcome is neither in a file nor sent. */
  open = 0;
  /** How many entries of the first act are sent. */
  sentOfFirst = 0;
  private readonly waiting: WaitingAct[] = [];
  private unwritten: Noted[] = [];
  /** Whether the file may end with a part of a line. */
  private isTorn = false;

  constructor(file: string, mustStay: boolean) {
    this.file = file;
    this.mustStay = mustStay;
  }

  /** The acts that are not sent, oldest first. */
  get acts(): readonly WaitingAct[] {
    return this.waiting;
  }

  get isDone(): boolean {
    return this.waiting.length === 0 && this.open === 0;
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
    this.waiting.push(act);
  }

  /** Take what to write next. */
  takeUnwritten(): readonly Noted[] {
    const taken = this.unwritten;
    this.unwritten = [];
    return taken;
  }

  /** The text of what was taken, for the end of the file. */
  textOf(taken: readonly Noted[]): string {
    this.hasFile = true;
    const start = this.isTorn ? '\n' : '';
    return `${start}${taken.flatMap(({ entries }) => entries).join('\n')}\n`;
  }

  /** What was taken is in the file, or could not be written: then it is written with what comes next, unless it is sent by then. */
  wrote(taken: readonly Noted[], isWritten: boolean): void {
    this.isTorn = !isWritten;
    if (isWritten) return;
    const acts = new Set<Noted>(this.waiting);
    this.unwritten = [...taken.filter((noted) => acts.has(noted)), ...this.unwritten];
  }

  /** Do without the file. What was in it is in memory only. */
  loseFile(): void {
    this.hasFile = false;
    this.isTorn = false;
  }

  /** What is before the position is sent, or not to be: forget it. What is not written by now need not be. */
  forget({ acts, entries }: SegmentPosition): void {
    const forgotten = this.waiting.splice(0, acts);
    for (const { onSent } of forgotten) onSent?.();
    this.sentOfFirst = entries;
    if (this.unwritten.length === 0) return;
    const needless = new Set<Noted>(forgotten);
    this.unwritten = this.unwritten.filter((noted) => !needless.has(noted));
  }
}
