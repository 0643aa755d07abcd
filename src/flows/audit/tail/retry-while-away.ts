import { setTimeout as wait } from 'node:timers/promises';
import { type CloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';

export interface RetryWhileAwayInput {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Give up after this many milliseconds without success. */
  readonly longestMs: number;
  /** Told once, and again only after a success. */
  readonly tellAway: (error: CloudError) => void;
}

const firstPauseMs = 200;
const longestPauseMs = 30_000;

/** Do something again until it works, as long as its errors say that a retry helps. Pauses grow, with jitter, and are as long as the other side asks for. */
export async function retryWhileAway<Result>(
  { clock, random, signal, longestMs, tellAway }: RetryWhileAwayInput,
  work: () => Promise<Result>,
): Promise<Result> {
  const end = clock.monotonicMs() + longestMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isCloudError(error) || error.recover !== 'retry' || signal.aborted) throw error;
      const pauseMs = Math.max(pauseAfter(attempt, random), askedFor(error));
      if (clock.monotonicMs() + pauseMs > end) throw error;
      if (attempt === 0) tellAway(error);
      await wait(pauseMs, undefined, { signal });
    }
  }
}

function pauseAfter(attempt: number, random: Random): number {
  const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempt, 16));
  const fraction = Number.parseInt(random.hex(4), 16) / 0xffffffff;
  return Math.round(ceiling * (0.25 + 0.75 * fraction));
}

function askedFor({ safeDetails }: CloudError): number {
  const seconds = safeDetails['retryAfterSeconds'];
  return typeof seconds === 'number' ? seconds * 1000 : 0;
}
