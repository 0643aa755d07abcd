import { statSync } from 'node:fs';

/** What tells one state of a file from another. */
interface FileStamp {
  readonly mtimeMs: number;
  readonly size: number;
}

interface SeenFile {
  readonly file: string;
  readonly stamp: FileStamp;
}

export interface BurstListeners {
  /** A file has changed and is written whole; others may follow at once. Not called for a burst that ends before that. */
  onStir(): void;
  /**
   * The burst of changes is over.
   *
   * @param changed absolute paths that were added, changed or removed.
   * @param isAsAtStir whether no file has changed since `onStir` was called.
   */
  onChange(changed: readonly string[], isAsAtStir: boolean): void;
}

/** Milliseconds of quiet before a burst of events of several files (a checkout, "save all") counts as one change. */
const quietMs = 8;
/** The same as long as only one file has changed: somebody waits for that save, and a small build is done by then. */
const quietOfOneMs = 4;
/** The same after an event that leaves a file empty: an editor that empties a file first is about to fill it. */
const emptyMs = 100;
/** Milliseconds between two looks at a file that is being written. Its next event comes 50 ms after the first. */
const lookMs = 1;

/** Puts changes of files that follow each other closely together. */
export class ChangeBurst {
  readonly #listeners: BurstListeners;
  readonly #pending = new Set<string>();
  /** The file of a burst of one file. */
  #only: SeenFile | undefined;
  #hasStirred = false;
  /** The file of the last burst of one file, as it was at its end. */
  #told: SeenFile | undefined;
  #ending: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(listeners: BurstListeners) {
    this.#listeners = listeners;
  }

  /** @param stamp of the file after the change; absent where it was removed. */
  add(file: string, stamp: FileStamp | undefined): void {
    if (isSeen(this.#only ?? this.#told, file, stamp)) return;
    const isFirst = this.#pending.size === 0;
    const isWritten = this.#only?.file === file && !this.#hasStirred;
    this.#pending.add(file);
    this.#only = (isFirst || isWritten) && stamp ? { file, stamp } : undefined;
    this.#endLater(stamp);
    if (!isFirst) return;
    if (stamp) this.#look();
    else this.#stir();
  }

  /** Forget what has changed. */
  cancel(): void {
    clearTimeout(this.#ending);
    clearTimeout(this.#looking);
  }

  /** Half of a file is not worth a build. */
  #look(): void {
    const only = this.#only;
    const stamp = only && stampOf(only.file);
    if (!stamp) return;
    const isStill = isSame(only.stamp, stamp);
    if (!isStill) this.#endLater(stamp);
    this.#only = { file: only.file, stamp };
    if (isStill && stamp.size > 0) this.#stir();
    else this.#looking = setTimeout(() => this.#look(), lookMs);
  }

  #stir(): void {
    this.#hasStirred = true;
    this.#listeners.onStir();
  }

  #endLater(stamp: FileStamp | undefined): void {
    clearTimeout(this.#ending);
    const quiet = this.#pending.size > 1 ? quietMs : quietOfOneMs;
    this.#ending = setTimeout(() => this.#end(), stamp?.size === 0 ? emptyMs : quiet);
  }

  #end(): void {
    const changed = [...this.#pending];
    const only = this.#only;
    const stamp = only && stampOf(only.file);
    const isAsAtStir = this.#hasStirred && isSeen(only, only?.file, stamp);
    clearTimeout(this.#looking);
    this.#pending.clear();
    this.#only = undefined;
    this.#hasStirred = false;
    this.#told = only && stamp && { file: only.file, stamp };
    this.#listeners.onChange(changed, isAsAtStir);
  }
}

function stampOf(file: string): FileStamp | undefined {
  return statSync(file, { throwIfNoEntry: false });
}

function isSeen(seen: SeenFile | undefined, file: string | undefined, stamp: FileStamp | undefined): boolean {
  return seen !== undefined && stamp !== undefined && seen.file === file && isSame(seen.stamp, stamp);
}

function isSame(one: FileStamp, other: FileStamp): boolean {
  return one.mtimeMs === other.mtimeMs && one.size === other.size;
}
