import type { Worker } from 'node:worker_threads';
import type { CloudError } from '#kernel/errors/cloud-error';
import { reviveError } from '#kernel/errors/revive-error';
import type { Clock } from '#kernel/ports/clock';
import type { RunningCode } from '#runtime/index';
import { StartedWorker, type StartedWorkerInput } from './started-worker.ts';
import { crashed, exited, stopped, stuck } from './worker-losses.ts';
import type { AgentLogLine, AgentWorkerData, WorkerCalls, WorkerMessage, WorkerMethod } from './worker-protocol.ts';
import type { Patience } from './worker-silence.ts';
import { WorkerWatch, type WorkerWatchInput } from './worker-watch.ts';

/** Of a developer who has just saved an endless loop. */
const defaultPatience: Patience = { busyMs: 2_000, blockedMs: 10_000 };
/** What a worker is given to close its databases after the drain. On a busy machine that takes a while. */
const closingMs = 200;

interface Waiting {
  resolve(output: unknown): void;
  reject(error: CloudError): void;
}

export interface WorkerThreadInput extends Omit<StartedWorkerInput, 'data'> {
  readonly data: Omit<AgentWorkerData, 'heartbeat'>;
  readonly clock: Clock;
  /** One that was started for this. Default: it is started now. */
  readonly started?: StartedWorker | undefined;
  /** How long the worker may be silent before it counts as stuck; `null` where its silence says nothing. */
  readonly patience?: Patience | null;
  /** The worker ended or is stuck. Calls in progress have been rejected with the same error. */
  onLost(loss: Loss): void;
  onCatalogueChanged(): void;
  /** A request met an error of the user's code or of a database. */
  onRequestFailed(error: CloudError): void;
  /** The agent has logged something of the level that it was given. */
  onLog?: ((line: AgentLogLine) => void) | undefined;
  /** What user code printed. */
  onOutput(text: string): void;
}

export interface Loss {
  readonly error: CloudError;
  /** When the worker gave its last sign of life, on the monotonic clock. */
  readonly lastSignMs: number;
  /** The handler that it was lost in, where that is known. */
  readonly handler?: string | undefined;
  /** Resolves once the worker has ended, with everything that it held open: when a native function that holds it returns, which may be never. */
  readonly ended: Promise<unknown>;
}

/** One worker thread with its calls, its watch and its end. */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #input: WorkerThreadInput;
  readonly #waiting = new Map<number, Waiting>();
  readonly #watch: WorkerWatch | undefined;
  /** The error that ended it, where nothing caught one, and what threw that. */
  #uncaught: Error | undefined;
  #thrower: RunningCode | undefined;
  #nextId = 1;
  #isEnded = false;

  constructor(input: WorkerThreadInput) {
    const heartbeat = new SharedArrayBuffer(4);
    this.#input = input;
    const { started = new StartedWorker(input) } = input;
    this.#worker = started.take({ ...input.data, heartbeat });
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message));
    this.#worker.on('error', (error) => {
      this.#uncaught = error;
    });
    // What the worker said of its error has come by then.
    this.#worker.on('exit', () => this.#lose(this.#uncaught ? crashed(this.#uncaught, this.#thrower) : exited()));
    for (const stream of [this.#worker.stdout, this.#worker.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => input.onOutput(text));
    }
    this.#watch = this.#startWatch(heartbeat);
  }

  /** Lost or stopped: every further call is refused. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  call<Method extends WorkerMethod>(
    method: Method,
    input: WorkerCalls[Method]['input'],
  ): Promise<WorkerCalls[Method]['output']> {
    return new Promise((resolve, reject) => {
      if (this.#isEnded) return reject(exited());
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve: resolve as (output: unknown) => void, reject });
      this.#worker.postMessage({ id, method, input });
    });
  }

  /** Let it drain, then end it; never later than `drainMs` and a little. Calls that it has not answered by then are rejected. */
  async stop(drainMs: number): Promise<void> {
    const drained = this.call('stop', { drainMs }).then(
      () => undefined,
      () => undefined, // It ended on its own meanwhile, which is what is wanted.
    );
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, drainMs + closingMs);
    });
    await Promise.race([drained, deadline]);
    clearTimeout(timer);
    this.#end(stopped());
    await this.#worker.terminate();
  }

  #receive(message: WorkerMessage): void {
    if (message.kind === 'catalogue-changed') {
      this.#input.onCatalogueChanged();
      return;
    }
    if (message.kind === 'request-failed') {
      this.#input.onRequestFailed(reviveError(message.error));
      return;
    }
    if (message.kind === 'crashing') {
      this.#thrower = message.running;
      return;
    }
    if (message.kind === 'log') {
      this.#input.onLog?.(message.line);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'answer') waiting?.resolve(message.output);
    else waiting?.reject(reviveError(message.error));
  }

  #startWatch(heartbeat: SharedArrayBuffer): WorkerWatch | undefined {
    const { clock, patience = defaultPatience } = this.#input;
    if (!patience) return undefined;
    const worker = this.#worker;
    const whenStuck = async (...[verdict, lastSignMs]: Parameters<WorkerWatchInput['onStuck']>) => {
      // A native function lets nobody ask.
      const running = verdict === 'native' ? undefined : await this.#askWhatRuns();
      this.#lose(stuck(verdict, patience, running), { lastSignMs, handler: running?.subject });
    };
    const onStuck: WorkerWatchInput['onStuck'] = (verdict, lastSignMs) => void whenStuck(verdict, lastSignMs);
    return new WorkerWatch({ worker, heartbeat, clock, patience, onStuck });
  }

  async #askWhatRuns(): Promise<RunningCode | undefined> {
    const { askStuckWorker } = await import('./ask-stuck-worker.ts');
    if (this.#isEnded) return undefined;
    // A loss without its place is still a loss.
    return askStuckWorker(this.#worker).catch(() => undefined);
  }

  #lose(error: CloudError, silence?: Pick<Loss, 'lastSignMs' | 'handler'>): void {
    if (this.#isEnded) return;
    this.#end(error);
    const { lastSignMs, handler } = silence ?? { lastSignMs: this.#input.clock.monotonicMs() };
    this.#input.onLost({ error, lastSignMs, handler, ended: this.#worker.terminate() });
  }

  #end(error: CloudError): void {
    this.#isEnded = true;
    this.#watch?.stop();
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
