import { createHash } from 'node:crypto';

/** Names of prepared statements: the same for the same text, so that a connection prepares each text once. */
export interface StatementNames {
  /** Absent when statements go unnamed. */
  nameOf(sql: string): string | undefined;
  /** Connections of an older generation hold statements that no longer serve, and are to be closed. */
  generation(): number;
  startGeneration(): void;
  /** Someone between here and the database does not keep prepared statements: go on without. */
  giveUp(): void;
}

const maxNames = 500;

export function createStatementNames(isEnabled: boolean): StatementNames {
  const names = new Map<string, string>();
  let isNaming = isEnabled;
  let generation = 0;

  function startGeneration(): void {
    names.clear();
    generation += 1;
  }

  return {
    nameOf(sql) {
      if (!isNaming) return undefined;
      const known = names.get(sql);
      if (known !== undefined) return known;
      // A connection never forgets a statement: when there are too many, connections are replaced.
      if (names.size >= maxNames) startGeneration();
      const name = `vc_${createHash('sha256').update(sql).digest('base64url').slice(0, 32)}`;
      names.set(sql, name);
      return name;
    },
    generation: () => generation,
    startGeneration,
    giveUp() {
      isNaming = false;
    },
  };
}
