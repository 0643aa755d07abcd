import { existsSync, mkdirSync, statSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const work = path.resolve(import.meta.dirname, '../../.tmp');

/** A folder that is on another file system than the temporary folder, if the machine has one. */
export function otherFileSystem(): string | undefined {
  mkdirSync(work, { recursive: true });
  const device = (folder: string) => statSync(folder).dev;
  return [work, '/dev/shm'].find((folder) => existsSync(folder) && device(folder) !== device(tmpdir()));
}

/** A folder of the test's own below `parent`, gone when the test ends. */
export async function folderIn(parent: string): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(parent, 'other-file-system-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
