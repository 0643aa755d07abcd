import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '#kernel/async/maybe-promise';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { UnfinishedBodyLimits } from './request-bodies.ts';

export interface SlowRequestLimits {
  /** Seconds a minute that the requests of one person over a quarter of a second may take, all together; `null` for no bound. */
  readonly slowSecondsPerMinute: number | null;
  /** How many slow reads of a person are in progress at once: each begins when the one before has ended, or has taken three seconds. `null` for no bound. */
  readonly slowReadsPerPerson: number | null;
}

/** How much the agent takes on at once. */
export interface RequestLimits extends UnfinishedBodyLimits, SlowRequestLimits {
  /** Requests in progress, whose bodies have arrived; further ones are asked to come again. */
  readonly concurrentRequests: number;
  /** Milliseconds until a body has to have arrived and an answer has to begin; then the request is given up, in the database too. */
  readonly requestTimeoutMs: number;
  /** Bytes of a JSON answer. Files and exports are sent as they are read, and have no bound. */
  readonly maxResponseSize: number;
}

export const defaultRequestLimits: RequestLimits = {
  concurrentRequests: 1_000,
  requestTimeoutMs: 120_000,
  slowSecondsPerMinute: 120,
  slowReadsPerPerson: 2,
  maxResponseSize: 64 * 1024 * 1024,
  unfinishedBodies: 500,
  unfinishedBodiesPerAddress: 100,
};

