import { LRUCache } from 'lru-cache';
import { cloudError } from '#kernel/errors/cloud-error';

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
