/** An activity that waits to be sent, as JSON. */
export interface SpoolEntry {
  readonly activity: string;
  readonly onSent: (() => void) | undefined;
}

/** The bytes that an activity takes in a file. */
export function lineBytes(activity: string): number {
  return Buffer.byteLength(activity) + 1;
}

/** A part of the activities that wait, with the name of the file that holds a copy. The file goes when all of them are sent. */
export class SpoolSegment {
  readonly file: string;
  /** The size of its file once everything is written, in bytes. */
  sizeBytes = 0;
  /** Intentions that are in its file, while their outcome is neither in a file nor sent. */
  open = 0;
  private readonly entries: SpoolEntry[] = [];
  private unwritten: string[] = [];

  constructor(file: string) {
    this.file = file;
  }

  get count(): number {
    return this.entries.length;
  }

  get isDone(): boolean {
    return this.entries.length === 0 && this.open === 0;
  }

  /** Have an activity written, and not sent. */
  note(activity: string): void {
    this.unwritten.push(activity);
    this.sizeBytes += lineBytes(activity);
  }

  push(entry: SpoolEntry): void {
    this.note(entry.activity);
    this.entries.push(entry);
  }

  /** The lines to write next. */
  takeUnwritten(): string {
    const lines = this.unwritten;
    this.unwritten = [];
    return lines.map((line) => `${line}\n`).join('');
  }

  /** The activities from one on, at least that one. */
  from(start: number, count: number, maxBytes: number): readonly string[] {
    const found: string[] = [];
    let bytes = 0;
    for (const { activity } of this.entries.slice(start, start + count)) {
      bytes += lineBytes(activity);
      if (found.length > 0 && bytes > maxBytes) break;
      found.push(activity);
    }
    return found;
  }

  /** The first activities are sent, or not to be: forget them. */
  shift(count: number): void {
    for (const { onSent } of this.entries.splice(0, count)) onSent?.();
  }
}
