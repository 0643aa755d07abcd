import { randomUUID } from 'node:crypto';
import { createTaskQueue } from '#kernel/async/task-queue';
import { type CloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { AgentWorkerData, HashedSchema, WorkerProgram } from '../agent-worker/worker-protocol.ts';
import type { Patience } from '../agent-worker/worker-silence.ts';
import { WorkerThread, type WorkerThreadInput } from '../agent-worker/worker-thread.ts';

/** A program that names its databases and its variables: workers get all of it each time. */
export type ServedProgram = Required<WorkerProgram>;

export interface ServingPoolInput
  extends Pick<WorkerThreadInput, 'url' | 'clock' | 'environment' | 'onOutput' | 'onRequestFailed'> {
  readonly size: number;
  /** What the host is called. */
  readonly host?: string | undefined;
  readonly data: Omit<AgentWorkerData, keyof ServedProgram | 'heartbeat'>;
  /** A worker ended or was stuck; another one takes its place. */
  onLost(error: CloudError): void;
}

const noCode = 'module.exports = () => undefined;';

/** Machines that serve people are busier than a developer's, and a worker that is ended takes requests with it. */
const patience: Patience = { busyMs: 10_000, blockedMs: 30_000 };

/** Milliseconds before a worker that cannot be replaced is tried again: the first time, and at most. */
const retryPause = { firstMs: 500, maxMs: 30_000 };

/**
 * Workers that serve one program on one port: the system spreads connections over them. A swap reaches them all or none,
 * and no connection is closed for it. A worker that is lost is replaced.
 */
export class ServingPool {
  readonly #input: ServingPoolInput;
  readonly #workers = new Set<WorkerThread>();
  readonly #inTurn = createTaskQueue();
  readonly #retries = new Set<NodeJS.Timeout>();
  #data: Omit<AgentWorkerData, keyof ServedProgram | 'heartbeat'>;
  #program: ServedProgram | undefined;
  /** A worker that has loaded everything but code and waits for the next check, which is sooner over for it. */
  #spare: WorkerThread | undefined;
  /** Those that check a program now. */
  readonly #checkers = new Set<WorkerThread>();
  #url = '';
  #isStopped = false;

  constructor(input: ServingPoolInput) {
    this.#input = input;
    this.#data = { ...input.data, peers: { channel: `workers ${randomUUID()}`, size: input.size, host: input.host } };
  }

  /** Where the agent answers, once something is served. */
  get url(): string {
    return this.#url;
  }

  /** What the collections of the program that is served look like. */
  async schema(): Promise<HashedSchema> {
    const [worker] = this.#workers;
    if (!worker) throw new TypeError('Nothing is served yet.');
    const schema = await worker.call('schema', { known: null });
    if (!schema) throw new TypeError('A schema has a hash.');
    return schema;
  }

  /** Load a program in a worker that serves nobody. Rejects with what is wrong with it. */
  async check(program: ServedProgram): Promise<void> {
    const worker = this.#takeSpare() ?? this.#startChecker(program);
    this.#checkers.add(worker);
    try {
      await worker.call('load', program);
    } finally {
      this.#checkers.delete(worker);
      await worker.stop(0);
    }
  }

  /** Serve a program in place of the one before. When a worker refuses it, all of them serve the one before. */
  serve(program: ServedProgram): Promise<void> {
    return this.#inTurn(async () => {
      const before = this.#program;
      if (before === undefined) {
        await this.#begin(program);
        this.#keepSpare(program);
        return;
      }
      const loads = await Promise.allSettled([...this.#workers].map((worker) => worker.call('load', program)));
      const refused = loads.find((load) => load.status === 'rejected');
      if (!refused) {
        this.#program = program;
        this.#keepSpare(program);
        return;
      }
      await Promise.allSettled([...this.#workers].map((worker) => worker.call('load', before)));
      throw refused.reason;
    });
  }

  /** Take no more requests; those in flight get `drainMs` to end. Checks under way are given up. */
  async stop(drainMs: number): Promise<void> {
    this.#isStopped = true;
    for (const retry of this.#retries) clearTimeout(retry);
    const checkers = [this.#takeSpare(), ...this.#checkers];
    await Promise.all([
      ...checkers.map((worker) => worker?.stop(0)),
      ...[...this.#workers].map((worker) => worker.stop(drainMs)),
    ]);
  }

  /** Start the next checker, and let it load the databases without the code: that would do its work twice. */
  #keepSpare(program: ServedProgram): void {
    this.#spare ??= this.#startChecker(program);
    // The check will tell what fails.
    this.#spare.call('load', { ...program, code: noCode }).catch(() => undefined);
  }

  #takeSpare(): WorkerThread | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare?.isEnded ? undefined : spare;
  }

  /** Whether it is lost or not, the call that is under way tells. */
  #startChecker(program: ServedProgram): WorkerThread {
    return this.#start(program, () => undefined, { isServing: false });
  }

  async #begin(program: ServedProgram): Promise<void> {
    try {
      // The first one finds the port that the others share.
      await this.#add(program);
      await Promise.all(Array.from({ length: this.#input.size - 1 }, () => this.#add(program)));
      this.#program = program;
    } catch (error) {
      await Promise.all([...this.#workers].map((worker) => worker.stop(0)));
      this.#workers.clear();
      throw error;
    }
  }

  /** Start one more worker that serves the program. */
  async #add(program: ServedProgram): Promise<void> {
    const worker = this.#start(program, ({ error }) => {
      if (!this.#workers.delete(worker) || this.#isStopped) return;
      this.#input.onLost(error);
      void this.#inTurn(() => this.#replace(0));
    });
    try {
      await worker.call('load', program);
      const { agentUrl, mcpUrl } = await worker.call('listen', { absence: null, reachedAt: null });
      this.#workers.add(worker);
      this.#url = agentUrl;
      this.#data = { ...this.#data, agentPort: sharedPort(agentUrl), mcpPort: sharedPort(mcpUrl) };
    } catch (error) {
      await worker.stop(0);
      throw error;
    }
  }

  /** Put a worker in the place of one that was lost, and try again later where that fails. */
  async #replace(failures: number): Promise<void> {
    if (this.#isStopped || this.#program === undefined || this.#workers.size >= this.#input.size) return;
    try {
      await this.#add(this.#program);
    } catch (error) {
      this.#input.onLost(toCloudError(error));
      const retry = setTimeout(
        () => {
          this.#retries.delete(retry);
          void this.#inTurn(() => this.#replace(failures + 1));
        },
        Math.min(retryPause.maxMs, retryPause.firstMs * 2 ** failures),
      );
      this.#retries.add(retry);
    }
  }

  #start(
    { dataSources, activityRequired, rest }: ServedProgram,
    onLost: WorkerThreadInput['onLost'],
    further: Pick<Partial<AgentWorkerData>, 'isServing'> = {},
  ): WorkerThread {
    const { url, clock, environment, onOutput, onRequestFailed } = this.#input;
    const data = { ...this.#data, ...further, dataSources, activityRequired, rest };
    return new WorkerThread({
      url,
      data,
      clock,
      patience,
      environment,
      onOutput,
      onRequestFailed,
      onCatalogueChanged: () => undefined, // Nobody follows the tables.
      onLost,
    });
  }
}

function sharedPort(url: string) {
  return { port: Number(new URL(url).port), isExact: true, isShared: true };
}
