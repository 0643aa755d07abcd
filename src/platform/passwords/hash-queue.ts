import { LRUCache } from 'lru-cache';
import { cloudError } from '#kernel/errors/cloud-error';

/** Who waits for a hash. */
export interface Waiter {
  /** Address of the client; `undefined` on this machine, and behind a proxy that is not trusted. */
  readonly address: string | undefined;
  /** How many tries of that address have failed lately. */
  readonly failures: number;
  /** Aborts when the client is gone. */
  readonly signal?: AbortSignal | undefined;
}

/** Hashing takes a core and 64 MiB of memory for a fifth of a second. The queue decides whose turn it is. */
export interface HashQueue {
  /**
   * Do `work` when it is the turn of the waiter. Addresses that have signed in lately come first, then those without failures, then
   * all others, which use one hash at a time at most. Rejects with `SIGN_IN_BUSY` when the queue is full, and when the client is gone.
   */
  inTurn<Result>(waiter: Waiter, work: () => Promise<Result>): Promise<Result>;
  /** Somebody has signed in from there. */
  hasBehaved(address: string | undefined): void;
}

interface Waiting extends Waiter {
  readonly rank: Rank;
  start(): void;
  refuse(reason: string): void;
}

/** 0: has signed in lately. 1: without failures. 2: others. */
type Rank = 0 | 1 | 2;

const atOnce = 2;
/** Of those, addresses with failures use this many. */
const atOnceWithFailures = 1;
const longestQueue = 64;
/** Of one address. Many people may share it. */
const longestQueueOfAddress = 8;
const rememberedAddresses = 10_000;
const rememberedMs = 30 * 24 * 60 * 60_000;

export function createHashQueue(): HashQueue {
  const behaved = new LRUCache<string, true>({ max: rememberedAddresses, ttl: rememberedMs });
  const waiting: Waiting[] = [];
  const running: Rank[] = [];

  const rankOf = ({ address, failures }: Waiter): Rank => {
    if (address !== undefined && behaved.has(address)) return 0;
    return failures === 0 ? 1 : 2;
  };
  const mayRun = (rank: Rank) =>
    running.length < atOnce && (rank < 2 || running.filter((other) => other === 2).length < atOnceWithFailures);
  const startNext = () => {
    for (const rank of [0, 1, 2] as const) {
      if (!mayRun(rank)) continue;
      const next = waiting.findIndex((each) => each.rank === rank);
      if (next >= 0) return waiting.splice(next, 1)[0]?.start();
    }
  };
  const enqueue = (own: Waiting) => {
    const ofAddress = waiting.filter(({ address }) => address === own.address).length;
    if (own.address !== undefined && ofAddress >= longestQueueOfAddress) return own.refuse('of this address');
    waiting.push(own);
    if (waiting.length <= longestQueue) return;
    const worst = Math.max(...waiting.map(({ rank }) => rank));
    const last = waiting.findLastIndex(({ rank }) => rank === worst);
    waiting.splice(last, 1)[0]?.refuse('of this platform');
  };

  return {
    inTurn: async (waiter, work) => {
      const rank = rankOf(waiter);
      if (waiter.signal?.aborted) throw busy('The client is gone.');
      if (mayRun(rank)) running.push(rank);
      else {
        await new Promise<void>((resolve, reject) => {
          const own: Waiting = {
            ...waiter,
            rank,
            start: () => {
              running.push(rank);
              resolve();
            },
            refuse: (queue) => reject(busy(`The queue ${queue} is full.`)),
          };
          waiter.signal?.addEventListener('abort', () => {
            const place = waiting.indexOf(own);
            if (place < 0) return;
            waiting.splice(place, 1);
            reject(busy('The client is gone.'));
          });
          enqueue(own);
        });
      }
      try {
        return await work();
      } finally {
        running.splice(running.indexOf(rank), 1);
        startNext();
      }
    },
    hasBehaved: (address) => {
      if (address !== undefined) behaved.set(address, true);
    },
  };
}

function busy(why: string) {
  return cloudError(
    'SIGN_IN_BUSY',
    `Too many people try to sign in at this moment. ${why}`,
    'Wait a few seconds, and try again.',
  );
}
