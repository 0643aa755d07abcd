import { type CloudError, toCloudError } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
import type { FileSystem } from '#kernel/ports/file-system';
import type { ExplainedPermissions, ExplainedQuery, PermissionQuestion } from '#runtime/index';
import type {
  AgentWorkerData,
  HashedSchema,
  WorkerDiagnosis,
  WorkerListening,
  WorkerLoad,
} from '../agent-worker/worker-protocol.ts';
import { type Loss, WorkerThread, type WorkerThreadInput } from '../agent-worker/worker-thread.ts';
import { withCodeFrame } from './with-code-frame.ts';

export interface AgentControllerInput
  extends Pick<WorkerThreadInput, 'url' | 'clock' | 'onOutput' | 'onCatalogueChanged' | 'onRequestFailed' | 'onLog'> {
  readonly fs: FileSystem;
  readonly data: Omit<AgentWorkerData, 'heartbeat'>;
  /** Whether a debugger may hold a worker: its silence says nothing then. */
  readonly isDebugged?: boolean | undefined;
  /** A worker was lost. Called once more where it was `held`, once that is over: `isTold` says that the error is the same. */
  onLost(error: CloudError, outcome: LostOutcome, isTold: boolean): void;
}

/**
 * What serves after a worker was lost: `replaced`, another one with the last good code; `kept`, the worker before it, because
 * the lost one only tried code; `gone`, one without code, which answers requests with 503 and the reason; `held`, none so far, because
 * a native function holds the lost one and its ports.
 */
export type LostOutcome = 'replaced' | 'kept' | 'gone' | 'held';

/**
 * Code whose worker gives its last sign of life sooner than this after it loaded is not good, whatever its loading said. Long enough for an
 * endless loop that begins in its second second to be noticed.
 */
const trialMs = 2_000;

/** A reload of a large model makes 16 MB of new objects. They fit in, so that V8 collects nothing on its way. */
const youngHalfMb = 32;

interface GoodCode {
  readonly code: string;
  readonly loadedAt: number;
}

/**
 * Keeps one worker serving the last code that loaded. Loads run one after the other. Code goes into a fresh worker where code
 * before it has harmed the one that serves, or the databases are others; only a worker that has loaded the code takes
 * its place. A worker that is lost is replaced on the same ports with the last good code: the newest that did not lose its
 * worker right after it loaded. When there is none, or it loads no more, a worker without code keeps the ports and says why,
 * until the next save that loads.
 */
