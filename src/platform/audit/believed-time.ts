import type { Store } from '../store/store.ts';
import type { ChainRecord } from './audit-chains.ts';

const dayMs = 24 * 60 * 60_000;
const longestStepMs = 2 * dayMs;

/**
 * The time that the age of rows is measured by; `undefined` before the first checkpoint of a chain is a day old. A clock that is
 * wrong by years would make every row old. So the platform believes its clock once it has signed by it for a day; until then the
 * time goes at most two days beyond the newest checkpoint that is a day old.
 */
export async function believedTime(db: Store['db'], { id }: ChainRecord, now: number): Promise<number | undefined> {
  const signed = await db
    .selectFrom('auditCheckpoints')
    .select(({ fn }) => fn.max('at').as('at'))
    .where('chainId', '=', id)
    .where('at', '<=', now - dayMs)
    .executeTakeFirst();
  const at = signed?.at ?? undefined;
  return at === undefined ? undefined : Math.min(now, at + longestStepMs);
}
