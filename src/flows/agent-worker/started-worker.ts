import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { AgentWorkerData, WorkerStart, WorkerTask } from './worker-protocol.ts';

/** In MB. */
const defaultYoungHalf = 16;
/**
 * How much the heap may grow before V8 looks for garbage, in percent of what is in use. By itself, V8 lets the garbage of reloads
 * grow to three times what is in use, on a machine with much memory.
 */
const heapGrowingPercent = 65;

export interface StartedWorkerInput {
  readonly url: URL;
  /** What tells which code of its own it needs. */
  readonly data: Pick<AgentWorkerData, 'dataSources' | 'savedSchema' | 'isServing'>;
  /** Environment variables of the worker. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Each of the two halves of V8's space for new objects, in MB: a power of two. Default 16. */
  readonly youngHalfMb?: number;
}

/** A thread that loads the code of this package, and waits until it is given what it serves. That takes it some 200 ms. */
export class StartedWorker {
  readonly #worker: Worker;
  #isTaken = false;
  #isEnded = false;

  constructor({ url, data, environment, youngHalfMb = defaultYoungHalf }: StartedWorkerInput) {
    const { dataSources, savedSchema, isServing } = data;
    const workerData: WorkerStart = { dataSources, savedSchema, isServing, compileCache: compileCacheFolder() };
    // V8 counts a third part for large objects.
    const resourceLimits = { maxYoungGenerationSizeMb: 3 * youngHalfMb };
    // For the whole process, whose main thread has garbage of the reloads as well.
    setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`);
    // It begins with the whole space: the growth ends for all threads when that of the main thread is large enough.
    setFlagsFromString(`--min-semi-space-size=${youngHalfMb}`);
    const own = environment === undefined ? {} : { env: environment };
    this.#worker = new Worker(url, { workerData, ...own, stdout: true, stderr: true, resourceLimits });
    // Whoever takes it learns about an error. One that ends before that is not taken.
    this.#worker.on('error', () => undefined);
    this.#worker.once('exit', () => {
      this.#isEnded = true;
    });
  }

  /** Whether somebody can still take it. */
  get isWaiting(): boolean {
    return !this.#isTaken && !this.#isEnded;
  }

  /** From now on the worker is the caller's, who ends it. It keeps the saved schema that it was started with. */
  take({ savedSchema: _, ...task }: AgentWorkerData): Worker {
    this.#isTaken = true;
    this.#worker.postMessage(task satisfies WorkerTask);
    return this.#worker;
  }

  /** Ends the worker that nobody has taken. */
  async end(): Promise<void> {
    if (this.isWaiting) await this.#worker.terminate();
  }
}

/** The folder that the main thread keeps what it compiles in: Node.js names one for its version below it. */
function compileCacheFolder(): string | undefined {
  const folder = getCompileCacheDir();
  return folder && path.dirname(folder);
}
