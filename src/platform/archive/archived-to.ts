import { verifierOf } from '#contracts/audit/signing';
import { BrokenLog } from '#contracts/audit/verdict';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import type { ObjectStore } from '#kernel/ports/object-store';
import { deriveCheckpointKey } from '../audit/checkpoints.ts';
import type { ArchivedTo } from '../audit/retention.ts';
import { type ArchivedMonth, isComplete, readArchive } from './read-archive.ts';
import { verifyMonth } from './verify-archive.ts';

/**
 * Says up to which row a log may be removed from the store: an archive has these rows, and every month of them was verified. Each month is
 * read once; afterwards its files must be there.
 */
export function createArchivedTo(objects: ObjectStore, platformKey: string, logger: Logger): ArchivedTo {
  const keys = [verifierOf(deriveCheckpointKey(platformKey))];
  /** Manifests, by their signature. */
  const verified = new Set<string>();
  const holds = async (month: ArchivedMonth) => {
    const { signature } = month.manifest;
    if (verified.has(signature)) return isComplete(objects, month);
    await verifyMonth(objects, month, { keys, anchors: [] });
    verified.add(signature);
    return true;
  };
  return async (chain, from, to) => {
    let last = from - 1;
    try {
      const months = (await readArchive(objects)).filter(({ segment }) => segment.chain === chain);
      for (const month of months) {
        const { segment } = month;
        if (segment.last <= last || last >= to) continue;
        if (segment.first > last + 1 || !(await holds(month))) break;
        last = segment.last;
      }
    } catch (error) {
      // An archive that is away or broken keeps the rows where they are.
      if (!(error instanceof BrokenLog) && !isCloudError(error)) throw error;
      logger.log('Warn', 'Rows of the audit log stay, because the archive has not all of them.', { log: chain, error });
    }
    return Math.min(last, to);
  };
}
