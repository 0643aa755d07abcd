import { createHash } from 'node:crypto';

/** A statement text that comes again: each connection prepares it once, under its name. */
export interface KnownStatement {
  readonly name: string;
  /** How long it has taken lately, in milliseconds; `undefined` before its first execution. */
  readonly typicalMs: number | undefined;
  /**
   * What its executions rarely exceed, in milliseconds: how long it has taken lately and twice how far it was from that.
   * `undefined` before its first execution.
   */
  readonly rarelyAboveMs: number | undefined;
  /**
   * Note how long an execution took, in milliseconds. Call it for one that was carried out or stopped, not for one that
   * failed.
   */
  took(ms: number): void;
}

/** The statements that are prepared, and how long they take. */
export interface PostgresStatements {
  /**
   * The statement of a text, or `undefined` when it goes without a name. A statement that took long twice does so for a
   * minute: without a name the database plans it for its values. The plan that it keeps for all values may be bad for
   * some of them.
   */
  find(sql: string): KnownStatement | undefined;
  /**
   * The number of the current generation. Connections of an older one have prepared statements that no longer work;
   * they are closed.
   */
  generation(): number;
  startGeneration(): void;
  /** Go on without names, because a pooler in front of the database does not keep prepared statements. */
  giveUp(): void;
}

const maxStatements = 500;
const longMs = 200;
const pauseMs = 1000;
const plannedAnewForMs = 60_000;
/** The weight of the last execution against those before. */
const weightOfLast = 1 / 8;

export function createPostgresStatements(isEnabled: boolean): PostgresStatements {
  const statements = new Map<string, Statement>();
  let isNaming = isEnabled;
  let generation = 0;

  function startGeneration(): void {
    statements.clear();
    generation += 1;
  }

  return {
    find(sql) {
      if (!isNaming) return undefined;
      const known = statements.get(sql);
      if (known) return known.isPlannedAnew() ? undefined : known;
      // A connection never forgets a statement: when there are too many, connections are replaced.
      if (statements.size >= maxStatements) startGeneration();
      const name = `vc_${createHash('sha256').update(sql).digest('base64url').slice(0, 32)}`;
      const statement = createStatement(name);
      statements.set(sql, statement);
      return statement;
    },
    generation: () => generation,
    startGeneration,
    giveUp() {
      isNaming = false;
    },
  };
}

interface Statement extends KnownStatement {
  isPlannedAnew(): boolean;
}

function createStatement(name: string): Statement {
  let typicalMs: number | undefined;
  let deviationMs = 0;
  let lastLongAt = Number.NEGATIVE_INFINITY;
  let plannedAnewUntil = 0;
  return {
    name,
    get typicalMs() {
      return typicalMs;
    },
    get rarelyAboveMs() {
      return typicalMs === undefined ? undefined : typicalMs + 2 * deviationMs;
    },
    took(ms) {
      typicalMs ??= ms;
      const differenceMs = ms - typicalMs;
      typicalMs += differenceMs * weightOfLast;
      deviationMs += (Math.abs(differenceMs) - deviationMs) * weightOfLast;
      if (ms < longMs) return;
      const now = performance.now();
      const sinceLastMs = now - lastLongAt;
      // Once may be chance: after a pause of this process, many statements seem to have taken long.
      if (sinceLastMs < pauseMs) return;
      if (sinceLastMs < plannedAnewForMs) plannedAnewUntil = now + plannedAnewForMs;
      lastLongAt = now;
    },
    isPlannedAnew: () => plannedAnewUntil > 0 && performance.now() < plannedAnewUntil,
  };
}
