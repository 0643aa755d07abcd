import type { FSWatcher } from 'chokidar';

export interface Watcher {
  /** Watch these files and folders too; what is watched already stays. */
  add(paths: readonly string[]): void;
  close(): Promise<void>;
}

/** Milliseconds of quiet before a burst of events (an editor writes, renames, touches) counts as one change. */
const quietMs = 8;
/** The same after an event that leaves a file empty: an editor that empties a file first is about to fill it. */
const emptyMs = 100;

/** Call `onChange` with the absolute paths that were added, changed or removed, once for each burst. */
export async function watchFiles(
  paths: readonly string[],
  onChange: (changed: readonly string[]) => void,
  onError: (error: unknown) => void,
): Promise<Watcher> {
  const { watch } = await import('chokidar');
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    const changed = [...pending];
    pending.clear();
    onChange(changed);
  };
  const watcher: FSWatcher = watch([...paths], {
    ignoreInitial: true,
    atomic: true,
    ignored: (file) => /[\\/](?:node_modules|\.git|\.vendor-cloud)(?:[\\/]|$)/.test(file),
  });
  watcher.on('all', (event, file, stats) => {
    if (event === 'addDir' || event === 'unlinkDir') return;
    pending.add(file);
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
