import { type CloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import type { ExplainedPermissions, ExplainedQuery, PermissionQuestion } from '#runtime/index';
import { withCodeFrame } from './with-code-frame.ts';
import type { AgentWorkerData, WorkerDiagnosis, WorkerListening, WorkerLoad } from './worker-protocol.ts';
import { WorkerThread, type WorkerThreadInput } from './worker-thread.ts';

export interface AgentControllerInput
  extends Pick<WorkerThreadInput, 'url' | 'clock' | 'onOutput' | 'onCatalogueChanged' | 'onRequestFailed'> {
  readonly fs: FileSystem;
  readonly data: Omit<AgentWorkerData, 'heartbeat'>;
  /** The worker was lost: `replaced` tells whether another one serves the last good code already. */
  onLost(error: CloudError, outcome: 'replaced' | 'gone'): void;
}

/**
 * Code whose worker is lost sooner than this after it loaded is not good, whatever its loading said. Long enough for an
 * endless loop that begins in its second second to be noticed.
 */
const trialMs = 4_000;

interface GoodCode {
  readonly code: string;
  readonly loadedAt: number;
}

/**
 * Keeps one worker serving the last code that loaded. Loads run one after the other. A worker that is lost is replaced
 * on the same ports with the last good code: the newest that did not lose its worker right after it loaded. When there
 * is none, the next save is waited for.
 */
export class AgentController {
  readonly #input: AgentControllerInput;
  #data: Omit<AgentWorkerData, 'heartbeat'>;
  #thread: WorkerThread | undefined;
  /** Newest last. Two are enough: the one on trial, and the one before it. */
  #good: readonly GoodCode[] = [];
  /** What is being loaded: when the worker is lost meanwhile, this is to blame and not the code before it. */
  #loading: string | undefined;
  /** What the worker said last, for when it says the same. */
  #typings = '';
  #isListening = false;
  #isStopped = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(input: AgentControllerInput) {
    this.#input = input;
    this.#data = input.data;
  }

  /** Load code into the running worker, or into a new one. Rejects and keeps the last good code when it is refused. */
  load(code: string): Promise<WorkerLoad> {
    return this.#enqueue(() => this.#load(code));
  }

  /** Listen with what is loaded. The ports that come out are kept for every later worker. */
  listen(): Promise<WorkerListening> {
    return this.#enqueue(() => this.#listen());
  }

  /**
   * Take another worker, with `data` when given: databases are opened and read afresh. Nothing comes back when no code
   * has loaded so far.
   */
  replace(data?: Partial<AgentWorkerData>): Promise<WorkerLoad | undefined> {
    return this.#enqueue(async () => {
      this.#data = { ...this.#data, ...data };
      await this.#thread?.stop(0);
      this.#thread = undefined;
      return this.#revive();
    });
  }

  /** Text of the typings file for the code that is loaded. */
  async typings(): Promise<string> {
    this.#typings = (await this.#current().call('typings', null)) ?? this.#typings;
    return this.#typings;
  }

  /** How a list request would be carried out by the code that is loaded. */
  explain(collection: string, query: string): Promise<ExplainedQuery> {
    return this.#current().call('explain', { collection, query });
  }

  /** What somebody may do with a collection of the code that is loaded. */
  explainPermissions(question: PermissionQuestion): Promise<ExplainedPermissions> {
    return this.#current().call('explainPermissions', question);
  }

  diagnose(): Promise<WorkerDiagnosis> {
    return this.#current().call('diagnose', null);
  }

  async stop(drainMs: number): Promise<void> {
    this.#isStopped = true;
    await this.#thread?.stop(drainMs);
  }

  async #load(code: string): Promise<WorkerLoad> {
    const isNew = this.#thread === undefined;
    const loadedAt = this.#input.clock.monotonicMs();
    this.#loading = code;
    const thread = this.#current();
    const result = await thread.call('load', { code }).catch(async (error: unknown) => {
      if (!thread.isEnded) this.#loading = undefined;
      throw await withCodeFrame(this.#input.fs, error);
    });
    this.#loading = undefined;
    this.#good = [...this.#good.filter((good) => good.code !== code), { code, loadedAt }].slice(-2);
    if (isNew && this.#isListening) await this.#listen();
    return result;
  }

  /** Code that loaded a moment ago and has lost its worker since is not good after all. */
  #blame(): void {
    const newest = this.#good.at(-1);
    const isOnTrial = newest !== undefined && this.#input.clock.monotonicMs() - newest.loadedAt < trialMs;
    if (this.#loading === undefined && isOnTrial) this.#good = this.#good.slice(0, -1);
    this.#loading = undefined;
  }

  async #listen(): Promise<WorkerListening> {
    const listening = await this.#current().call('listen', null);
    this.#isListening = true;
    this.#data = {
      ...this.#data,
      agentPort: { port: Number(new URL(listening.agentUrl).port), isExact: true },
      mcpPort: { port: Number(new URL(listening.mcpUrl).port), isExact: true },
    };
    return listening;
  }

  #current(): WorkerThread {
    this.#thread ??= this.#start();
    return this.#thread;
  }

  #start(): WorkerThread {
    const { url, clock, onOutput, onCatalogueChanged, onRequestFailed } = this.#input;
    const thread: WorkerThread = new WorkerThread({
      url,
      data: this.#data,
      clock,
      onOutput,
      onCatalogueChanged,
      onRequestFailed,
      onLost: (error) => {
        if (this.#isStopped || this.#thread !== thread) return;
        this.#thread = undefined;
        this.#blame();
        void this.#enqueue(() => this.#revive()).then(
          () => this.#input.onLost(error, this.#thread === undefined ? 'gone' : 'replaced'),
          (problem: unknown) => this.#input.onLost(toCloudError(problem), 'gone'),
        );
      },
    });
    return thread;
  }

  async #revive(): Promise<WorkerLoad | undefined> {
    const newest = this.#good.at(-1);
    if (this.#isStopped || this.#thread !== undefined || newest === undefined) return undefined;
    return this.#load(newest.code);
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined); // The caller sees the failure; the next in line runs all the same.
    return result;
  }
}
