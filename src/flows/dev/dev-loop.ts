import { type CloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Bundle, Bundler } from '#project/index';
import type { WorkerLoad } from '../agent-worker/worker-protocol.ts';
import type { AppliedFile } from '../local-platform/permission-controller.ts';
import type { AgentController, LostOutcome } from '../project-agent/agent-controller.ts';
import type { DevEvent } from './dev-event.ts';
import type { TypeChecker } from './type-checker.ts';

/** What happens inside the loop; every one of them is handled in `dispatch`, in the order it arrives. */
type LoopEvent =
  | { readonly type: 'files-stirring' }
  | { readonly type: 'files-changed'; readonly paths: readonly string[]; readonly isAsAtStir: boolean }
  | { readonly type: 'reload-asked' }
  | { readonly type: 'bundled'; readonly bundle: Bundle; readonly since: number }
  | { readonly type: 'loaded'; readonly since: number }
  | { readonly type: 'refused'; readonly error: CloudError }
  | { readonly type: 'catalogue-changed' }
  | { readonly type: 'agent-lost'; readonly error: CloudError; readonly outcome: LostOutcome };

type Served = NonNullable<Extract<DevEvent, { event: 'error' }>['serves']>;

const servedAfter: Readonly<Record<LostOutcome, Served>> = {
  replaced: 'last-good',
  kept: 'last-good',
  reduced: 'part',
  gone: 'nothing',
};

/** Milliseconds before a change of the tables that cannot be followed is tried again: the first time, and at most. */
const retryPause = { firstMs: 2_000, maxMs: 30_000 };

interface StartedBuild {
  /** Absent where another build was asked for before it began. */
  readonly bundle: Promise<Bundle | undefined>;
  readonly since: number;
}

export interface DevLoopInput {
  readonly clock: Clock;
  readonly bundler: Omit<Bundler, 'packageSizes'>;
  readonly agent: Pick<AgentController, 'load' | 'replace' | 'followTables' | 'tells' | 'isServing'>;
  /** Files whose change means that the project itself has to be read again. */
  readonly configFiles: ReadonlySet<string>;
  /** Holds the rights of the project. */
  readonly permissionFile: string;
  /** Bring the local platform in line with the rights of the project and the collections of the code that is loaded. */
  applyPermissions(): Promise<AppliedFile | undefined>;
  /** Read the project again and serve it from another worker. */
  reopenProject(): Promise<WorkerLoad | undefined>;
  /** Checks the types of what is saved, beside everything else. */
  readonly types: Pick<TypeChecker, 'check' | 'cancel'>;
  watchInputs(inputs: readonly string[]): void;
  /** Bring the typings file in line with what is loaded. */
  writeTypings(): Promise<void>;
  tell(event: DevEvent): void;
}

/**
 * The controllers of the dev loop meet here, and nowhere else.
 *
 * ```
 * files-stirring ──▶ end the check of types; build ahead, for when the file that stirs is the only one
 * files-changed ──▶ end the check of types
 *       ├──(permissions.json)──▶ send it to the local platform ──▶ permissions
 *       ├──(config file)──▶ reopen project ──▶ replace worker ─▶ restarted
 *       └──(code)──▶ build ──▶ bundled ──▶ load in worker, or in a fresh one ──▶ loaded ──▶ reloaded, typings written ──▶ check types
 *                      └──▶ refused ◀────────────┘   (the last good code keeps serving)
 * catalogue-changed ──▶ read the tables in a fresh worker ──▶ tables-changed, restarted; refused where only a part of the code fits
 *                      └──▶ refused   (the worker before it keeps serving), and again after a pause
 * agent-lost ──▶ error told; the controller has put the last good code into another worker already
 * ```
 */
