import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '#kernel/async/maybe-promise';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { UnfinishedBodyLimits } from './request-bodies.ts';

/** How much the agent takes on at once. */
export interface RequestLimits extends UnfinishedBodyLimits {
  /** Requests in progress, whose bodies have arrived; further ones are asked to come again. */
  readonly concurrentRequests: number;
  /** Milliseconds until a body has to have arrived and an answer has to begin; then the request is given up, in the database too. */
  readonly requestTimeoutMs: number;
  /** Seconds a minute that the requests of one person over a quarter of a second may take, all together; `null` for no bound. */
  readonly slowSecondsPerMinute: number | null;
  /** Bytes of a JSON answer. Files and exports are sent as they are read, and have no bound. */
  readonly maxResponseSize: number;
}

export const defaultRequestLimits: RequestLimits = {
  concurrentRequests: 1_000,
  requestTimeoutMs: 120_000,
  slowSecondsPerMinute: 120,
  maxResponseSize: 64 * 1024 * 1024,
  unfinishedBodies: 500,
  unfinishedBodiesPerAddress: 100,
};

/** Runs out when a request has taken too long. */
export interface Deadline {
  /** The result of `work`; rejects with `REQUEST_TIMEOUT` when time is up first. */
  before<Result>(work: Promise<Result>): Promise<Result>;
  /** Stop the timer: there is an answer, or the client no longer waits for one. */
  end(): void;
}

/** @param onLate called once, when time is up; `isAwaited` says whether something waits in `before`, and is reported. */
export function startDeadline(timeoutMs: number, onLate: (isAwaited: boolean) => void): Deadline {
  let isLate = false;
  let giveUp: ((error: CloudError) => void) | undefined;
  const timer = setTimeout(() => {
    isLate = true;
    giveUp?.(timedOut(timeoutMs));
    onLate(giveUp !== undefined);
  }, timeoutMs);
  timer.unref();
  return {
    before: (work) =>
      new Promise((resolve, reject) => {
        if (isLate) reject(timedOut(timeoutMs));
        giveUp = reject;
        work.then(resolve, reject);
      }),
    end: () => clearTimeout(timer),
  };
}

export function tooManyRequests(concurrentRequests: number): CloudError {
  return cloudError(
    'AGENT_BUSY',
    `The agent has ${concurrentRequests} requests in progress, and takes no more at once.`,
    'Send the request again in a moment.',
  );
}

export function timedOut(timeoutMs: number): CloudError {
  return cloudError(
    'REQUEST_TIMEOUT',
    `The request took longer than ${timeoutMs} ms and was given up.`,
    'Ask for less at once, or filter more.',
  );
}

export function bodyLate(timeoutMs: number): CloudError {
  return cloudError(
    'REQUEST_INCOMPLETE',
    `The body of the request did not arrive within ${timeoutMs} ms.`,
    'Send the request again, with its whole body.',
  );
}

/** A body that is JSON already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON of an answer. Throws `REQUEST_UNPROCESSABLE` where it has more bytes than may be sent. */
export function boundedJson(payload: unknown, maxBytes: number): string {
  const text = payload instanceof JsonText ? payload.text : JSON.stringify(payload);
  // One UTF-16 unit takes at most three bytes in UTF-8.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  throw cloudError(
    'REQUEST_UNPROCESSABLE',
    `The answer would have more than ${maxBytes} bytes.`,
    'Ask for fewer records or fields at once.',
  );
}

const refusalMs = 250;
/** More would take the place of requests in progress. */
const mostLate = 32;
let late = 0;

/**
 * What `take` returns. What it throws comes late: a client that asks again at once would cost the agent more by its refusals than by
 * what it was refused. When many are late, further ones come at once.
 */
export function refusedLate<Result>(take: () => Result): MaybePromise<Result> {
  try {
    return take();
  } catch (error) {
    if (late >= mostLate) throw error;
    late++;
    return pause(refusalMs).then(() => {
      late--;
      throw error;
    });
  }
}

/** Requests below that are free: what people do most of the time. */
const slowMs = 250;
/** A person may use this share of a minute's time at a stretch. */
const atAStretch = 1 / 6;
const rememberedPersons = 10_000;

interface Spent {
  /** What the slow requests of the person took lately, in milliseconds. */
  ms: number;
  /** When `ms` was true; from then on it goes down. */
  at: number;
  /** When each request in progress began. */
  readonly running: Set<{ readonly begunAt: number }>;
}

/** Bounds the time that the slow requests of one person take of the agent and its databases, all of them together. */
export class SlowTime {
  readonly #secondsPerMinute: number;
  readonly #now: () => number;
  readonly #persons = new LRUCache<number, Spent>({ max: rememberedPersons });

  /** @param now milliseconds of a clock that is never set. */
  constructor(secondsPerMinute: number, now: () => number = () => performance.now()) {
    this.#secondsPerMinute = secondsPerMinute;
    this.#now = now;
  }

  /**
   * A request of a person begins. Returns what to call once its answer is there; later calls do nothing.
   *
   * @throws `REQUEST_TIME_SPENT` when the slow requests of the person have taken their time.
   */
  begin(person: number): () => void {
    const begunAt = this.#now();
    const spent = this.#persons.get(person) ?? { ms: 0, at: begunAt, running: new Set() };
    this.#persons.set(person, spent);
    const perMs = this.#secondsPerMinute / 60;
    spent.ms = Math.max(0, spent.ms - (begunAt - spent.at) * perMs);
    spent.at = begunAt;
    let total = spent.ms;
    for (const each of spent.running) {
      const tookMs = begunAt - each.begunAt;
      if (tookMs > slowMs) total += tookMs;
    }
    const tooMuchMs = total - this.#secondsPerMinute * 1000 * atAStretch;
    if (tooMuchMs > 0) throw timeSpent(Math.max(1, Math.ceil(tooMuchMs / perMs / 1000)));
    const own = { begunAt };
    spent.running.add(own);
    return () => {
      if (!spent.running.delete(own)) return;
      const tookMs = this.#now() - begunAt;
      if (tookMs > slowMs) spent.ms += tookMs;
    };
  }
}

function timeSpent(retryAfterSeconds: number) {
  return cloudError(
    'REQUEST_TIME_SPENT',
    'Your requests have kept the agent busy for longer than it allows one person.',
    `Ask again after ${retryAfterSeconds} s, and for less at once: filter more, or ask one slow request after the other.`,
    { details: { retryAfterSeconds } },
  );
}
