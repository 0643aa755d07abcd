import type { Worker } from 'node:worker_threads';
import type { Clock } from '#kernel/ports/clock';
import { judgeSilence, type Patience, type Silence, type Stretch, type Verdict } from './worker-silence.ts';

/** Milliseconds between two looks at the counter of a worker. */
const lookMs = 250;

export interface WorkerWatchInput {
  readonly worker: Pick<Worker, 'cpuUsage'>;
  /** Counted up by the worker. */
  readonly heartbeat: SharedArrayBuffer;
  readonly clock: Clock;
  readonly patience: Patience;
  /** The worker is stuck. Called once. `lastSignMs` is when its last beat was seen, on the monotonic clock. */
  onStuck(verdict: Exclude<Verdict, 'undecided'>, lastSignMs: number): void;
}

/** Watches over a worker until it is stopped. A worker that has never beaten is still loading its modules. */
export class WorkerWatch {
  readonly #input: WorkerWatchInput;
  readonly #counter: Int32Array;
  readonly #timer: NodeJS.Timeout;
  #lastCount = 0;
  #lastLookMs: number;
  #lastSignMs: number;
  #silence: SilentWorker | undefined;

  constructor(input: WorkerWatchInput) {
    this.#input = input;
    this.#counter = new Int32Array(input.heartbeat);
    this.#lastLookMs = input.clock.monotonicMs();
    this.#lastSignMs = this.#lastLookMs;
    this.#timer = setInterval(() => this.#look(), lookMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = this.#input.clock.monotonicMs();
    // A look that comes late counts as one in time: the process was stopped, or the machine was asleep.
    const attendedMs = Math.min(now - this.#lastLookMs, lookMs);
    this.#lastLookMs = now;
    const count = Atomics.load(this.#counter, 0);
    if (count !== this.#lastCount || count === 0) {
      this.#lastCount = count;
      this.#lastSignMs = now;
      this.#silence = undefined;
      return;
    }
    this.#silence ??= new SilentWorker(this.#input.worker);
    const verdict = judgeSilence(this.#silence.after(attendedMs), this.#input.patience);
    if (verdict === 'undecided') return;
    this.stop();
    this.#input.onStuck(verdict, this.#lastSignMs);
  }
}

const nothing: Stretch = { attendedMs: 0, cpuMs: 0 };

/** Asks a silent worker for its processor time, again and again. */
class SilentWorker {
  readonly #worker: Pick<Worker, 'cpuUsage'>;
  #attendedMs = 0;
  /** The first answer. */
  #first: Stretch | undefined;
  #told = nothing;
  /** When the question was asked that is not answered yet. */
  #asked: Stretch | undefined;

  constructor(worker: Pick<Worker, 'cpuUsage'>) {
    this.#worker = worker;
  }

  /** What is known after some more silence. */
  after(attendedMs: number): Silence {
    this.#attendedMs += attendedMs;
    const now: Stretch = { attendedMs: this.#attendedMs, cpuMs: cpuMsOfOtherThreads() };
    if (!this.#asked) this.#ask(now);
    return { told: this.#told, untold: this.#asked ? between(this.#asked, now) : nothing };
  }

  #ask(now: Stretch): void {
    this.#asked = now;
    this.#worker.cpuUsage().then(
      (usage) => {
        this.#asked = undefined;
        const answer = { attendedMs: this.#attendedMs, cpuMs: cpuMsOf(usage) };
        this.#first ??= answer;
        this.#told = between(this.#first, answer);
      },
      () => undefined, // It has ended, which it tells by itself.
    );
  }
}

function between(start: Stretch, end: Stretch): Stretch {
  return { attendedMs: end.attendedMs - start.attendedMs, cpuMs: end.cpuMs - start.cpuMs };
}

function cpuMsOfOtherThreads(): number {
  return cpuMsOf(process.cpuUsage()) - cpuMsOf(process.threadCpuUsage());
}

function cpuMsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
