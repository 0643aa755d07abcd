import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** Resolves when a file that is written has a later time than all that were written before. */
export async function untilTimeGoesOn(folder: string): Promise<void> {
  // Two that wait at once must not remove each other's file.
  const probe = path.join(folder, `probe-${randomUUID()}`);
  const now = async () => {
    await writeFile(probe, '');
    return statSync(probe, { bigint: true }).ctimeNs;
  };
  const start = await now();
  while ((await now()) <= start) await setImmediate();
  await rm(probe);
}
