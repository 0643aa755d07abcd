import { createHash } from 'node:crypto';

/** A statement text that comes again: each connection prepares it once, under its name. */
export interface KnownStatement {
  readonly name: string;
  /** How long it takes of late, in milliseconds; absent before it was carried out once. */
  readonly typicalMs: number | undefined;
  /** Told after each time that it was carried out or stopped, not when it failed; in milliseconds. */
  took(ms: number): void;
}

/** The statements that are prepared, and how long they take. */
export interface PostgresStatements {
  /**
   * Absent when statements go unnamed. So does, for a minute, one that took long twice: without a name it is planned for
   * its values, and the plan that the database keeps for any values may be wrong where they are unevenly distributed.
   */
  find(sql: string): KnownStatement | undefined;
  /** Connections of an older generation hold statements that no longer serve, and are to be closed. */
  generation(): number;
  startGeneration(): void;
  /** Someone between here and the database does not keep prepared statements: go on without. */
  giveUp(): void;
}

const maxStatements = 500;
const longMs = 200;
const pauseMs = 1000;
const plannedAnewForMs = 60_000;
/** How much the last time counts against those before. */
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
  let lastLongAt = Number.NEGATIVE_INFINITY;
  let plannedAnewUntil = 0;
  return {
    name,
    get typicalMs() {
      return typicalMs;
    },
    took(ms) {
      typicalMs = typicalMs === undefined ? ms : typicalMs + (ms - typicalMs) * weightOfLast;
      if (ms < longMs) return;
      const now = performance.now();
      const sinceLastMs = now - lastLongAt;
      // Once may be chance, such as a pause of this process, which many notice at a time.
      if (sinceLastMs < pauseMs) return;
      if (sinceLastMs < plannedAnewForMs) plannedAnewUntil = now + plannedAnewForMs;
      lastLongAt = now;
    },
    isPlannedAnew: () => plannedAnewUntil > 0 && performance.now() < plannedAnewUntil,
  };
}
