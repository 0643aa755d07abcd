import { setImmediate } from 'node:timers/promises';
import type { QueryResult } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SqlRow } from '#kernel/ports/sql-row';
import { ConnectionPool } from '#node/database/connection-pool';
import { timedOut } from '#node/database/database-errors';
import type { PostgresConnection } from '#node/postgres/postgres-connection';
import type { QuickRead } from '#node/postgres/postgres-quick-read';
import { createPostgresReads } from '#node/postgres/postgres-reads';
import type { KnownStatement } from '#node/postgres/postgres-statements';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const shared: readonly SqlRow[] = [{ from: 'a shared connection' }];
const own: readonly SqlRow[] = [{ from: 'a connection of its own' }];

interface Setup {
  readonly typicalMs?: number | undefined;
  readonly size?: number;
  /** Connections beyond this number never open. */
  readonly reachable?: number;
}

/** Reads on a pool of connections that answer what is sent on them when the test says so. */
function setUp({ size = 5, reachable = size, ...rest }: Setup = {}) {
  const typicalMs = 'typicalMs' in rest ? rest.typicalMs : 0.5;
  const unanswered: ((error: unknown, rows: readonly SqlRow[] | undefined) => void)[] = [];
  const state = { opened: 0 };
  const usable: PostgresConnection = {
    send: (_statement, _sql, _parameters, onAnswer) => unanswered.push(onAnswer),
    execute: async () => ({ rows: own }) as unknown as QueryResult<SqlRow>,
    control: async () => ({ rows: [] }) as unknown as QueryResult<SqlRow>,
    cancel: async () => undefined,
    isPooled: async () => false,
    isLost: () => false,
    isUsable: () => true,
    giveUp: () => undefined,
    close: async () => undefined,
  };
  const pool = new ConnectionPool<PostgresConnection, QuickRead>(
    {
      open: () => {
        state.opened += 1;
        return state.opened > reachable ? new Promise(() => undefined) : Promise.resolve({ ...usable });
      },
      isUsable: (connection) => connection.isUsable(),
      close: (connection) => connection.close(),
    },
    { size, waitMs: 5000, keptIdleMs: 30_000 },
  );
  const known: KnownStatement = { name: 'one', typicalMs, rarelyAboveMs: typicalMs, took: () => undefined };
  const statements = {
    find: (sql: string) => (sql === 'unnamed' ? undefined : sql === 'slower' ? { ...known, typicalMs: 4.9 } : known),
    generation: () => 0,
    startGeneration: () => undefined,
    giveUp: () => undefined,
  };
  const read = createPostgresReads(pool, statements, { statementTimeoutMs: 0, isSharing: true });
  const all = (sql = 'select') => read(sql, [], undefined);
  const answer = (rows: readonly SqlRow[]) => unanswered.shift()?.(undefined, rows);
  const fail = (error: unknown) => unanswered.shift()?.(error, undefined);
  /** Whether every connection that was opened can be checked out again. */
  const areAllReleased = async () => {
    const leaving = new AbortController();
    const acquired = Array.from({ length: Math.min(state.opened, reachable) }, () => pool.acquire(leaving.signal));
    const settled = Promise.allSettled(acquired);
    await setImmediate();
    leaving.abort();
    const outcomes = await settled;
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') pool.release(outcome.value);
    return outcomes.every(({ status }) => status === 'fulfilled');
  };
  return { pool, read, all, answer, fail, unanswered, state, areAllReleased };
}