export class DevLoop {
  readonly #input: DevLoopInput;
  /** Between the first load and the stop; before and after, nothing is reported or done. */
  #isRunning = false;
  /** Saved while the first load was on its way, so perhaps after it was read. */
  #savedMeanwhile: readonly string[] = [];
  /** Told already; a reload says only what is new. */
  readonly #warnings = new Set<string>();
  #lastCode = '';
  /** The error that was told last, until something loads. */
  #lastRefusal = '';
  /** The newest build that was asked for: an older one is not begun any more, and not loaded. */
  #generation = 0;
  #lastBuild: Promise<unknown> = Promise.resolve();
  /** The build that was begun when files began to change. */
  #ahead: StartedBuild | undefined;
  /** The next try to follow the tables. */
  #retry: NodeJS.Timeout | undefined;
  /** Asked for and not done yet: a save that overtakes the build must not swallow it. */
  #isReloadAsked = false;

  constructor(input: DevLoopInput) {
    this.#input = input;
  }

  /** Files are changing; `filesChanged` follows. */
  filesStirring = () => this.#dispatch({ type: 'files-stirring' });
  /** @param isAsAtStir whether none of them has changed since `filesStirring` was called. */
  filesChanged = (paths: readonly string[], isAsAtStir = false) => {
    if (!this.#isRunning) this.#savedMeanwhile = [...this.#savedMeanwhile, ...paths];
    this.#dispatch({ type: 'files-changed', paths, isAsAtStir });
  };
  reload = () => this.#dispatch({ type: 'reload-asked' });
  catalogueChanged = () => this.#dispatch({ type: 'catalogue-changed' });
  agentLost = (error: CloudError, outcome: LostOutcome) => this.#dispatch({ type: 'agent-lost', error, outcome });

  /** Build and load the first time; rejects when either is refused. A later try reads a configuration that was saved since. */
  async begin(): Promise<WorkerLoad> {
    const saved = this.#savedMeanwhile;
    if (saved.some((path) => this.#input.configFiles.has(path))) await this.#input.reopenProject();
    this.#savedMeanwhile = this.#savedMeanwhile.slice(saved.length);
    const bundle = await this.#input.bundler.build();
    this.#input.watchInputs(bundle.inputs);
    this.#lastCode = bundle.code;
    const load = await this.#input.agent.load(bundle.code);
    await this.#input.writeTypings();
    this.#isRunning = true;
    if (this.#savedMeanwhile.length > 0) this.filesChanged(this.#savedMeanwhile);
    return load;
  }

  /** Say what of the databases is left out. */
  warn({ warnings }: WorkerLoad): void {
    for (const message of warnings) if (!this.#warnings.has(message)) this.#input.tell({ event: 'warning', message });
    for (const message of warnings) this.#warnings.add(message);
  }

  /** Once everything serves, for what is on the disk then. */
  checkTypes(): void {
    this.#input.types.check();
  }

  stop(): void {
    clearTimeout(this.#retry);
    this.#isRunning = false;
  }

  #dispatch(event: LoopEvent): void {
    if (!this.#isRunning) return;
    const { tell } = this.#input;
    switch (event.type) {
      case 'files-stirring':
        this.#input.types.cancel();
        this.#ahead = this.#startBuild(() => false);
        break;
      case 'files-changed': {
        this.#input.types.cancel();
        const ahead = event.isAsAtStir ? this.#ahead : undefined;
        this.#ahead = undefined;
        const { configFiles, permissionFile, reopenProject } = this.#input;
        if (event.paths.includes(permissionFile)) this.#applyPermissions();
        if (event.paths.every((path) => path === permissionFile)) {
          this.#input.types.check();
          break;
        }
        if (event.paths.some((path) => configFiles.has(path))) this.#replace(reopenProject);
        else this.#build(ahead);
        break;
      }
      case 'reload-asked':
        this.#isReloadAsked = true;
        this.#lastRefusal = '';
        this.#build();
        break;
      case 'bundled':
        this.#load(event.bundle, event.since);
        break;
      case 'loaded':
        this.#lastRefusal = '';
        this.#finish(event.since);
        break;
      case 'refused':
        // Saving the same code again, or going back to the good one, is worth a try.
        this.#lastCode = '';
        this.#tellOnce(event.error, this.#input.agent.isServing ? 'last-good' : 'nothing');
        break;
      case 'catalogue-changed':
        this.#followTables(retryPause.firstMs);
        break;
      case 'agent-lost':
        this.#lastCode = '';
        tell({ event: 'error', error: event.error, serves: servedAfter[event.outcome] });
        if (event.outcome === 'replaced') tell({ event: 'restarted' });
        break;
      default:
        unreachable(event);
    }
  }

  /** Files that have nothing to do with an error are saved too: it is reported again when something about it changes. */
  #tellOnce(error: CloudError, serves: Served): void {
    const { code, message, location } = error;
    const refusal = JSON.stringify([code, message, location]);
    if (refusal === this.#lastRefusal) return;
    this.#lastRefusal = refusal;
    this.#input.tell({ event: 'error', error, serves });
  }

  /** One build after the other: to a second one beside it, esbuild answers with what the first has read. */
  #startBuild(isOvertaken: () => boolean): StartedBuild {
    const since = this.#input.clock.monotonicMs();
    const bundle = this.#lastBuild.then(() => (isOvertaken() ? undefined : this.#input.bundler.build()));
    this.#lastBuild = bundle.catch(() => undefined);
    return { bundle, since };
  }

  #build(ahead?: StartedBuild): void {
    const generation = ++this.#generation;
    const isOvertaken = () => generation !== this.#generation;
    const { bundle: built, since } = ahead ?? this.#startBuild(isOvertaken);
    this.#settle(
      built.then((bundle) => {
        if (!bundle || isOvertaken()) return;
        const isUnchanged = bundle.code === this.#lastCode && !this.#isReloadAsked;
        if (isUnchanged) return this.#input.types.check();
        this.#isReloadAsked = false;
        this.#lastCode = bundle.code;
        this.#dispatch({ type: 'bundled', bundle, since });
      }),
    );
  }

  #load(bundle: Bundle, since: number): void {
    this.#input.watchInputs(bundle.inputs);
    this.#settle(this.#input.agent.load(bundle.code).then(() => this.#dispatch({ type: 'loaded', since })));
  }

  /** The time counts to the swap; it is reported once the types on disk belong to what is served. */
  #finish(since: number): void {
    const ms = Math.round((this.#input.clock.monotonicMs() - since) * 10) / 10;
    this.#settle(
      this.#input.writeTypings().then(() => {
        this.#input.tell({ event: 'reloaded', ms });
        this.#input.types.check();
      }),
    );
    this.#applyPermissions();
  }