/** Runs out when a request has taken too long. */
export interface Deadline {
  /** When time is up, as `performance.now()` tells it. */
  readonly endsAt: number;
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
    endsAt: performance.now() + timeoutMs,
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
export function refusedLate<Result>(take: () => MaybePromise<Result>): MaybePromise<Result> {
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

/** How often the event loop has to come by while somebody asks for the time of it. */
const beatMs = 50;
/** A loop that is later than this was held up. */
const lateMs = 4 * beatMs;

/** What the machine says. */
interface Measured {
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Milliseconds that the processors have worked for this process. */
  readonly worked: () => number;
}

const ofThisProcess: Measured = {
  now: () => performance.now(),
  worked: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/**
 * A clock that stands while the process stands still: while its virtual machine is paused, the process is stopped, or the machine has no
 * processor for it. What the process computes counts, however long it holds up the event loop.
 *
 * @param isNeeded whether the time goes on to matter. The clock looks twenty times a second as long as it does, so that it notices.
 * @returns milliseconds since an instant in the past.
 */
export function createRunningTime(isNeeded: () => boolean, measured: Measured = ofThisProcess): () => number {
  let stoodMs = 0;
  let lookedAt = 0;
  let workedMs = 0;
  let beat: NodeJS.Timeout | undefined;

  const look = (now: number) => {
    const worked = measured.worked();
    if (beat && now - lookedAt > lateMs) stoodMs += Math.max(0, now - lookedAt - (worked - workedMs));
    lookedAt = now;
    workedMs = worked;
  };
  const onBeat = () => {
    look(measured.now());
    if (isNeeded()) return;
    clearInterval(beat);
    beat = undefined;
  };
  return () => {
    const now = measured.now();
    if (!beat || now - lookedAt > lateMs) look(now);
    beat ??= setInterval(onBeat, beatMs).unref();
    return now - stoodMs;
  };
}

/** Requests below that are free: what people do most of the time. */
const slowMs = 250;
/** A person may use this share of a minute's time at a stretch. */
const atAStretch = 1 / 6;
/** Nobody waits longer than this for a read of theirs that hangs. */
const patienceMs = 3_000;
const rememberedPersons = 10_000;
const mostWaiting = 100;

interface Running {
  readonly begunAt: number;
  readonly isReading: boolean;
}

interface Person {
  /** What their slow requests took lately, in milliseconds. */
  spentMs: number;
  /** When that was true; from then on it goes down. */
  spentAt: number;
  readonly running: Set<Running>;
  /** How many of them read. */
  reading: number;
  /** How many may read at once. */
  room: number;
  /** Each begins one request. */
  readonly waiting: Set<() => void>;
}

/**
 * Bounds what the slow requests of one person take of the agent and its databases: their time, all together, and how many reads there are
 * at once. A person begins with room for few reads, and each quick one makes room for one more. After a slow one there is room for one. So
 * nobody who asks for much at once keeps a database busy, and nobody whose reads are quick waits. Writes never wait: an action may take
 * long without the database, and may ask this agent itself.
 */
export class SlowRequests {
  readonly #secondsPerMinute: number;
  readonly #atOnce: number;
  /** The room of a person after a slow read. */
  readonly #roomAfterSlow: number;
  readonly #now: () => number;
  /** How many requests are in progress. */
  #running = 0;
  readonly #persons = new LRUCache<number, Person>({ max: rememberedPersons });

  /** @param now milliseconds of a clock that is never set. Default: one that stands while this process stands still, which nobody is to pay for. */
  constructor(limits: SlowRequestLimits, now?: () => number) {
    this.#secondsPerMinute = limits.slowSecondsPerMinute ?? Number.POSITIVE_INFINITY;
    this.#atOnce = limits.slowReadsPerPerson ?? Number.POSITIVE_INFINITY;
    this.#roomAfterSlow = limits.slowReadsPerPerson === null ? Number.POSITIVE_INFINITY : 1;
    this.#now = now ?? createRunningTime(() => this.#running > 0);
  }

  /**
   * A request of a person begins, or waits until it may. Returns what to call once its answer is there; later calls do nothing.
   *
   * @param signal aborted when nobody waits for the answer any more.
   * @throws `REQUEST_TIME_SPENT` when the slow requests of the person have taken their time, or too many wait, and `INTERRUPTED` when nobody
   * waits for the answer.
   */
  begin(id: number, isReading: boolean, signal: AbortSignal): MaybePromise<() => void> {
    requireAwaited(signal);
    const now = this.#now();
    const person = this.#persons.get(id) ?? this.#newPerson(now);
    this.#persons.set(id, person);
    const slow = [...person.running].filter(({ begunAt }) => now - begunAt > slowMs);
    this.#requireTime(person, slow, now);
    if (slow.some((each) => each.isReading)) person.room = this.#roomAfterSlow;
    if (!isReading || (person.waiting.size === 0 && this.#hasRoom(person))) {
      return this.#start(person, isReading);
    }
    if (person.waiting.size >= mostWaiting) throw tooManyWaiting();
    return this.#waitForRoom(person, signal);
  }

  #newPerson(now: number): Person {
    return { spentMs: 0, spentAt: now, running: new Set(), reading: 0, room: this.#atOnce, waiting: new Set() };
  }

  /** @param slow the slow ones among the requests in progress. */
  #requireTime(person: Person, slow: readonly Running[], now: number): void {
    const perMs = this.#secondsPerMinute / 60;
    if (perMs === Number.POSITIVE_INFINITY) return;
    person.spentMs = Math.max(0, person.spentMs - (now - person.spentAt) * perMs);
    person.spentAt = now;
    const totalMs = slow.reduce((sum, { begunAt }) => sum + now - begunAt, person.spentMs);
    const tooMuchMs = totalMs - this.#secondsPerMinute * 1000 * atAStretch;
    if (tooMuchMs > 0) throw timeSpent(Math.max(1, Math.ceil(tooMuchMs / perMs / 1000)));
  }

  #start(person: Person, isReading: boolean): () => void {
    const own = { begunAt: this.#now(), isReading };
    person.running.add(own);
    this.#running++;
    if (isReading) person.reading++;
    return () => {
      if (!person.running.delete(own)) return;
      this.#running--;
      const tookMs = this.#now() - own.begunAt;
      if (tookMs > slowMs) person.spentMs += tookMs;
      if (isReading) this.#endRead(person, tookMs);
    };
  }

  #endRead(person: Person, tookMs: number): void {
    person.reading--;
    person.room = tookMs > slowMs ? this.#roomAfterSlow : person.room + 1;
    this.#admit(person);
  }

  /** Reads that hang take no room, as long as they are fewer than a person may have. */
  #hasRoom({ running, reading, room }: Person): boolean {
    if (reading < room) return true;
    const now = this.#now();
    const hanging = [...running].filter((each) => each.isReading && now - each.begunAt >= patienceMs);
    return reading - Math.min(hanging.length, this.#atOnce - 1) < room;
  }

  #admit(person: Person): void {
    for (const begin of person.waiting) {
      if (!this.#hasRoom(person)) break;
      begin();
    }
  }

  #waitForRoom(person: Person, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        leave();
        resolve(this.#start(person, true));
      };
      const giveUp = () => {
        leave();
        reject(clientGone());
      };
      // Whatever this read waits for has ended by then, or hangs.
      const patience = setInterval(() => this.#admit(person), patienceMs);
      patience.unref();
      const leave = () => {
        clearInterval(patience);
        person.waiting.delete(begin);
        signal.removeEventListener('abort', giveUp);
      };
      person.waiting.add(begin);
      signal.addEventListener('abort', giveUp);
      if (signal.aborted) giveUp();
    });
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

/** @throws `INTERRUPTED` when nobody waits for the answer any more. */
export function requireAwaited(signal: AbortSignal): void {
  if (signal.aborted) throw clientGone();
}

function clientGone() {
  return cloudError('INTERRUPTED', 'The client went away before its request could begin.', 'Send the request again.');
}

function tooManyWaiting() {
  return cloudError(
    'REQUEST_TIME_SPENT',
    `Your requests keep the agent busy, and ${mostWaiting} more of them wait already.`,
    'Ask again after 1 s, and for less at once: filter more, or ask one slow request after the other.',
    { details: { retryAfterSeconds: 1 } },
  );
}