describe('a quick read', () => {
  it('joins the reads that are under way', async () => {
    const { all, answer, unanswered, state, areAllReleased } = setUp();
    const first = all();
    await setImmediate();
    expect(unanswered).toHaveLength(1);
    const second = all();
    expect(unanswered).toHaveLength(2);
    answer(shared);
    answer(shared);
    expect(await Promise.all([first, second])).toEqual([shared, shared]);
    expect(state.opened).toBe(1);
    await setImmediate();
    expect(await areAllReleased()).toBe(true);
  });

  it('joins the reads that have begun while a connection was opened for it, and leaves that one free', async () => {
    const { all, answer, unanswered, state, pool, areAllReleased } = setUp();
    const answers = Promise.all([all(), all()]);
    await setImmediate();
    expect(unanswered).toHaveLength(2);
    expect(state.opened).toBe(2);
    expect(pool.openConnections()).toBe(2);
    answer(shared);
    answer(shared);
    expect(await answers).toEqual([shared, shared]);
    await setImmediate();
    expect(await areAllReleased()).toBe(true);
  });

  it('is carried out again on a connection of its own when the shared one lost its name', async () => {
    const { all, fail, unanswered } = setUp();
    const rows = all();
    await setImmediate();
    expect(unanswered).toHaveLength(1);
    fail(timedOut(1, Object.assign(new Error('no such name'), { severity: 'ERROR', code: '26000' })));
    expect(await rows).toBe(own);
  });

  it('gets room before reads that come later', async () => {
    const { all, answer, unanswered } = setUp({ typicalMs: 5, reachable: 1 });
    const done: string[] = [];
    const ask = (name: string) => void all().then(() => done.push(name));
    ask('first');
    await setImmediate();
    ask('waiting');
    await setImmediate();
    expect(unanswered).toHaveLength(1);
    answer(shared);
    ask('later');
    await setImmediate();
    expect([done, unanswered.length]).toEqual([['first'], 1]);
    answer(shared);
    await setImmediate();
    answer(shared);
    await setImmediate();
    expect(done).toEqual(['first', 'waiting', 'later']);
  });

  it('leaves the queue for connections when a shared connection has room for it', async () => {
    const { all, answer, unanswered, pool, areAllReleased } = setUp({ typicalMs: 6, size: 1 });
    const first = all();
    await setImmediate();
    const waited = [all(), all()];
    expect([unanswered.length, pool.isWaitedFor()]).toEqual([2, true]);
    answer(shared);
    expect([unanswered.length, pool.isWaitedFor()]).toEqual([2, false]);
    answer(shared);
    answer(shared);
    expect(await Promise.all([first, ...waited])).toEqual([shared, shared, shared]);
    await setImmediate();
    expect(await areAllReleased()).toBe(true);
  });

  it('is not passed by a read that needs less room', async () => {
    const { all, answer, unanswered } = setUp({ reachable: 1 });
    const first = all();
    await setImmediate();
    const others = [all('slower'), all()];
    expect(unanswered).toHaveLength(1);
    answer(shared);
    expect(unanswered).toHaveLength(1);
    answer(shared);
    expect(unanswered).toHaveLength(1);
    answer(shared);
    expect(await Promise.all([first, ...others])).toEqual([shared, shared, shared]);
  });

  it('starts to share the next connection when there is no room on the one before', async () => {
    const { all, answer, fail, unanswered, state, areAllReleased } = setUp();
    const before = all('slower');
    const after = all();
    await setImmediate();
    expect([unanswered.length, state.opened]).toEqual([2, 2]);
    fail(new Error('division by zero'));
    await expect(before).rejects.toThrow('division by zero');
    answer(shared);
    expect(await after).toBe(shared);
    await setImmediate();
    expect(await areAllReleased()).toBe(true);
  });

  it('gets the connection that a read on its own releases', async () => {
    const { all, answer, pool } = setUp({ size: 1 });
    const connection = await pool.acquire();
    const waiting = all();
    pool.release(connection);
    answer(shared);
    expect(await waiting).toBe(shared);
  });

  it('lets the request before it have the next connection', async () => {
    const { all, answer, unanswered, pool } = setUp({ size: 1 });
    const connection = await pool.acquire();
    const before = pool.acquire();
    const waiting = all();
    pool.release(connection);
    expect(await before).toBe(connection);
    expect(unanswered).toHaveLength(0);
    pool.release(connection);
    answer(shared);
    expect(await waiting).toBe(shared);
  });

  it('is not sent when its caller has gone', async () => {
    const { read, unanswered } = setUp();
    await expect(read('select', [], AbortSignal.abort())).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(unanswered).toHaveLength(0);
  });

  it('is not sent when its caller goes away while it waits', async () => {
    const { read, unanswered, areAllReleased } = setUp();
    const leaving = new AbortController();
    const left = read('select', [], leaving.signal);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await setImmediate();
    expect(unanswered).toHaveLength(0);
    expect(await areAllReleased()).toBe(true);
  });

  it('joins no other read once the data source is closed', async () => {
    const { all, answer, unanswered, pool } = setUp();
    const underWay = all();
    await setImmediate();
    expect(unanswered).toHaveLength(1);
    const closing = pool.close();
    const late = all();
    answer(shared);
    answer(shared);
    await expect(late).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(await underWay).toBe(shared);
    await closing;
  });
});

describe('a read that shares no connection', () => {
  it.each([
    ['is slow', 7, 'select'],
    ['is not known', undefined, 'select'],
    ['goes unnamed', 0.5, 'unnamed'],
  ])('has a connection to itself because it %s', async (_what, typicalMs, sql) => {
    const { all, unanswered, areAllReleased } = setUp({ typicalMs });
    expect(await all(sql)).toBe(own);
    expect(unanswered).toHaveLength(0);
    expect(await areAllReleased()).toBe(true);
  });
});
