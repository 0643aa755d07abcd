import type { Clock } from '#kernel/ports/clock';
import { applyPolicy, type PolicyState, type RatePolicy } from '#kernel/rates/rate-policy';
import type { Store } from '../store/store.ts';

/** What callers of the public API may ask for unless the platform is told otherwise. */
const defaultRatePolicies: readonly RatePolicy[] = [
  { name: 'min', quota: 60, windowSeconds: 60 },
  { name: 'hour', quota: 1000, windowSeconds: 3600 },
  { name: 'day', quota: 10_000, windowSeconds: 86_400 },
];

export interface Quota {
  /** Whether the units were taken. All policies must have them; else none of them gives any. */
  readonly isTaken: boolean;
  /** One for each policy. */
  readonly states: readonly PolicyState[];
}

/** The quotas of callers. They are in the store: exact for all processes of the platform, and kept when it starts anew. */
export interface RateLimitService {
  /** @param subject whose quota it is, such as `token 3`. */
  take(subject: string, cost: number): Promise<Quota>;
  /** Where the caller stands. Nothing is taken. */
  look(subject: string): Promise<Quota>;
}

export function createRateLimitService(
  store: Store,
  clock: Clock,
  policies: readonly RatePolicy[] = defaultRatePolicies,
): RateLimitService {
  return {
    take: (subject, cost) =>
      store.transaction(async ({ db, lock }) => {
        await lock(`rate limits of ${subject}`);
        const quota = applyAll(policies, await readSpent(db, subject), clock.now(), cost);
        if (!quota.isTaken) return quota;
        const rows = quota.states.map(({ policy, spentUntil }) => ({ subject, policy: policy.name, spentUntil }));
        await db
          .insertInto('rateLimits')
          .values(rows)
          .onConflict((same) =>
            same.columns(['subject', 'policy']).doUpdateSet((the) => ({ spentUntil: the.ref('excluded.spentUntil') })),
          )
          .execute();
        return quota;
      }),
    look: async (subject) => applyAll(policies, await readSpent(store.db, subject), clock.now(), 0),
  };
}

async function readSpent(db: Store['db'], subject: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('rateLimits')
    .select(['policy', 'spentUntil'])
    .where('subject', '=', subject)
    .execute();
  return new Map(rows.map(({ policy, spentUntil }) => [policy, spentUntil]));
}

function applyAll(
  policies: readonly RatePolicy[],
  spent: ReadonlyMap<string, number>,
  nowMs: number,
  cost: number,
): Quota {
  const now = nowMs * 1000;
  const apply = (units: number) => policies.map((policy) => applyPolicy(policy, spent.get(policy.name), now, units));
  const asked = apply(cost);
  if (asked.every(({ untilEnough }) => untilEnough === 0)) return { isTaken: true, states: asked };
  // What the others would have given stays there.
  const untouched = apply(0);
  const states = asked.map(({ untilEnough }, place) => ({ ...untouched[place], untilEnough }) as PolicyState);
  return { isTaken: false, states };
}
