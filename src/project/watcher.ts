import { watch } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ChokidarOptions, FSWatcher } from 'chokidar';
import { type BurstListeners, ChangeBurst } from './change-burst.ts';

export interface Watcher {
  /** Watch these files and folders in addition to those that are watched already. */
  add(paths: readonly string[]): void;
  close(): Promise<void>;
}

/** Why files are looked at again and again: the file system reports no changes, or the system has no watches left. */
export type PollingReason = 'silent' | 'ENOSPC' | 'EMFILE';

export interface WatchListeners extends BurstListeners {
  /** From now on files are looked at, because nobody reports their changes. Called once. */
  onPolling(reason: PollingReason): void;
  onError(error: unknown): void;
}

export interface WatchOptions {
  /** Whether the file system reports changes; asked beside the start. Default: it does. */
  readonly probe?: () => Promise<boolean>;
  readonly open?: (paths: string[], options: ChokidarOptions) => FSWatcher;
}

/** How often files are looked at where nobody reports their changes, in milliseconds. */
export const pollingMs = 300;
/** What a file system may tell times differently from the clock, in milliseconds. */
const skewMs = 1_000;

/** Watch files and folders, and report the beginning and the end of each burst of changes. */
export async function watchFiles(
  paths: readonly string[],
  listeners: WatchListeners,
  { probe, open }: WatchOptions = {},
): Promise<Watcher> {
  const openWatcher = open ?? (await import('chokidar')).watch;
  const startedAt = Date.now();
  const burst = new ChangeBurst(listeners);
  const watched = new Set(paths);
  const ready = Promise.withResolvers<void>();
  let isPolling = false;
  let isClosed = false;

  const start = (): FSWatcher => {
    const isReplacement = isPolling;
    let isReady = false;
    const watcher = openWatcher([...watched], {
      ignoreInitial: !isReplacement,
      atomic: true,
      usePolling: isPolling,
      interval: pollingMs,
      binaryInterval: pollingMs,
      alwaysStat: isReplacement,
      ignored: (file) => /[\\/](?:node_modules|\.git|\.vendor-cloud)(?:[\\/]|$)/.test(file),
    });
    watcher.on('all', (event, file, stats) => {
      if (event === 'addDir' || event === 'unlinkDir') return;
      // A watcher that takes the place of another one reports what that one has missed.
      if (!isReady && isReplacement && (stats?.mtimeMs ?? 0) < startedAt - skewMs) return;
      burst.add(file, stats);
    });
    watcher.on('error', fail);
    watcher.once('ready', () => {
      isReady = true;
      ready.resolve();
    });
    return watcher;
  };
  const poll = (reason: PollingReason) => {
    if (isPolling || isClosed) return;
    isPolling = true;
    void current.close();
    // A closed watcher has no listeners, and may still find that other files cannot be watched either.
    current.on('error', () => undefined);
    current = start();
    listeners.onPolling(reason);
  };
  const fail = (error: unknown) => {
    const code = outOfWatches(error);
    if (code) poll(code);
    else if (!isClosed) listeners.onError(error);
  };

  let current = start();
  await ready.promise;
  void probe?.().then((isReporting) => {
    if (!isReporting) poll('silent');
  }, fail);
  return {
    add(more) {
      for (const path of more) watched.add(path);
      void current.add([...more]);
    },
    async close() {
      isClosed = true;
      burst.cancel();
      await current.close();
    },
  };
}

function outOfWatches(error: unknown): 'ENOSPC' | 'EMFILE' | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EMFILE' ? code : undefined;
}

/** A file system that reports changes does so within milliseconds, a busy machine within a second. */
const patienceMs = 2_000;

/** Calls `onEvent` when something in a folder changes, until the returned function is called. */
type ListenToFolder = (folder: string, onEvent: () => void) => () => void;

/**
 * Whether the file system of a folder reports changes. Some do not: bind mounts of containers, shared folders of virtual machines,
 * network drives. A file is written there and removed again.
 */
export async function reportsChanges(
  folder: string,
  { listen = listenToFolder, waitMs = patienceMs }: { readonly listen?: ListenToFolder; readonly waitMs?: number } = {},
): Promise<boolean> {
  const file = path.join(folder, 'watch-probe');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = listen(folder, () => resolve(true));
  // Neither keeps a session alive that is over.
  const timer = setTimeout(() => resolve(false), waitMs).unref();
  try {
    await writeFile(file, '');
    return await promise;
  } finally {
    clearTimeout(timer);
    stop();
    await rm(file, { force: true });
  }
}

const listenToFolder: ListenToFolder = (folder, onEvent) => {
  const watcher = watch(folder, { persistent: false }, onEvent);
  return () => watcher.close();
};
