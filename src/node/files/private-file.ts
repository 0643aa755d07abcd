import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';

/**
 * Make sure that there is a file which its owner alone can read and write; one that is there already becomes such a file.
 * A folder that is missing is made for its owner only; one that is there stays as it is. Rejects with the error of the system.
 */
export async function makePrivateFile(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, 'a', 0o600);
  try {
    await handle.chmod(0o600);
  } finally {
    await handle.close();
  }
}
