import { setTimeout as pause } from 'node:timers/promises';
import { type CloudError, toCloudError } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
import type { FileSystem } from '#kernel/ports/file-system';
import type { OpenReverseProxy } from '#kernel/ports/reverse-proxy';
import type {
  AgentWorkerData,
  HashedSchema,
  WorkerCalls,
  WorkerDiagnosis,
  WorkerListening,
  WorkerLoad,
} from '../agent-worker/worker-protocol.ts';
import { type Loss, WorkerThread, type WorkerThreadInput } from '../agent-worker/worker-thread.ts';
import { AgentFront, behindFront } from './agent-front.ts';
import { LastGoodCode } from './last-good-code.ts';
import { type FollowedTables, loadAtLeisure, loadFittingCode, noCode } from './load-fitting-code.ts';
import { youngHalfMb } from './prepare-worker.ts';
import { tableChanges } from './table-changes.ts';
import { withCodeFrame } from './with-code-frame.ts';

export interface AgentControllerInput
  extends Omit<WorkerThreadInput, 'environment' | 'patience' | 'youngHalfMb' | 'onLost'> {
  readonly fs: FileSystem;
  readonly openReverseProxy: OpenReverseProxy;
  /** Whether a debugger may hold a worker: its silence says nothing then. */
  readonly isDebugged?: boolean | undefined;
  /** A worker was lost, and something serves again. */
  onLost(error: CloudError, outcome: LostOutcome): void;
}

/**
 * What serves after a worker was lost. `replaced`: another one with the last good code. `kept`: the worker that served before.
 * `reduced`: another one with whatever of the last good code fits to the tables. `gone`: one without code, which answers 503.
 */
export type LostOutcome = 'replaced' | 'kept' | 'reduced' | 'gone';

/** With the reason where only a part of the code is served. */
type Revival = { readonly outcome: LostOutcome; readonly refusal?: CloudError | undefined };

/**
 * How long code may keep the worker that serves, when it is evaluated there. Code that takes longer is evaluated in a fresh worker, and
 * requests notice only this pause.
 */
const evaluationLimitMs = 500;

/** How long requests of a worker that is replaced may last, and how long it may take to report what was done in it. */
const [drainMs, reportingMs] = [10_000, 1_000];
/** How long a lost worker may take to end, when everything stops. */
const endingMs = 500;

/**
 * Keeps one worker serving the last code that loaded, behind a front that has the ports and the connections. Loads run one after
 * the other. Code goes into a fresh worker if code before it has harmed the serving one, if it takes long to evaluate, or if the
 * databases are others. Only a worker that has loaded the code takes its place. A worker that is lost is replaced with the last
 * good code: the newest that did not lose its worker right after it loaded. Without one, a worker without code says why, until the
 * next save that loads.
 */
