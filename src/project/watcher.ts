import { statSync } from 'node:fs';
import type { FSWatcher } from 'chokidar';

export interface Watcher {
  /** Watch these files and folders in addition to those that are watched already. */
  add(paths: readonly string[]): void;
  close(): Promise<void>;
}

export interface WatchListeners {
  /** A file has changed, and others may follow at once. */
  onStir(): void;
  /**
   * The burst of changes is over.
   *
   * @param changed absolute paths that were added, changed or removed.
   * @param isAsAtStir whether no file has changed since `onStir` was called.
   */
  onChange(changed: readonly string[], isAsAtStir: boolean): void;
  onError(error: unknown): void;
}

/** Milliseconds of quiet before a burst of events (an editor writes, renames, touches) counts as one change. */
const quietMs = 8;
/** The same after an event that leaves a file empty: an editor that empties a file first is about to fill it. */
const emptyMs = 100;

/** Watch files and folders, and report the beginning and the end of each burst of changes. */
export async function watchFiles(paths: readonly string[], listeners: WatchListeners): Promise<Watcher> {
  const { watch } = await import('chokidar');
  const { onStir, onChange, onError } = listeners;
  const pending = new Set<string>();
  /** The kind of the only event in a burst. */
  let only: { readonly file: string; readonly stats: FileStamp } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    const changed = [...pending];
    pending.clear();
    onChange(changed, only !== undefined && isSame(only.stats, statSync(only.file, { throwIfNoEntry: false })));
  };
  const watcher: FSWatcher = watch([...paths], {
    ignoreInitial: true,
    atomic: true,
    ignored: (file) => /[\\/](?:node_modules|\.git|\.vendor-cloud)(?:[\\/]|$)/.test(file),
  });
  watcher.on('all', (event, file, stats) => {
    if (event === 'addDir' || event === 'unlinkDir') return;
    const isFirst = pending.size === 0;
    only = isFirst && stats ? { file, stats } : undefined;
    pending.add(file);
    if (isFirst) onStir();
    clearTimeout(timer);
    timer = setTimeout(flush, stats?.size === 0 ? emptyMs : quietMs);
  });
  watcher.on('error', onError);
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return {
    add: (more) => void watcher.add([...more]),
    async close() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

interface FileStamp {
  readonly mtimeMs: number;
  readonly size: number;
}

function isSame(before: FileStamp, now: FileStamp | undefined): boolean {
  return now !== undefined && now.mtimeMs === before.mtimeMs && now.size === before.size;
}
