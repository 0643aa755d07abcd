import { UnderWay } from '#kernel/async/under-way';
import { isCloudError } from '#kernel/errors/cloud-error';
import { type ReplicaStatus, unknownPosition } from '../interface/read-session.ts';
import type { SqlEngine } from './sql-engine.ts';

/** What a server says of itself. */
export interface ServerState {
  /** Where copies share a name, that one: no other database has it. Else the name of this one. */
  readonly database: string;
  /** The branch of its history: a standby that is promoted begins another one. */
  readonly branch: string;
  /** This run of this server. */
  readonly run: string;
  readonly isStandby: boolean;
  /** What it shows at least; `undefined` where it cannot say. */
  readonly position: string | undefined;
}

/** How positions of one kind of database compare, and which servers are not copies. */
export interface ReplicaRules {
  /** Whether whoever sees `position` sees what `wanted` shows. */
  hasReached(position: string, wanted: string): boolean;
  join(position: string, other: string): string;
  /** Why a server is not a replica of the primary, as far as what both say of themselves shows it. */
  problemOf(state: ServerState, primary: ServerState): string | undefined;
}

/** Asks one server what it is, over a connection of its own: a pool that is busy keeps nobody from asking. */
export interface ServerWatch {
  state(): Promise<ServerState>;
  /** Of a primary: a position that shows everything that was committed before the call. */
  written(): Promise<string>;
  /** Ask over a new connection from now on. */
  reconnect(): void;
  openConnections(): number;
  close(): Promise<void>;
}

/** How the connections of a replica are opened. `onConnected` hears what the server is before a connection is used. */
export type OpenReplica = (onConnected: (state: ServerState) => void) => {
  readonly engine: SqlEngine;
  readonly watch: ServerWatch;
};

/** What a replica is compared with when it is looked at. */
export interface LookAtPrimary {
  readonly state: ServerState;
  /** How long ago the primary was at a position, in milliseconds; `undefined` for a position from before it was looked at. */
  lagOf(position: string): number | undefined;
  /** A position of the primary of now. */
  written(): Promise<string>;
  readonly maxLagMs: number;
}

const catchingUp = 'It has not reached yet what the primary showed first.';

/** How long a server has to answer a look, in milliseconds. */
const lookTimeoutMs = 1_000;

/**
 * A server that follows the primary. What it shows at least is known without asking: servers only go forward while a connection
 * lives. One that restarts may go back, and so each new connection asks again.
 */
export class Replica {
  readonly name: string;
  readonly #rules: ReplicaRules;
  readonly #engine: SqlEngine;
  readonly #watch: ServerWatch;
  #primary: ServerState | undefined;
  #run: string | undefined;
  /** Every connection that is in use shows at least this. */
  #position: string | undefined;
  /** What the last look found. A primary that is asked later is never behind it. */
  #lastLook: string | undefined;
  #problem: string | undefined = 'It has not answered yet.';
  #lagMs: number | undefined;
  /** How many connections have been opened. */
  #opened = 0;
  /** How often something that was known of the server has turned out to be over. */
  #turns = 0;
  #reads = 0;
  readonly #underWay = new UnderWay<() => void>();

