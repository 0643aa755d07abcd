import type { ActivitySpool } from './activity-spool.ts';
import type { PacedWarning } from './paced-warnings.ts';
import { readSpool } from './read-spool.ts';
import type { SpoolFolder } from './spool-folder.ts';

/** Take over the files that ended agents left, as far as there is room. */
export async function adoptLeft(folder: SpoolFolder, spool: ActivitySpool, warn: PacedWarning): Promise<void> {
  try {
    await folder.renew();
    while (spool.isHalfEmpty) {
      const left = await folder.takeOver();
      if (!left) return;
      const { acts, unreadable } = readSpool(left.text);
      if (unreadable > 0) warn('Records of activities were left out, because they cannot be read.', { unreadable });
      for (const act of acts) spool.add(act, true);
      await spool.written();
      await left.discard();
    }
  } catch (error) {
    warn('What agents that are gone have left to be sent cannot be taken over.', { error });
  }
}
