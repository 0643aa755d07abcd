import { maxActivitiesPerBatch } from '#contracts/activity';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { Random } from '#kernel/ports/random';
import type { Timers } from '#kernel/ports/timers';
import type { ActivitySpool } from './activity-spool.ts';
import type { PacedWarning } from './paced-warnings.ts';

interface SenderOptions {
  readonly spool: ActivitySpool;
  readonly platform: ActivityPlatform;
  readonly timers: Timers;
  readonly random: Random;
  readonly warn: PacedWarning;
  /** Whether one that the platform refuses, while it takes the next, is dropped. Else everything waits behind it. */
  readonly dropsRefused: () => boolean;
}

/** Sends what waits, oldest first, one batch at a time. */
export interface ActivitySender {
  /** There may be something to send. */
  wake(): void;
  /** Send what there is until `signal` is aborted or the platform does not take it, and nothing after that. */
  finish(signal: AbortSignal): Promise<void>;
}

/** Activities of half a second go together, unless they fill a batch before: what waits long costs the garbage collector time. */
const gatherMs = 500;
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

export function createActivitySender(options: SenderOptions): ActivitySender {
  const { spool, platform, timers, random, warn, dropsRefused } = options;
  const stopped = new AbortController();
  let failures = 0;
  const search = createRefusalSearch();
  let searchedAt = spool.timesDropped;
  let refused = 0;
  let refusal: unknown;
  let cancel: (() => void) | undefined;
  let sending: Promise<void> | undefined;

  /** Whether the next batch may follow at once. */
  const sendOldest = async (signal: AbortSignal): Promise<boolean> => {
    // When acts were dropped to make room, the oldest ones are not those of the search any more.
    if (searchedAt !== spool.timesDropped) search.end();
    searchedAt = spool.timesDropped;
    const { count, suspects } = search.next();
    const batch = spool.oldest(count, suspects);
    if (!batch) return giveUp(suspects > 0);
    try {
      await platform.reportActivities(batch.entries, signal);
    } catch (error) {
      refusal = error;
      if (dropsRefused() && search.goesOn(error, batch.entries.length)) return true;
      if (!signal.aborted) warn('The platform does not take the activities; they are kept and sent again.', { error });
      return giveUp(true);
    }
    refused += suspects;
    if (suspects > 0) warn(wereDropped, { dropped: refused, error: refusal });
    batch.confirm();
    search.end();
    failures = 0;
    return true;
  };
  const giveUp = (hasFailed: boolean): false => {
    search.end();
    failures = hasFailed ? failures + 1 : 0;
    return false;
  };
  /** @param isEnough whether what waits by now may go on waiting. */
  const sendUntil = async (isEnough: () => boolean, signal: AbortSignal) => {
    while ((await sendOldest(signal)) && !signal.aborted) if (isEnough()) return;
  };
  const waitsForMore = () => !search.isUnderWay && !spool.hasFullBatch;
  const run = () => {
    cancel = undefined;
    sending = sendUntil(waitsForMore, stopped.signal).finally(() => {
      sending = undefined;
      wake();
    });
  };
  const wake = () => {
    if (stopped.signal.aborted || sending || !spool.hasUnsent) return;
    const isFull = failures === 0 && spool.hasFullBatch;
    if (cancel && !isFull) return;
    cancel?.();
    const pauseMs = isFull ? 0 : gatherMs;
    cancel = timers.after(failures === 0 ? pauseMs : pauseAfter(failures, random), run);
  };

  return {
    wake,
    finish: async (signal) => {
      const interrupt = () => stopped.abort();
      if (signal.aborted) interrupt();
      else signal.addEventListener('abort', interrupt, { once: true });
      await sending;
      stopped.abort();
      cancel?.();
      if (!signal.aborted) await sendUntil(() => false, signal);
    },
  };
}

const wereDropped = 'The platform refuses activities for what they say, and takes others; those are dropped.';

/** Exponential back-off with jitter, so that many agents do not come back at the same moment. */
function pauseAfter(failures: number, random: Random): number {
  const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
  const fraction = Number.parseInt(random.hex(4), 16) / 0xffffffff;
  return Math.round(ceiling * (0.5 + 0.5 * fraction));
}

/** After this many refusals in a row, the fault is hardly in the activities. */
const maxSuspects = 10;

/** Finds the acts that the platform refuses for their content, so that they do not hold up the others. */
interface RefusalSearch {
  /** Whether a refused batch is being searched. */
  readonly isUnderWay: boolean;
  /** How many entries to send next, and how many of the oldest acts to pass over: an entry of each was refused by itself. */
  next(): { readonly count: number; readonly suspects: number };
  /** A batch of `count` entries was not taken. Whether that is a reason to look on at once. */
  goesOn(error: unknown, count: number): boolean;
  /** Begin again, with whole batches. */
  end(): void;
}

function createRefusalSearch(): RefusalSearch {
  let size = maxActivitiesPerBatch;
  let suspects = 0;
  return {
    get isUnderWay() {
      return size < maxActivitiesPerBatch || suspects > 0;
    },
    next: () => ({ count: size, suspects }),
    goesOn: (error, count) => {
      if (!isAboutContent(error)) return false;
      if (count > 1) size = Math.ceil(count / 2);
      else suspects++;
      return suspects <= maxSuspects;
    },
    end: () => {
      size = maxActivitiesPerBatch;
      suspects = 0;
    },
  };
}

/** The reason is not rights, an address or load, so the platform may accept other acts. */
function isAboutContent(error: unknown): boolean {
  if (!isCloudError(error) || error.code !== 'PLATFORM_REFUSED') return false;
  const { status } = error.safeDetails;
  return status === 400 || status === 422;
}

/** The receiver of activities: the platform. */
export interface ActivityPlatform {
  /**
   * Resolves once they are stored there. One that was stored before, under its id and part, is not stored again.
   *
   * @param entries each as JSON, in the form of `contracts/activity.ts`.
   */
  reportActivities(entries: readonly string[], signal?: AbortSignal): Promise<void>;
}
