import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { deriveCheckpointKey } from '#platform/audit/checkpoints';
import { removeExpired } from '#platform/audit/retention';
import { verifyStore } from '#platform/audit/verify-store';
import { openStore } from '#platform/store/open-store';
import { rounded } from '../statistics.ts';

const platformKey = 'ab'.repeat(32);
const dayMs = 24 * 60 * 60_000;
/** The log of the bench has eleven months. */
const keptDays = 200;

/** How long retention takes for the older half of a log, and whether what remains holds. */
export async function measureRetention(address: string): Promise<Record<string, number>> {
  const store = await openStore(address);
  let retentionSeconds: number;
  let monthsDropped: number;
  try {
    const months = async () => (await store.db.selectFrom('auditMonths').selectAll().execute()).length;
    const before = await months();
    // The platform believes its clock once it has signed by it for a day.
    const clock = { ...systemClock, now: () => Date.now() + 2 * dayMs };
    const begun = performance.now();
    const retention = { activityDays: keptDays };
    await removeExpired({ store, clock, random: systemRandom, key: deriveCheckpointKey(platformKey), retention });
    retentionSeconds = (performance.now() - begun) / 1000;
    monthsDropped = before - (await months());
  } finally {
    await store.close();
  }
  if (monthsDropped === 0) throw new Error('Retention has dropped no month.');
  const begun = performance.now();
  const { logs } = await verifyStore(address, { platformKey, anchors: [] });
  const wrong = logs.find(({ outcome, rows }) => rows > 0 && outcome !== 'holds');
  if (wrong) throw new Error(`What remains does not hold: ${JSON.stringify(wrong)}`);
  const rows = logs.reduce((sum, log) => sum + log.rows, 0);
  const storeRowsPerSecond = rows / ((performance.now() - begun) / 1000);
  return {
    ...{ retentionSeconds: rounded(retentionSeconds), monthsDropped, remainingRows: rows },
    verifyStoreRowsPerSecond: rounded(storeRowsPerSecond),
  };
}
