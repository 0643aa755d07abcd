import { setTimeout as pause } from 'node:timers/promises';
import type { QueryContext } from '../interface/data-source.ts';
import {
  type DatabaseReads,
  type ReadSession,
  type ReplicaStatus,
  type ReplicatedDatabase,
  unknownPosition,
} from '../interface/read-session.ts';
import { askedAfterwards } from './asked-afterwards.ts';
import { inTime, type Replica, type ReplicaRules, type ServerState, type ServerWatch } from './replica.ts';
import type { SqlEngine } from './sql-engine.ts';

export interface ReplicaLimits {
  /** How long a read waits for a replica to show what it has to, in milliseconds. */
  readonly waitMs: number;
  /** How far behind the primary a replica may be, in milliseconds. */
  readonly maxLagMs: number;
  /** Whether a request that brings no position may be answered by any replica. */
  readonly allowStaleReads: boolean;
}

interface ReplicatedParts {
  readonly primary: SqlEngine;
  /** Of the primary. */
  readonly watch: ServerWatch;
  readonly rules: ReplicaRules;
  readonly replicas: readonly Replica[];
  readonly limits: ReplicaLimits;
  /** The name of the database, for the log. */
  readonly database: string;
}

/** How often the servers are looked at, in milliseconds. */
const lookEveryMs = 500;
/** How often a replica is asked while a read waits for it, in milliseconds. */
const askEveryMs = 5;
/** How long somebody who wants to know the state waits for a replica to catch up with the first look, in milliseconds. */
const catchUpMs = 1_000;
/** What was seen of the primary is kept in that many pieces of the longest lag. */
const piecesOfLag = 50;

const atPrimary = {};

/**
 * The engine of a primary, whose reads go to replicas where a request says what it has to see. Everything else goes to the primary:
 * transactions, reads without a session, and whatever is in doubt.
 */
export class ReplicatedEngine implements ReplicatedDatabase {
  readonly #parts: ReplicatedParts;
  /** What was seen of the primary, the oldest first, on the clock of this process: those of servers may differ. */
  readonly #seen: { readonly at: number; readonly position: string }[] = [];
  readonly #askWritten: () => Promise<string>;
  #primaryState: ServerState | undefined;
  /** Why nothing can be read from any replica. */
  #primaryProblem: string | undefined;
  #written: string | undefined;
  #noWaitUntil = 0;
  #ofTurn: Replica | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;
  #tell: Parameters<ReplicatedDatabase['onChange']>[0] | undefined;
  /** The replicas that the log calls left out. */
  readonly #toldLeftOut = new Set<Replica>();
  /** A position that shows the tables as they are now, where replicas may have them as they were. */
  #changedAt: string | undefined;

  constructor(parts: ReplicatedParts) {
    this.#parts = parts;
    this.#askWritten = askedAfterwards(() => inTime(parts.watch.written()));
    this.#lookAgain(0);
  }

  name(): string | undefined {
    return this.#primaryState?.database;
  }

  written(): string | undefined {
    return this.#written;
  }

  join(position: string, other: string): string {
    if (position === unknownPosition || other === unknownPosition) return unknownPosition;
    return this.#parts.rules.join(position, other);
  }