  #replace(replace: () => Promise<WorkerLoad | undefined>): void {
    this.#settle(
      replace().then(async (load) => {
        if (load) await this.#input.writeTypings();
        if (load) this.warn(load);
        this.#lastRefusal = '';
        this.#input.tell({ event: 'restarted' });
        this.#input.types.check();
        if (load) this.#applyPermissions();
      }),
    );
  }

  /** What fails for a while is tried again: a database that is away, a migration that is under way. */
  #followTables(pauseMs: number): void {
    clearTimeout(this.#retry);
    const following = this.#input.agent.followTables();
    this.#settle(
      following.then(async (followed) => {
        if (!followed) return;
        const { changes, load, refusal } = followed;
        await this.#input.writeTypings();
        this.warn(load);
        if (changes.length > 0) this.#input.tell({ event: 'tables-changed', changes });
        this.#lastRefusal = '';
        if (refusal) this.#tellOnce(refusal, 'part');
        this.#input.tell({ event: 'restarted' });
        this.#input.types.check();
        this.#applyPermissions();
      }),
    );
    following.catch(() => {
      if (!this.#isRunning) return;
      this.#retry = setTimeout(() => this.#followTables(Math.min(2 * pauseMs, retryPause.maxMs)), pauseMs);
    });
  }

  #applyPermissions(): void {
    this.#settle(
      this.#input.applyPermissions().then((applied) => {
        if (!applied) return;
        this.#lastRefusal = '';
        this.#input.tell({ event: 'permissions', ...applied });
      }),
    );
  }

  /** Whatever is refused on the way ends as one event. */
  #settle(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      // The controller tells of a lost worker itself.
      if (this.#input.agent.tells(error)) return;
      this.#dispatch({ type: 'refused', error: toCloudError(error) });
    });
  }
}

function unreachable(event: never): never {
  throw new Error(`Unhandled event ${JSON.stringify(event)}`);
}
