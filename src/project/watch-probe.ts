import { watch } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A file system that reports changes does so within milliseconds, a busy machine within a second. */
const patienceMs = 2_000;

/** Calls `onEvent` when something in a folder changes, until the returned function is called. */
export type ListenToFolder = (folder: string, onEvent: () => void) => () => void;

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
