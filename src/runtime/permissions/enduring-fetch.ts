import { setTimeout as delay } from 'node:timers/promises';
import type { AtHand } from '#kernel/async/at-hand';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { CachedFetch, Fetch } from './cached-fetch.ts';
import type { LastKnownPermissions } from './last-known-permissions.ts';
import { isAway, type Outage, tooSlow } from './outage.ts';

/** How long a request waits for a platform whose last word is known. */
const patienceMs = 2_000;

/** What stands in for a platform that is away. */
export interface StandIn {
  readonly outage: Outage;
  readonly lastKnown: LastKnownPermissions;
}

/** `ask`, whose answers are kept under `name` unless they were forgotten meanwhile, and dropped when the platform says no. */
export function rememberedFetch<Document>(
  name: string,
  ask: () => Promise<Document>,
  { outage, lastKnown }: StandIn,
): Fetch<Document> {
  return async (isCurrent) => {
    try {
      const document = await ask();
      outage.ended();
      if (isCurrent()) lastKnown.keep(name, document);
      return document;
    } catch (error) {
      if (isAway(error)) outage.began(error);
      else if (isCloudError(error) && error.code === 'PLATFORM_UNAUTHENTICATED') lastKnown.dropAll();
      else if (isCloudError(error) && error.code === 'PLATFORM_REFUSED') lastKnown.drop(name);
      throw error;
    }
  };
}

/**
 * A cached fetch that falls back on what was known last while the platform is away, or takes its time. When nothing is known
 * it fails as the fetch does, and without waiting again for one that failed a moment ago.
 */
export function enduringFetch<Value>(
  cached: CachedFetch<Value>,
  find: () => Promise<Value | undefined>,
  outage: Outage,
): CachedFetch<Value> {
  const fetch = async (maxAgeMs: number): Promise<Value> => {
    const known = await find();
    try {
      const reason = outage.current();
      if (reason) throw reason;
      return await (known === undefined ? cached.get(maxAgeMs) : withinPatience(cached.get(maxAgeMs), outage));
    } catch (error) {
      if (!isAway(error)) throw error;
      // What was known may have been dropped while it was waited.
      const stillKnown = await find();
      if (stillKnown === undefined) throw error;
      outage.bridged();
      return stillKnown;
    }
  };
  return {
    ...cached,
    get: (maxAgeMs) => {
      const atHand = cached.atHand(maxAgeMs);
      return atHand ? atHand.value : fetch(maxAgeMs);
    },
  };
}

/** What takes longer goes on, and is used when it has come. */
async function withinPatience<Value>(fetching: AtHand<Value>, outage: Outage): Promise<Value> {
  const isOver = new AbortController();
  const giveUp = async () => {
    await delay(patienceMs, undefined, { signal: isOver.signal, ref: false });
    const error = tooSlow();
    outage.began(error);
    throw error;
  };
  try {
    return await Promise.race([fetching, giveUp()]);
  } finally {
    isOver.abort();
  }
}
