import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';

/** How often a session looks whether its project is still there, in milliseconds. */
const lookMs = 1_000;

const stateFolder = '.vendor-cloud';

interface ServedPlace {
  /** Folder of the project. */
  readonly root: string;
  /** Whether the session keeps the store of the local platform there. */
  readonly hasStore: boolean;
  /** Ends the session. */
  readonly signal: AbortSignal;
}

/**
 * Resolves when `signal` aborts. A session that went on after its folder is gone would answer from files that nobody finds any more, and
 * make others in the old place.
 *
 * @throws `PROJECT_GONE`
 */
export async function untilEndOrGone(fs: FileSystem, { root, hasStore, signal }: ServedPlace): Promise<void> {
  while (!signal.aborted) {
    const gone = await whatIsGone(fs, root, hasStore);
    if (gone) throw gone;
    await delay(lookMs, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

async function whatIsGone(fs: FileSystem, root: string, hasStore: boolean): Promise<CloudError | undefined> {
  const store = path.join(root, stateFolder, 'platform.sqlite');
  try {
    if (hasStore && (await fs.exists(store))) return undefined;
    // What the session has written since may have made the folder again.
    const isThere = (await fs.list(root)).some((name) => name !== stateFolder);
    if (!isThere) return folderGone(root);
    return hasStore ? storeGone(store) : undefined;
  } catch (error) {
    // What cannot be looked at now, as on a network drive, may still be there.
    if (isCloudError(error)) return undefined;
    throw error;
  }
}

function folderGone(root: string): CloudError {
  return cloudError(
    'PROJECT_GONE',
    `The folder ${root} was renamed or removed while it was served.`,
    'Start the command again in the folder where the project is now.',
  );
}

function storeGone(store: string): CloudError {
  return cloudError(
    'PROJECT_GONE',
    `The store of the local platform, ${store}, was removed while it was served.`,
    'Start the command again: it makes a new store. To keep what the old one had, put its folder back first.',
  );
}
