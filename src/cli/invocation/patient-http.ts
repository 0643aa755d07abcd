import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '#kernel/ports/clock';
import type { Http } from '#kernel/ports/http';
import type { Random } from '#kernel/ports/random';
import type { Reporter } from '#kernel/ports/reporter';
import { retryAfterSeconds } from '#kernel/rates/rate-policy';

/** How long one request waits where the command has no `--timeout`, in milliseconds. */
const usualPatienceMs = 60_000;
const firstPauseMs = 500;
const longestPauseMs = 10_000;
/** Shorter waits are not worth a word. */
const shortWaitMs = 1_000;

interface Patience {
  readonly clock: Clock;
  readonly random: Random;
  readonly reporter: Pick<Reporter, 'info'>;
  /** Ends the wait. */
  readonly interrupted: AbortSignal;
  /** How long all requests together may wait, from now on. Default: a minute for each one. */
  readonly timeoutMs?: number | undefined;
  pause?(ms: number, signal: AbortSignal): Promise<unknown>;
}

/**
 * The same HTTP, which sends a request again that came too early (429): such a request was not carried out. It waits as long as
 * the server asks for, says so, and hands the refusal over once the time would be up.
 */
export function waitOutLimits<Given extends Http>(http: Given, patience: Patience): Given {
  const { clock, reporter, interrupted, timeoutMs, pause = pauseFor } = patience;
  const endOfAll = timeoutMs === undefined ? undefined : clock.monotonicMs() + timeoutMs;
  return {
    ...http,
    async send(request) {
      const start = clock.monotonicMs();
      const end = endOfAll ?? start + usualPatienceMs;
      const signal = request.signal ? AbortSignal.any([interrupted, request.signal]) : interrupted;
      let isTold = false;
      for (let attempt = 0; ; attempt++) {
        const response = await http.send(request);
        if (response.status !== 429) return response;
        const askedMs = 1_000 * (retryAfterSeconds(response.headers['retry-after'], clock.now()) ?? 0);
        const resumeAt = clock.monotonicMs() + Math.max(askedMs, pauseAfter(attempt, patience.random));
        if (resumeAt > end) return response;
        if (!isTold && resumeAt - start > shortWaitMs) {
          const seconds = Math.ceil((resumeAt - clock.monotonicMs()) / 1_000);
          reporter.info(`${new URL(request.url).host} gets too many requests. Trying again in ${seconds} s …`);
          isTold = true;
        }
        await pause(resumeAt - clock.monotonicMs(), signal);
        if (signal.aborted) return response;
      }
    },
  };
}

/** With jitter, so that many clients do not come back at the same moment. */
function pauseAfter(attempt: number, random: Random): number {
  const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
  const fraction = Number.parseInt(random.hex(4), 16) / 0xffffffff;
  return Math.round(ceiling * (0.5 + 0.5 * fraction));
}

/** Resolves early when the signal aborts. */
async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Milliseconds before a person reads what the command waits for. */
const silenceMs = 1_000;

/**
 * The same HTTP, which says what it waits for when an answer takes longer than a second. A request with a deadline of its own
 * is expected to take long: whoever sends it says so. Requests that wait for the same server at the same time are reported once.
 */
export function tellLongWaits<Given extends Http>(http: Given, reporter: Pick<Reporter, 'info'>): Given {
  /** The requests under way that took longer than a second, by host. */
  const waiting = new Map<string, number>();
  return {
    ...http,
    async send(request) {
      if (request.deadlineMs !== undefined) return http.send(request);
      const { host } = new URL(request.url);
      let isLong = false;
      const timer = setTimeout(() => {
        isLong = true;
        const others = waiting.get(host) ?? 0;
        waiting.set(host, others + 1);
        if (others === 0) reporter.info(`Waiting for ${host} …`);
      }, silenceMs);
      try {
        return await http.send(request);
      } finally {
        clearTimeout(timer);
        if (isLong) waiting.set(host, (waiting.get(host) ?? 1) - 1);
      }
    },
  };
}