export class AgentController {
  readonly #input: AgentControllerInput;
  #data: Omit<AgentWorkerData, 'heartbeat'>;
  #thread: WorkerThread | undefined;
  /** A fresh worker that tries code beside the one that serves. */
  #trial: WorkerThread | undefined;
  /** Whether the databases or the settings are others than those that the worker has read. */
  #isOutdated = false;
  readonly #good = new LastGoodCode();
  /** What the worker said last, for when it says the same. */
  #typings = '';
  /** Has the ports, once somebody listens. */
  #front: AgentFront | undefined;
  /** The worker that requests go to. */
  #listener: WorkerThread | undefined;
  /** The ends of workers that were replaced, and answer their last requests. */
  readonly #retirements = new Set<Promise<void>>();
  /** Why no code is loaded where code was. */
  #absence: CloudError | undefined;
  /** The good code is loaded again. */
  #isReviving = false;
  #isStopped = false;
  #lastLoss: CloudError | undefined;
  /** When the code began to be loaded that serves, and the one that is loaded now, in milliseconds since the epoch. */
  #servedSinceMs: number | undefined;
  #loadingSinceMs: number | undefined;
  /** Losses that `onLost` tells of. */
  readonly #losses = new WeakSet<object>();
  /** Resolves once the workers that were lost have ended. */
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
      const { newest } = this.#good;
      if (newest === undefined) {
        const before = this.#thread;
        this.#thread = undefined;
        if (this.#absence) await this.#refuse(this.#absence);
        if (before) this.#retire(before);
        return undefined;
      }
      this.#isOutdated = true;
      return this.#load(newest);
    });
  }

  /**
   * Follow a change of the tables: load the last good code in a fresh worker, which reads them again and takes the place of the one that
   * serves. Where the code does not fit to them any more, whatever of it does is served. Nothing comes back when nothing has changed.
   * Rejects, and keeps the worker that serves, when the tables cannot be read, or the code loads in no way.
   */
  followTables(): Promise<FollowedTables | undefined> {
    return this.#enqueue(async () => {
      const { newest } = this.#good;
      const served = this.#thread;
      if (newest === undefined || served === undefined || served.isEnded) return undefined;
      const before = await served.call('tables', null);
      const trial = this.#start();
      this.#trial = trial;
      try {
        await loadAtLeisure(trial, noCode);
        const after = await trial.call('tables', null);
        const changes = tableChanges(before, after);
        if (changes.length === 0 && before.warnings.join() === after.warnings.join()) {
          await trial.stop(0);
          return undefined;
        }
        // From now on a save is loaded on the tables as they are.
        this.#isOutdated = true;
        const { load, refusal } = await loadFittingCode(trial, newest);
        await this.#takeOver(trial, served);
        return { changes, load, refusal: refusal && (await this.#framed(refusal)) };
      } catch (error) {
        await trial.stop(0);
        throw await this.#framed(error);
      } finally {
        this.#trial = undefined;
      }
    });
  }

  /** Text of the typings file for the code that is loaded. */
  async typings(): Promise<string> {
    this.#typings = (await this.#loaded().call('typings', null)) ?? this.#typings;
    return this.#typings;
  }

  /** Ask the worker about the code that is loaded, and about its databases. */
  async ask<Question extends 'explain' | 'explainPermissions' | 'typingsFor' | 'warningsOfCheck'>(
    question: Question,
    input: WorkerCalls[Question]['input'],
  ): Promise<WorkerCalls[Question]['output']> {
    return this.#loaded().call(question, input);
  }

  /** What a platform gets to know of the collections of the code that is loaded; `null` where its hash is `known`. */
  async schema(known: string | null): Promise<HashedSchema | null> {
    return this.#loaded().call('schema', { known });
  }

  diagnose(): Promise<WorkerDiagnosis> {
    return this.#current().call('diagnose', null);
  }

  /** Why the worker was lost that served last. */
  get lastLoss(): CloudError | undefined {
    return this.#lastLoss;
  }

  /** Whether code serves, and not the reason why there is none. */
  get isServing(): boolean {
    return this.#absence === undefined;
  }

  /** Whether `onLost` tells of what a call was refused with. */
  tells(error: unknown): boolean {
    return error instanceof Error && (this.#losses.has(error) || this.#losses.has(Object(error.cause)));
  }

  async stop(drainMs: number): Promise<void> {
    this.#isStopped = true;
    await Promise.all([
      this.#front?.stop(drainMs),
      this.#thread?.stop(drainMs),
      this.#trial?.stop(0),
      ...this.#retirements,
      // A native function may hold one for ever.
      Promise.race([this.#ended, pause(endingMs, undefined, { ref: false })]),
    ]);
  }

  async #load(code: string): Promise<WorkerLoad> {
    const { clock } = this.#input;
    const loadedAtMs = clock.monotonicMs();
    const sinceMs = clock.now();
    this.#loadingSinceMs = sinceMs;
    try {
      const result = await this.#loadSomewhere(code);
      this.#absence = undefined;
      this.#servedSinceMs = sinceMs;
      this.#good.keep(code, loadedAtMs);
      await this.#serveCurrent();
      return result;
    } catch (error) {
      if (this.#absence) await this.#refuse(toCloudError(error));
      throw await this.#framed(error);
    } finally {
      this.#loadingSinceMs = undefined;
    }
  }

  /** Hand requests to the current worker, where another one serves. */
  async #serveCurrent(): Promise<void> {
    const before = this.#listener;
    if (!before || before === this.#thread) return;
    await this.#listen();
    this.#retire(before);
  }

  /** Into the worker that serves, or into a fresh one where that has been harmed or is outdated. */
  async #loadSomewhere(code: string): Promise<WorkerLoad> {
    if (this.#thread?.isEnded) this.#thread = undefined;
    const served = this.#thread;
    if (served && (this.#isOutdated || (await served.call('isHarmed', null)))) return this.#try(code, served);
    const thread = this.#current();
    const limit = served === undefined ? {} : { limitMs: evaluationLimitMs };
    const result = await this.#good.during(code, thread.call('load', { code, ...limit }));
    return result ?? this.#try(code, thread);
  }

  /** Load code into a fresh worker, which takes the place of the one that serves if that succeeds. */
  async #try(code: string, served: WorkerThread): Promise<WorkerLoad> {
    const trial = this.#start();
    this.#trial = trial;
    try {
      const result = await loadAtLeisure(trial, code);
      await this.#takeOver(trial, served);
      return result;
    } catch (error) {
      await trial.stop(0);
      throw error;
    } finally {
      this.#trial = undefined;
    }
  }

  async #takeOver(trial: WorkerThread, served: WorkerThread): Promise<void> {
    this.#thread = trial;
    this.#isOutdated = false;
    if (this.#listener === undefined) await served.stop(0);
    else await this.#serveCurrent();
  }

  /** Let a worker that was replaced answer its last requests and report them, then end it. Nothing waits for that. */
  #retire(thread: WorkerThread): void {
    if (thread.isEnded) return;
    const end = async () => {
      await this.#front?.drain(thread, drainMs);
      await thread.stop(reportingMs);
    };
    const retirement = end().finally(() => this.#retirements.delete(retirement));
    this.#retirements.add(retirement);
  }

  async #listen(): Promise<WorkerListening> {
    const thread = this.#current();
    this.#front ??= await AgentFront.open(this.#input.openReverseProxy, this.#data);
    const absence = this.#absence ? reportOfError(this.#absence) : null;
    const listening = await thread.call('listen', { absence, reachedAt: this.#front.reachedAt });
    this.#listener = thread;
    this.#front.handTo(thread, listening);
    return listening;
  }

  #current(): WorkerThread {
    if (this.#thread) return this.#thread;
    this.#isOutdated = false;
    this.#thread = this.#start();
    return this.#thread;
  }

  /** Throws the loss of a worker, which `onLost` tells of, until code is loaded again. */
  #loaded(): WorkerThread {
    if (this.#absence) throw this.#lastLoss ?? this.#absence;
    return this.#current();
  }

  #start(): WorkerThread {
    const { url, started, clock, onOutput, onCatalogueChanged, onRequestFailed, onLog } = this.#input;
    const thread: WorkerThread = new WorkerThread({
      url,
      started: started?.isWaiting ? started : undefined,
      data: { ...this.#data, ...behindFront },
      clock,
      youngHalfMb,
      onOutput,
      onCatalogueChanged: () => {
        // One that is replaced looks at its databases to its end.
        if (thread === this.#thread) onCatalogueChanged();
      },
      onRequestFailed: (error) => void this.#framed(error).then(onRequestFailed),
      onLog,
      ...(this.#input.isDebugged ? { patience: null } : {}),
      onLost: (loss) => this.#lose(thread, loss),
    });
    return thread;
  }

  #lose(thread: WorkerThread, loss: Loss): void {
    const { error, ended } = loss;
    this.#losses.add(error);
    this.#ended = Promise.all([this.#ended, ended]);
    this.#front?.lose(thread);
    if (this.#isStopped) return;
    const tell = async (problem: unknown, outcome: LostOutcome) =>
      this.#input.onLost(await this.#framed(problem), outcome);
    if (this.#thread !== thread) {
      void tell(error, 'kept');
      return;
    }
    this.#lastLoss = error;
    this.#good.blame(loss);
    // Where no code was in service, the good code was tried before and did not load.
    const isWorthTrying = this.#absence === undefined || this.#isReviving;
    void this.#enqueue(() => this.#revive(thread, error, isWorthTrying)).then(
      async ({ outcome, refusal }) => {
        await tell(error, outcome);
        if (refusal) await tell(refusal, 'reduced');
      },
      async (problem: unknown) => {
        await tell(error, 'gone');
        if (!this.tells(problem)) await tell(problem, 'gone');
      },
    );
  }

  async #revive(lost: WorkerThread, reason: CloudError, isWorthTrying: boolean): Promise<Revival> {
    if (this.#isStopped) return { outcome: 'gone' };
    if (this.#thread === lost) this.#thread = undefined;
    if (this.#thread !== undefined) return { outcome: 'replaced' };
    this.#absence = reason;
    const { newest } = this.#good;
    if (newest === undefined || !isWorthTrying) {
      await this.#refuse(reason);
      return { outcome: 'gone' };
    }
    this.#isReviving = true;
    try {
      const { refusal } = await this.#good.during(newest, loadFittingCode(this.#current(), newest));
      this.#absence = undefined;
      await this.#serveCurrent();
      return { outcome: 'replaced', refusal };
    } catch (error) {
      await this.#refuse(toCloudError(error));
      throw error;
    } finally {
      this.#isReviving = false;
    }
  }

  /** Keep the ports with a worker that has no code and says why. One that was lost as well is replaced by the next. */
  async #refuse(reason: CloudError): Promise<void> {
    this.#absence = reason;
    if (this.#isStopped || !this.#listener || this.#thread?.isEnded) return;
    await this.#listen();
  }

  /** With the lines around its place. */
  async #framed(error: unknown): Promise<CloudError> {
    const loadedAtMs = this.#loadingSinceMs ?? this.#servedSinceMs;
    return toCloudError(await withCodeFrame(this.#input.fs, error, loadedAtMs));
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined); // The caller sees the failure; the next in line runs all the same.
    return result;
  }
}