  async look(): Promise<readonly ReplicaStatus[]> {
    const endsAt = performance.now() + catchUpMs;
    await this.#look();
    while (this.#parts.replicas.some((replica) => replica.isCatchingUp()) && performance.now() < endsAt) {
      await pause(askEveryMs);
      await this.#look();
    }
    const leftOut = this.#primaryProblem;
    return this.#parts.replicas.map((replica) => ({
      ...replica.status(),
      ...(leftOut === undefined ? {} : { leftOut }),
    }));
  }

  onChange(tell: (sentence: string, isInUse: boolean) => void): void {
    this.#tell = tell;
  }

  /** The engine that data sources use. */
  engine(): SqlEngine {
    const { primary, watch, replicas } = this.#parts;
    return {
      ...primary,
      replicas: this,
      read: (sql, parameters, context) =>
        context.reads
          ? this.#read(context.reads, context, (engine) => engine.read(sql, parameters, context))
          : primary.read(sql, parameters, context),
      runReadOnly: (sql, values, context) =>
        context.reads
          ? this.#read(context.reads, context, (engine) => engine.runReadOnly(sql, values, context))
          : primary.runReadOnly(sql, values, context),
      transaction: (work, context) => this.#transaction(context.reads, () => primary.transaction(work, context)),
      forgetStatements: () => {
        primary.forgetStatements?.();
        this.#forgetStatements();
      },
      openConnections: () => [primary, watch, ...replicas].reduce((sum, server) => sum + server.openConnections(), 0),
      close: async () => {
        this.#isClosed = true;
        clearTimeout(this.#timer);
        await Promise.all([primary, watch, ...replicas].map((server) => server.close()));
      },
    };
  }

  #read<Rows>(reads: ReadSession, { signal }: QueryContext, read: (engine: SqlEngine) => Promise<Rows>): Promise<Rows> {
    const known = reads.isAtPrimary() ? undefined : reads.of(this.name());
    const atOnce = known && this.#replicaAtOnce(known);
    if (atOnce) return this.#readFrom(atOnce, known, { reads, signal }, read);
    if (!known || known.server === atPrimary) return this.#readAtPrimary(known, reads, read);
    return this.#replicaFor(known, reads.asksPrimary).then((replica) =>
      replica ? this.#readFrom(replica, known, { reads, signal }, read) : this.#readAtPrimary(known, reads, read),
    );
  }

  async #readFrom<Rows>(
    replica: Replica,
    known: DatabaseReads,
    { reads, signal }: Pick<QueryContext, 'signal'> & { readonly reads: ReadSession },
    read: (engine: SqlEngine) => Promise<Rows>,
  ): Promise<Rows> {
    const rows = await replica.ask(read, signal);
    if (rows !== undefined) {
      reads.answeredBy(replica.name);
      return rows;
    }
    known.server = atPrimary;
    return this.#readAtPrimary(known, reads, read);
  }

  async #readAtPrimary<Rows>(
    known: DatabaseReads | undefined,
    reads: ReadSession,
    read: (engine: SqlEngine) => Promise<Rows>,
  ): Promise<Rows> {
    reads.answeredBy('primary');
    const began = known && (known.minimum === undefined || known.minimum === unknownPosition);
    if (!began) return read(this.#parts.primary);
    // Asked beside the statement, the position costs the request no time.
    const [rows] = await Promise.all([read(this.#parts.primary), this.#begin(known)]);
    return rows;
  }

  /** The replica of a request that has nothing to wait for. */
  #replicaAtOnce(known: DatabaseReads): Replica | undefined {
    const { minimum, server } = known;
    if (server !== undefined || minimum === undefined || this.#changedAt !== undefined) return undefined;
    const chosen = this.#leastLoaded(minimum);
    known.server = chosen;
    return chosen;
  }

  /** The replica to read from; `undefined` for the primary. */
  async #replicaFor(known: DatabaseReads, asksPrimary: boolean): Promise<Replica | undefined> {
    const { limits } = this.#parts;
    if (known.minimum === undefined && limits.allowStaleReads) known.minimum = known.floor;
    if (asksPrimary && known.minimum === undefined) await this.#begin(known);
    if (known.minimum === undefined && !limits.allowStaleReads) return this.#stay(known);
    const minimum = this.#withChanges(known.minimum);
    if (minimum === unknownPosition) return this.#stay(known);
    const before = known.server;
    if (before) {
      const same = this.#parts.replicas.find((replica) => replica === before);
      return same?.shows(minimum) ? same : this.#stay(known);
    }
    const chosen = this.#leastLoaded(minimum) ?? (minimum === undefined ? undefined : await this.#reached(minimum));
    if (!chosen) return this.#stay(known);
    known.server = chosen;
    return chosen;
  }

  /** A replica whose tables are not those of the primary yet is of no use. */
  #withChanges(minimum: string | undefined): string | undefined {
    const changed = this.#changedAt;
    if (changed === undefined || minimum === undefined) return changed ?? minimum;
    return this.join(minimum, changed);
  }

  #stay(known: DatabaseReads): undefined {
    known.server = atPrimary;
    return undefined;
  }

  /** What is sent in one turn of the event loop goes to one replica: it shares a connection there, and one call of the system. */
  #leastLoaded(minimum: string | undefined): Replica | undefined {
    if (this.#ofTurn?.shows(minimum)) return this.#ofTurn;
    let found: Replica | undefined;
    for (const replica of this.#parts.replicas) {
      if (replica.shows(minimum) && (!found || replica.load() < found.load())) found = replica;
    }
    if (!found) return undefined;
    if (!this.#ofTurn) {
      setImmediate(() => {
        this.#ofTurn = undefined;
      });
    }
    this.#ofTurn = found;
    return found;
  }

  /** Wait a moment until a replica shows what it has to. */
  async #reached(minimum: string): Promise<Replica | undefined> {
    const startedAt = performance.now();
    if (startedAt < this.#noWaitUntil) return undefined;
    const endsAt = startedAt + this.#parts.limits.waitMs;
    for (;;) {
      const inUse = this.#parts.replicas.filter((replica) => replica.isInUse());
      const remainingMs = endsAt - performance.now();
      if (inUse.length === 0 || remainingMs <= 0) break;
      await Promise.race([...inUse.map((replica) => replica.refresh()), pause(remainingMs)]);
      const found = this.#leastLoaded(minimum);
      if (found) return found;
      await pause(askEveryMs);
    }
    // Replicas that are that far behind would make every read wait in vain.
    this.#noWaitUntil = performance.now() + 2 * this.#parts.limits.waitMs;
    return undefined;
  }

  /** Give a request a position of now. It covers what its person wrote before, wherever that was. */
  async #begin(known: DatabaseReads): Promise<void> {
    try {
      known.minimum = await this.#askWritten();
      known.isNew = true;
    } catch {
      // Without a position the next request goes to the primary, as this one does.
      known.minimum = undefined;
    }
  }

  async #transaction<Result>(reads: ReadSession | undefined, carryOut: () => Promise<Result>): Promise<Result> {
    try {
      const result = await carryOut();
      this.#wrote(reads, await this.#askWritten().catch(() => unknownPosition));
      return result;
    } catch (error) {
      // It may have been committed all the same.
      this.#wrote(reads, unknownPosition);
      throw error;
    }
  }

  #wrote(reads: ReadSession | undefined, position: string): void {
    this.#written = this.#joined(position);
    const known = reads?.of(this.name());
    if (!known) return;
    known.minimum = position;
    known.isNew = true;
    known.server = atPrimary;
  }

  /** A position that was asked of the primary just now covers what nobody knew the position of. */
  #joined(position: string): string {
    const before = this.#written;
    return before === undefined || before === unknownPosition ? position : this.join(before, position);
  }

  /** Until replicas show the tables as they are now, their statements would be prepared for what was there before. */
  #forgetStatements(): void {
    this.#changedAt = unknownPosition;
    void this.#askWritten().then(
      (position) => {
        this.#changedAt = position;
      },
      () => undefined,
    );
  }

  #lookAgain(afterMs: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      void this.#look().finally(() => this.#lookAgain(lookEveryMs));
    }, afterMs).unref();
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = undefined;
      this.#tellChanges();
    });
    return this.#looking;
  }

  /** Never rejects. */
  async #lookAtAll(): Promise<void> {
    const { watch, replicas, limits } = this.#parts;
    const writtenBefore = this.#written;
    let state: ServerState | undefined;
    try {
      state = await inTime(watch.state());
    } catch {
      watch.reconnect();
    }
    this.#primaryProblem = problemOfPrimary(state);
    this.#primaryState = this.#primaryProblem === undefined ? state : undefined;
    if (this.#primaryProblem !== undefined || !state?.position) return;
    if (writtenBefore === unknownPosition && this.#written === unknownPosition) this.#written = state.position;
    this.#remember(state.position);
    const lagOf = (position: string) => this.#lagOf(position);
    const primary = { state, lagOf, written: this.#askWritten, maxLagMs: limits.maxLagMs };
    await Promise.all(replicas.map((replica) => replica.look(primary)));
    this.#afterChanges();
  }

  /** Say what the looks have found. A replica that is new catches up first. */
  #tellChanges(): void {
    const tell = this.#tell;
    if (!tell || this.#isClosed) return;
    const { replicas, database } = this.#parts;
    for (const [index, replica] of replicas.entries()) {
      const which = `The replica ${index + 1} of ${replicas.length} of the database "${database}"`;
      const problem = this.#primaryProblem ?? replica.status().leftOut;
      if (problem === undefined && this.#toldLeftOut.delete(replica)) tell(`${which} is in use again.`, true);
      if (problem === undefined || this.#toldLeftOut.has(replica) || replica.isCatchingUp()) continue;
      this.#toldLeftOut.add(replica);
      tell(`${which} is left out, and the primary answers its reads: ${problem}`, false);
    }
  }

  #remember(position: string): void {
    const { maxLagMs } = this.#parts.limits;
    const at = performance.now();
    const last = this.#seen.at(-1);
    if (last && at - last.at < maxLagMs / piecesOfLag) return;
    this.#seen.push({ at, position });
    const [, second] = this.#seen;
    if (second && second.at < at - maxLagMs - lookEveryMs) this.#seen.shift();
  }

  /** How long the primary has been ahead of a position. Nobody knows that of one from before the first look, for a while. */
  #lagOf(position: string): number | undefined {
    const { rules, limits } = this.#parts;
    const ahead = this.#seen.find((seen) => !rules.hasReached(position, seen.position));
    if (!ahead) return 0;
    const lagMs = Math.round(performance.now() - ahead.at);
    return ahead === this.#seen[0] && lagMs <= limits.maxLagMs ? undefined : lagMs;
  }

  /** Replicas that show the change of the tables prepare their statements again. */
  #afterChanges(): void {
    const changed = this.#changedAt;
    if (changed === undefined || changed === unknownPosition) return;
    const inUse = this.#parts.replicas.filter((replica) => replica.isInUse());
    if (!inUse.every((replica) => replica.shows(changed))) return;
    for (const replica of this.#parts.replicas) replica.forgetStatements();
    this.#changedAt = undefined;
  }
}

function problemOfPrimary(state: ServerState | undefined): string | undefined {
  if (!state) return 'The primary does not answer.';
  if (state.isStandby) return 'The primary is a replica itself.';
  if (state.position !== undefined) return undefined;
  return 'The primary cannot say how far it is. MariaDB needs its binary log for that, and MySQL its GTIDs.';
}
