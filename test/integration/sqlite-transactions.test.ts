import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import type { SqlEngine, SqlTransaction } from '#runtime/data-sources/sql/sql-engine';
import { openSqliteEngine, type SqliteEngineOptions } from '#runtime/data-sources/sqlite/sqlite-engine';
import { temporaryDatabase } from '../helpers/temporary-database.ts';

const utc = { timezone: 'UTC' };
const script = `
  create table t (n integer);
  create trigger no_negative before insert on t when new.n < 0 begin select raise(rollback, 'negative'); end;`;

async function open(file?: string, options: SqliteEngineOptions = {}): Promise<SqlEngine> {
  const engine = await openSqliteEngine(file ?? (await temporaryDatabase(script)), options);
  onTestFinished(() => engine.close());
  return engine;
}

const insert = (session: SqlTransaction, n: number) => session.run('insert into t values (?)', [n]);
const kept = (engine: SqlEngine) => engine.read('select n from t order by n', [], utc);

describe('a transaction on SQLite', () => {
  it('carries out nothing after its end, neither by itself nor in the one that follows', async () => {
    const engine = await open();
    let first: SqlTransaction | undefined;
    await engine.transaction(async (session) => {
      first = session;
      await insert(session, 1);
    }, utc);
    const late = (): Promise<unknown> => insert(first as SqlTransaction, 99);
    await expect(late()).rejects.toMatchObject({ code: 'INTERNAL_BUG' });
    await engine.transaction(async (session) => {
      await expect(late()).rejects.toMatchObject({ code: 'INTERNAL_BUG' });
      await insert(session, 2);
    }, utc);
    expect(await kept(engine)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('tells why the database undid it, not that there is nothing left to undo', async () => {
    const engine = await open();
    const work = engine.transaction(async (session) => {
      await insert(session, 1);
      await insert(session, -1);
    }, utc);
    await expect(work).rejects.toMatchObject({
      code: 'DATABASE_RULE_REFUSED',
      safeDetails: { sqliteCode: 'SQLITE_CONSTRAINT_TRIGGER' },
    });
    expect(await kept(engine)).toEqual([]);
    await engine.transaction((session) => insert(session, 2), utc);
    expect(await kept(engine)).toEqual([{ n: 2 }]);
  });

  it('keeps nothing once the database undid it, though its caller passes over that and goes on', async () => {
    const engine = await open();
    const work = engine.transaction(async (session) => {
      await insert(session, 1);
      await insert(session, -1).catch(() => undefined);
      await insert(session, 2).catch(() => undefined);
    }, utc);
    await expect(work).rejects.toMatchObject({ code: 'DATABASE_RULE_REFUSED' });
    expect(await kept(engine)).toEqual([]);
  });

  it('goes on after a statement that failed only, when its caller passes over that', async () => {
    const engine = await open(await temporaryDatabase('create table t (n integer unique)'));
    await engine.transaction(async (session) => {
      await insert(session, 1);
      await insert(session, 1).catch(() => undefined);
      await insert(session, 2);
    }, utc);
    expect(await kept(engine)).toEqual([{ n: 1 }, { n: 2 }]);
  });
});

describe('a transaction on SQLite while another process writes', () => {
  async function openLocked(options?: SqliteEngineOptions): Promise<{ engine: SqlEngine; other: SqliteConnection }> {
    const file = await temporaryDatabase(script);
    const engine = await open(file, options);
    const other = await openSqlite(file);
    onTestFinished(() => other.close());
    other.execute('begin immediate');
    return { engine, other };
  }

  it('waits for it, and nothing else waits with it', async () => {
    const { engine, other } = await openLocked();
    let isWritten = false;
    const waiting = engine
      .transaction((session) => insert(session, 1), utc)
      .finally(() => {
        isWritten = true;
      });
    await delay(20);
    expect(await kept(engine)).toEqual([]);
    expect(isWritten).toBe(false);
    other.execute('commit');
    expect(await waiting).toBe(1);
  });

  it('is refused when that takes too long, and the next one is not', async () => {
    const { engine, other } = await openLocked({ busyTimeoutMs: 30 });
    const refused = engine.transaction((session) => insert(session, 1), utc);
    await expect(refused).rejects.toMatchObject({
      code: 'DATABASE_BUSY',
      nextSteps: ['Try again when the other connection is done.'],
      safeDetails: { sqliteCode: 'SQLITE_BUSY' },
    });
    other.execute('commit');
    expect(await engine.transaction((session) => insert(session, 2), utc)).toBe(1);
    expect(await kept(engine)).toEqual([{ n: 2 }]);
  });

  it('ends with its client', async () => {
    const { engine } = await openLocked({ busyTimeoutMs: 60_000 });
    const abort = new AbortController();
    const waiting = engine.transaction((session) => insert(session, 1), { ...utc, signal: abort.signal });
    await delay(5);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});
