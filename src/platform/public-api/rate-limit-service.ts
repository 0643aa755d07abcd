import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { applyPolicy, type PolicyState, type RatePolicy } from '#kernel/rates/rate-policy';
import type { Store } from '../store/store.ts';

/** What callers of the public API may ask for unless an option of the platform says otherwise. */
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

/** The quotas of callers. They are in the store: exact for all processes of the platform, and kept when it starts again. */
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
  const takeStored = (subject: string, cost: number) =>
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
    });

  /** What callers have spent since the store takes nothing; the caller that asked longest ago comes first. */
  const unstored = new Map<string, ReadonlyMap<string, number>>();
  /** While the disk is full, each process counts for itself: who only reads goes on. Rejects where the store cannot be read either. */
  const takeHere = async (subject: string, cost: number) => {
    const spent = new Map([...(await readSpent(store.db, subject)), ...(unstored.get(subject) ?? [])]);
    const quota = applyAll(policies, spent, clock.now(), cost);
    if (quota.isTaken) {
      unstored.delete(subject);
      unstored.set(subject, new Map(quota.states.map(({ policy, spentUntil }) => [policy.name, spentUntil])));
      const [oldest] = unstored.keys();
      if (unstored.size > mostAddresses && oldest !== undefined) unstored.delete(oldest);
    }
    return quota;
  };

  return {
    take: async (subject, cost) => {
      try {
        return await takeStored(subject, cost);
      } catch (error) {
        if (isCloudError(error) && error.code === 'PLATFORM_STORE_UNAVAILABLE') return takeHere(subject, cost);
        throw error;
      }
    },
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

const failurePolicy: RatePolicy = { name: 'failures', quota: 30, windowSeconds: 60 };
const mostAddresses = 10_000;

/**
 * Count a request from an address whose token is wrong; throws `REQUEST_RATE_LIMITED` for an address that sends too many. Each process counts for
 * itself. Valid tokens are never counted: who shares an address with an attacker is not locked out.
 */
type CountFailure = (address: string) => void;

export function createFailureCount(clock: Clock): CountFailure {
  /** The one that failed longest ago comes first. */
  const spent = new Map<string, number>();
  return (address) => {
    const state = applyPolicy(failurePolicy, spent.get(address), clock.now() * 1000, 1);
    spent.delete(address);
    spent.set(address, state.spentUntil);
    const [oldest] = spent.keys();
    if (spent.size > mostAddresses && oldest !== undefined) spent.delete(oldest);
    if (state.untilEnough > 0) throw rateLimited({ isTaken: false, states: [state] });
  };
}

/**
 * How much a caller may still ask for. `X-RateLimit-…` and `RateLimit` tell the tightest policy. Its reset is the time at which one
 * unit more comes back, so a caller that waits for it when nothing remains is never refused.
 */
export function rateLimitHeaders({ states }: Quota, nowMs: number): Record<string, string> {
  const tightest = tightestOf(states);
  if (!tightest) return {};
  const { policy, remaining, untilNext } = tightest;
  return {
    'x-ratelimit-limit': String(policy.quota),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil((nowMs * 1000 + untilNext) / 1_000_000)),
    'ratelimit-policy': states
      .map(({ policy: { name, quota, windowSeconds } }) => `"${name}";q=${quota};w=${windowSeconds}`)
      .join(', '),
    ratelimit: `"${policy.name}";r=${remaining};t=${secondsOf(untilNext)}`,
  };
}

/** The refusal of a request that there is no quota for. */
export function rateLimited({ states }: Quota): CloudError {
  const violated = states.filter(({ untilEnough }) => untilEnough > 0);
  const seconds = Math.max(1, ...violated.map(({ untilEnough }) => secondsOf(untilEnough)));
  return cloudError(
    'REQUEST_RATE_LIMITED',
    `Rate limit exceeded. Please retry after ${seconds} seconds.`,
    'Wait as long as the header Retry-After says.',
    { safeDetails: { retryAfterSeconds: seconds, violatedPolicies: violated.map(({ policy }) => policy.name) } },
  );
}

function tightestOf(states: readonly PolicyState[]): PolicyState | undefined {
  return states.toSorted((one, other) => one.remaining - other.remaining || other.untilNext - one.untilNext)[0];
}

function secondsOf(microseconds: number): number {
  return Math.ceil(microseconds / 1_000_000);
}