  constructor(name: string, rules: ReplicaRules, open: OpenReplica) {
    this.name = name;
    this.#rules = rules;
    const { engine, watch } = open((state) => this.#onConnected(state));
    this.#engine = engine;
    this.#watch = watch;
  }

  /** Whether it is in use, and shows what `minimum` does; any position will do where there is no minimum. */
  shows(minimum: string | undefined): boolean {
    if (this.#problem !== undefined || this.#position === undefined || minimum === unknownPosition) return false;
    return minimum === undefined || this.#rules.hasReached(this.#position, minimum);
  }

  isInUse(): boolean {
    return this.#problem === undefined;
  }

  /** Whether nobody knows yet how far behind it is. */
  isCatchingUp(): boolean {
    return this.#problem === catchingUp;
  }

  /** How many reads it has not answered yet. */
  load(): number {
    return this.#underWay.size;
  }

  status(): ReplicaStatus {
    const { name } = this;
    const leftOut = this.#problem === undefined ? {} : { leftOut: this.#problem };
    return { name, ...leftOut, ...(this.#lagMs === undefined ? {} : { lagMs: this.#lagMs }), reads: this.#reads };
  }

  /**
   * Read from it. Resolves with nothing where the primary has to answer instead: the read failed, the replica was left out meanwhile,
   * or it turned out to be another server than it was.
   */
  ask<Rows>(read: (engine: SqlEngine) => Promise<Rows>, signal: AbortSignal | undefined): Promise<Rows | undefined> {
    const turns = this.#turns;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#underWay.delete(leave);
        resolve(undefined);
      };
      this.#underWay.add(leave);
      read(this.#engine).then(
        (rows) => {
          if (this.#turns !== turns) return leave();
          this.#underWay.delete(leave);
          this.#reads += 1;
          resolve(rows);
        },
        (error: unknown) => {
          if (signal?.aborted || (isCloudError(error) && error.code === 'DATABASE_TIMEOUT')) reject(error);
          else if (isCloudError(error) && error.code === 'DATABASE_UNREACHABLE')
            this.#leaveOut('It cannot be reached.');
          leave();
        },
      );
    });
  }

  /** Look how far it is, and compare it with the primary. */
  async look({ state: primary, lagOf, written, maxLagMs }: LookAtPrimary): Promise<void> {
    this.#primary = primary;
    const opened = this.#opened;
    let compared = { shown: this.#lastLook, ofPrimary: primary.position };
    let state: ServerState;
    try {
      state = await inTime(this.#watch.state());
      if (compared.shown === undefined) compared = { shown: state.position, ofPrimary: await written() };
    } catch {
      this.#watch.reconnect();
      return this.#leaveOut('It does not answer.');
    }
    this.#lastLook = state.position;
    if (!this.#isRight(state)) return;
    const { shown, ofPrimary = '' } = compared;
    if (shown !== undefined && !this.#rules.hasReached(ofPrimary, shown))
      return this.#leaveOut('It is ahead of the primary, and so it follows another one.');
    // What a connection before a restart saw may be more than what one shows that was opened meanwhile.
    if (opened === this.#opened) this.#position = state.position;
    if (this.#position === undefined) return this.#leaveOut('It cannot say how far it is.');
    this.#lagMs = lagOf(this.#position);
    if (this.#lagMs === undefined) this.#problem = catchingUp;
    else if (this.#lagMs > maxLagMs) this.#problem = `It is more than ${maxLagMs} ms behind the primary.`;
    else this.#problem = undefined;
  }

  /** Ask how far it is, outside of the regular looks. Never rejects. */
  async refresh(): Promise<void> {
    const opened = this.#opened;
    try {
      const state = await inTime(this.#watch.state());
      if (this.#isRight(state) && opened === this.#opened) this.#position = state.position;
    } catch {
      // The next look leaves it out if it stays away.
    }
  }

  forgetStatements(): void {
    this.#engine.forgetStatements?.();
  }

  openConnections(): number {
    return this.#engine.openConnections() + this.#watch.openConnections();
  }

  async close(): Promise<void> {
    await Promise.all([this.#engine.close(), this.#watch.close()]);
  }

  #onConnected(state: ServerState): void {
    this.#opened += 1;
    const known = this.#position;
    const isSame =
      state.run === this.#run &&
      (known === undefined || (state.position !== undefined && this.#rules.hasReached(state.position, known)));
    if (!isSame) this.#turns += 1;
    if (!isSame && this.#run !== undefined) {
      // Other connections may lead to the server that was here before.
      this.#engine.forgetStatements?.();
      this.#watch.reconnect();
    }
    if (!isSame) this.#lastLook = undefined;
    this.#run = state.run;
    this.#position = state.position;
    this.#isRight(state);
  }

  /** Whether it follows the primary. Otherwise it is left out. */
  #isRight(state: ServerState): boolean {
    const problem = this.#primary && this.#rules.problemOf(state, this.#primary);
    if (problem !== undefined) this.#leaveOut(problem);
    return problem === undefined;
  }

  #leaveOut(problem: string): void {
    this.#problem = problem;
    this.#lagMs = undefined;
    this.#turns += 1;
    for (const leave of this.#underWay) leave();
  }
}

/** Rejects when the server has not answered in time. */
export async function inTime<Answer>(asked: Promise<Answer>): Promise<Answer> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('The server does not answer in time.')), lookTimeoutMs);
  try {
    return await Promise.race([asked, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
