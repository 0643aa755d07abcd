import { statSync } from 'node:fs';

/** What tells one state of a file from another. */
interface FileStamp {
  readonly mtimeMs: number;
  readonly size: number;
}

export interface BurstListeners {
  /** A file has changed, and others may follow at once. */
  onStir(): void;
  /**
   * The burst of changes is over.
   *
   * @param changed absolute paths that were added, changed or removed.
   * @param isAsAtStir whether no file has changed since `onStir` was called.
   */
  onChange(changed: readonly string[], isAsAtStir: boolean): void;
}

/** Milliseconds of quiet before a burst of events (an editor writes, renames, touches) counts as one change. */
const quietMs = 8;
/** The same after an event that leaves a file empty: an editor that empties a file first is about to fill it. */
const emptyMs = 100;

/** Puts changes of files that follow each other closely together. */
export class ChangeBurst {
  readonly #listeners: BurstListeners;
  readonly #pending = new Set<string>();
  /** The kind of the only event in a burst. */
  #only: { readonly file: string; readonly stats: FileStamp } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(listeners: BurstListeners) {
    this.#listeners = listeners;
  }

  /** @param stats of the file after the change; absent where it was removed. */
  add(file: string, stats: FileStamp | undefined): void {
    const isFirst = this.#pending.size === 0;
    this.#only = isFirst && stats ? { file, stats } : undefined;
    this.#pending.add(file);
    if (isFirst) this.#listeners.onStir();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), stats?.size === 0 ? emptyMs : quietMs);
  }

  /** Forget what has changed. */
  cancel(): void {
    clearTimeout(this.#timer);
  }

  #end(): void {
    const changed = [...this.#pending];
    this.#pending.clear();
    const only = this.#only;
    const isAsAtStir = only !== undefined && isSame(only.stats, statSync(only.file, { throwIfNoEntry: false }));
    this.#listeners.onChange(changed, isAsAtStir);
  }
}

function isSame(before: FileStamp, now: FileStamp | undefined): boolean {
  return now !== undefined && now.mtimeMs === before.mtimeMs && now.size === before.size;
}