export class AgentController {
  readonly #input: AgentControllerInput;
  #data: Omit<AgentWorkerData, 'heartbeat'>;
  #thread: WorkerThread | undefined;
  /** A fresh worker that tries code beside the one that serves. */
  #trial: WorkerThread | undefined;
  /** Whether the databases or the settings are others than those that the worker has read. */
  #isOutdated = false;
  /** Newest last. Two are enough: the one on trial, and the one before it. */
  #good: readonly GoodCode[] = [];
  /** What is being loaded: when the worker is lost meanwhile, this is to blame and not the code before it. */
  #loading: string | undefined;
  /** What the worker said last, for when it says the same. */
  #typings = '';
  #isListening = false;
  /** The worker that has the ports. */
  #listener: WorkerThread | undefined;
  /** Why no code is loaded where code was. */
  #absence: CloudError | undefined;
  /** The good code is loaded again. */
  #isReviving = false;
  #isStopped = false;
  #lastLoss: CloudError | undefined;
  /** Resolves once the worker that was lost last has ended and left its ports. */
  #ended: Promise<unknown> = Promise.resolve();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(input: AgentControllerInput) {
    this.#input = input;
    this.#data = input.data;
  }

  /** Load code into the running worker, or into a fresh one. Rejects and keeps the last good code when it is refused. */
  load(code: string): Promise<WorkerLoad> {
    return this.#enqueue(() => this.#load(code));
  }

  /** Listen with what is loaded. The ports that come out are kept for every later worker. */
  listen(): Promise<WorkerListening> {
    return this.#enqueue(() => this.#listen());
  }

  /**
   * Take a fresh worker, with `data` when given: databases are opened and read afresh. Rejects and keeps the one before it
   * when the last good code does not load there. Nothing comes back when no code has loaded so far.
   */
  replace(data?: Partial<AgentWorkerData>): Promise<WorkerLoad | undefined> {
    return this.#enqueue(async () => {
      this.#data = { ...this.#data, ...data };
      const newest = this.#good.at(-1);
      if (newest === undefined) {
        await this.#thread?.stop(0);
        this.#thread = undefined;
        if (this.#absence) await this.#refuse(this.#absence);
        return undefined;
      }
      this.#isOutdated = true;
      return this.#load(newest.code);
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

  /** What a platform is told of the collections of the code that is loaded; `null` where its hash is `known`. */
  schema(known: string | null): Promise<HashedSchema | null> {
    return this.#current().call('schema', { known });
  }

  diagnose(): Promise<WorkerDiagnosis> {
    return this.#current().call('diagnose', null);
  }

  /** Why the worker was lost that served last. */
  get lastLoss(): CloudError | undefined {
    return this.#lastLoss;
  }

  async stop(drainMs: number): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#thread?.stop(drainMs), this.#trial?.stop(0), this.#ended]);
  }

  async #load(code: string): Promise<WorkerLoad> {
    const loadedAt = this.#input.clock.monotonicMs();
    const result = await this.#loadSomewhere(code).catch(async (error: unknown) => {
      if (this.#absence) await this.#refuse(toCloudError(error));
      throw await withCodeFrame(this.#input.fs, error);
    });
    this.#absence = undefined;
    this.#good = [...this.#good.filter((good) => good.code !== code), { code, loadedAt }].slice(-2);
    if (this.#isListening && this.#listener !== this.#thread) await this.#listen();
    return result;
  }

  /** Into the worker that serves, or into a fresh one where that has been harmed or is outdated. */
  async #loadSomewhere(code: string): Promise<WorkerLoad> {
    const served = this.#thread;
    if (served && (this.#isOutdated || (await served.call('isHarmed', null)))) return this.#try(code, served);
    const thread = this.#current();
    this.#loading = code;
    try {
      const result = await thread.call('load', { code });
      this.#loading = undefined;
      return result;
    } catch (error) {
      // What is lost is to blame for it, which needs to know that it was loading.
      if (thread.isEnded) throw error;
      this.#loading = undefined;
      throw error;
    }
  }

  /** Load code into a fresh worker, which takes the place of the one that serves if that succeeds. */
  async #try(code: string, served: WorkerThread): Promise<WorkerLoad> {
    const trial = this.#start();
    this.#trial = trial;
    try {
      const result = await trial.call('load', { code });
      this.#thread = trial;
      this.#isOutdated = false;
      await served.stop(0);
      return result;
    } catch (error) {
      await trial.stop(0);
      throw error;
    } finally {
      this.#trial = undefined;
    }
  }

  /** Code that loaded a moment ago and has lost its worker since is not good after all; nor is code that loses it when it loads again. */
  #blame(lastSignMs: number): void {
    const newest = this.#good.at(-1);
    const isOnTrial = newest !== undefined && lastSignMs - newest.loadedAt < trialMs;
    const blamed = this.#loading ?? (isOnTrial ? newest.code : undefined);
    this.#good = this.#good.filter(({ code }) => code !== blamed);
    this.#loading = undefined;
  }

  async #listen(): Promise<WorkerListening> {
    const thread = this.#current();
    const listening = await thread.call('listen', { absence: this.#absence ? reportOfError(this.#absence) : null });
    this.#isListening = true;
    this.#listener = thread;
    this.#data = {
      ...this.#data,
      agentPort: { port: Number(new URL(listening.agentUrl).port), isExact: true },
      mcpPort: { port: Number(new URL(listening.mcpUrl).port), isExact: true },
    };
    return listening;
  }

  #current(): WorkerThread {
    if (this.#thread) return this.#thread;
    this.#isOutdated = false;
    this.#thread = this.#start();
    return this.#thread;
  }

  #start(): WorkerThread {
    const { url, clock, onOutput, onCatalogueChanged, onRequestFailed, onLog } = this.#input;
    const thread: WorkerThread = new WorkerThread({
      url,
      data: this.#data,
      clock,
      youngHalfMb,
      onOutput,
      onCatalogueChanged,
      onRequestFailed,
      onLog,
      ...(this.#input.isDebugged ? { patience: null } : {}),
      onLost: (loss) => this.#lose(thread, loss),
    });
    return thread;
  }

  #lose(thread: WorkerThread, { error, lastSignMs, isHeld, ended }: Loss): void {
    if (this.#isStopped) return;
    if (this.#thread !== thread) {
      this.#input.onLost(error, 'kept', false);
      return;
    }
    this.#lastLoss = error;
    this.#ended = ended;
    this.#blame(lastSignMs);
    if (isHeld) this.#input.onLost(error, 'held', false);
    // Where no code was in service, the good code was tried before and did not load.
    const isWorthTrying = this.#absence === undefined || this.#isReviving;
    void this.#enqueue(() => this.#revive(thread, error, isWorthTrying)).then(
      (outcome) => this.#input.onLost(error, outcome, isHeld),
      (problem: unknown) => this.#input.onLost(toCloudError(problem), 'gone', false),
    );
  }

  async #revive(lost: WorkerThread, reason: CloudError, isWorthTrying: boolean): Promise<LostOutcome> {
    if (this.#isStopped) return 'gone';
    if (this.#thread === lost) this.#thread = undefined;
    if (this.#thread !== undefined) return 'replaced';
    this.#absence = reason;
    const newest = this.#good.at(-1);
    if (newest === undefined || !isWorthTrying) {
      await this.#refuse(reason);
      return 'gone';
    }
    this.#isReviving = true;
    try {
      await this.#load(newest.code);
      return 'replaced';
    } finally {
      this.#isReviving = false;
    }
  }

  /** Keep the ports with a worker that has no code and says why. One that was lost as well is replaced by the next. */
  async #refuse(reason: CloudError): Promise<void> {
    this.#absence = reason;
    if (this.#isStopped || !this.#isListening || this.#thread?.isEnded) return;
    await this.#listen();
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(() => this.#ended).then(work);
    this.#queue = result.catch(() => undefined); // The caller sees the failure; the next in line runs all the same.
    return result;
  }
}
