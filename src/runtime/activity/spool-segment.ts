import type { Activity } from '#contracts/activity';

/** An activity that waits to be sent. */
export interface SpoolEntry {
  readonly activity: Activity;
  /** Of its line. */
  readonly sizeBytes: number;
  readonly onSent: (() => void) | undefined;
}

/** A part of the activities that wait, with the name of the file that holds a copy. The file goes when all of them are sent. */
export class SpoolSegment {
  readonly file: string;
  /** What its file has once all is written. */
  sizeBytes = 0;
  /** Intentions that are in its file, while their outcome is neither in a file nor sent. */
  open = 0;
  private readonly entries: SpoolEntry[] = [];
  private unwritten = '';

  constructor(file: string) {
    this.file = file;
  }

  get count(): number {
    return this.entries.length;
  }

  get isDone(): boolean {
    return this.entries.length === 0 && this.open === 0;
  }

  /** Have a line written, and nothing sent. */
  note(line: string, sizeBytes: number): void {
    this.unwritten += line;
    this.sizeBytes += sizeBytes;
  }

  push(entry: SpoolEntry, line: string): void {
    this.note(line, entry.sizeBytes);
    this.entries.push(entry);
  }

  /** The text to write next. */
  takeUnwritten(): string {
    const text = this.unwritten;
    this.unwritten = '';
    return text;
  }

  /** The first activities, at least one where there is one. */
  first(count: number, maxBytes: number): readonly Activity[] {
    const first: Activity[] = [];
    let bytes = 0;
    for (const { activity, sizeBytes } of this.entries) {
      bytes += sizeBytes;
      if (first.length === count || (first.length > 0 && bytes > maxBytes)) break;
      first.push(activity);
    }
    return first;
  }

  /** The first activities are sent: forget them. */
  shift(count: number): void {
    for (const { onSent } of this.entries.splice(0, count)) onSent?.();
  }
}
