import type { SqlEngine } from './sql-engine.ts';

/**
 * An engine that connects when it is first used, and again at the next use when that fails: a database that is down at the
 * start heals without a restart. The dialect is known before there is a connection.
 */
export function createLazyEngine(
  known: Pick<SqlEngine, 'dialect' | 'dialectFor'>,
  open: () => Promise<SqlEngine>,
): SqlEngine {
  let opening: Promise<SqlEngine> | undefined;
  let opened: SqlEngine | undefined;
  let isClosed = false;
  const engine = (): Promise<SqlEngine> => {
    opening ??= open().then(
      async (engine) => {
        opened = engine;
        if (isClosed) await engine.close();
        return engine;
      },
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
  const { dialect, dialectFor } = known;
  return {
    dialect,
    ...(dialectFor ? { dialectFor } : {}),
    introspect: async () => (await engine()).introspect(),
    checks: async () => (await (await engine()).checks?.()) ?? [],
    fingerprint: async () => (await engine()).fingerprint(),
    forgetStatements: () => opened?.forgetStatements?.(),
    read: (sql, parameters, context) =>
      opened ? opened.read(sql, parameters, context) : engine().then((ready) => ready.read(sql, parameters, context)),
    transaction: (work, context) =>
      opened ? opened.transaction(work, context) : engine().then((ready) => ready.transaction(work, context)),
    runReadOnly: async (sql, values, context) => (await engine()).runReadOnly(sql, values, context),
    utcOffsets: async (zones, instants) => (await (await engine()).utcOffsets?.(zones, instants)) ?? new Map(),
    completed: (sql) => opened?.completed?.(sql) ?? sql,
    openConnections: () => opened?.openConnections() ?? 0,
    async close() {
      isClosed = true;
      await opened?.close();
    },
  };
}
