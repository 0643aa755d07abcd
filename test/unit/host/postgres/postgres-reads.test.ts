import { setImmediate } from 'node:timers/promises';
import type { QueryResult } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { closed, interrupted, timedOut } from '#host/database/database-errors';
import type { Lease } from '#host/postgres/postgres-lease';
import { createPostgresReads } from '#host/postgres/postgres-reads';
import type { KnownStatement } from '#host/postgres/postgres-statements';
import type { SqlRow } from '#kernel/ports/sql-row';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const shared: readonly SqlRow[] = [{ from: 'a shared connection' }];
const alone: readonly SqlRow[] = [{ from: 'a connection of its own' }];

/** No connection comes free. */
const never = (signal?: AbortSignal) =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(interrupted())));

/** Reads on connections that answer what is sent on them when the test says so. */
function setUp({ typicalMs }: { readonly typicalMs: number | undefined } = { typicalMs: 0.5 }) {
  const unanswered: ((error: unknown, rows: readonly SqlRow[] | undefined) => void)[] = [];
  const state = { isOpen: true, isLeasing: true, areTaken: false, leftWaits: 0, unusable: 0, leased: 0, released: 0 };
  const connection = {
    send: (_statement, _sql, _parameters, onAnswer) => unanswered.push(onAnswer),
    execute: async () => ({ rows: alone }) as unknown as QueryResult<SqlRow>,
    isUsable: () => true,
    release: () => {
      state.released += 1;
    },
  } satisfies Partial<Lease> as unknown as Lease;
  const lease = async (signal?: AbortSignal) => {
    if (!state.isLeasing) {
      await never(signal).catch((error) => {
        state.leftWaits += 1;
        throw error;
      });
    }
    state.leased += 1;
    if (!state.isOpen) throw closed();
    const isUsable = state.unusable-- <= 0;
    return { ...connection, isUsable: () => isUsable };
  };
  const known: KnownStatement = { name: 'one', typicalMs, took: () => undefined };
  const read = createPostgresReads(
    {
      lease,
      statementTimeoutMs: 0,
      areTaken: () => state.areTaken,
      isWaitedFor: () => false,
      isOpen: () => state.isOpen,
      openConnections: () => 1,
      close: async () => undefined,
    },
    {
      find: (sql) => (sql === 'unnamed' ? undefined : sql === 'slower' ? { ...known, typicalMs: 4.9 } : known),
      generation: () => 0,
      startGeneration: () => undefined,
      giveUp: () => undefined,
    },
  );
  const all = (sql = 'select') => read(sql, [], undefined);
  const answer = (rows: readonly SqlRow[]) => unanswered.shift()?.(undefined, rows);
  const fail = (error: unknown) => unanswered.shift()?.(error, undefined);
  return { read, all, answer, fail, unanswered, state };
}

describe('a read', () => {
  it('that is quick joins those that are under way', async () => {
    const { all, answer, unanswered, state } = setUp();
    const first = all();
    await setImmediate();
    expect(unanswered).toHaveLength(1);
    const second = all();
    expect(unanswered).toHaveLength(2);
    answer(shared);
    answer(shared);
    expect(await Promise.all([first, second])).toEqual([shared, shared]);
    expect(state.leased).toBe(1);
    await setImmediate();
    expect(state.released).toBe(1);
  });

  it('that waited for a connection joins those that have begun meanwhile, and gives its own back', async () => {
    const { all, answer, unanswered, state } = setUp();
    const answers = Promise.all([all(), all()]);
    await setImmediate();
    expect(unanswered).toHaveLength(2);
    expect(state.leased).toBe(2);
    expect(state.released).toBe(1);
    answer(shared);
    answer(shared);
    expect(await answers).toEqual([shared, shared]);
  });

  it.each([
    ['is slow', 11, 'select'],
    ['is not known', undefined, 'select'],
    ['goes unnamed', 0.5, 'unnamed'],
  ])('that %s has a connection to itself', async (_what, typicalMs, sql) => {
    const { all, unanswered, state } = setUp({ typicalMs });
    expect(await all(sql)).toBe(alone);
    expect(unanswered).toHaveLength(0);
    expect(state.released).toBe(1);
  });

  it('whose name was lost among others is carried out once more by itself', async () => {
    const { all, fail, unanswered } = setUp();
    const rows = all();
    await setImmediate();
    expect(unanswered).toHaveLength(1);
    fail(timedOut(1, Object.assign(new Error('no such name'), { severity: 'ERROR', code: '26000' })));
    expect(await rows).toBe(alone);
  });

  it('that waits for room has it before whoever comes later', async () => {
    const { all, answer, unanswered, state } = setUp({ typicalMs: 5 });
    const done: string[] = [];
    const ask = (name: string) => void all().then(() => done.push(name));
    ask('first');
    await setImmediate();
    state.isLeasing = false;
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

  it('that waited while no connection was free stops to wait for one when it is served', async () => {
    const { all, answer, unanswered, state } = setUp({ typicalMs: 10 });
    const first = all();
    await setImmediate();
    state.isLeasing = false;
    state.areTaken = true;
    const waited = [all(), all()];
    await setImmediate();
    expect([unanswered.length, state.leftWaits]).toEqual([2, 0]);
    answer(shared);
    await setImmediate();
    expect([unanswered.length, state.leftWaits]).toEqual([2, 1]);
    answer(shared);
    answer(shared);
    expect(await Promise.all([first, ...waited])).toEqual([shared, shared, shared]);
  });

  it('that needs more room than there is is not passed by one that needs less', async () => {
    const { all, answer, unanswered, state } = setUp();
    const first = all();
    await setImmediate();
    state.isLeasing = false;
    const others = [all('slower'), all()];
    expect(unanswered).toHaveLength(1);
    answer(shared);
    expect(unanswered).toHaveLength(1);
    answer(shared);
    expect(unanswered).toHaveLength(1);
    answer(shared);
    expect(await Promise.all([first, ...others])).toEqual([shared, shared, shared]);
  });

  it('whose connection served one before it has another', async () => {
    const { all, answer, fail, unanswered, state } = setUp();
    state.isLeasing = false;
    const before = all('slower');
    state.isLeasing = true;
    const after = all();
    await setImmediate();
    expect([unanswered.length, state.leased]).toEqual([2, 2]);
    fail(new Error('division by zero'));
    await expect(before).rejects.toThrow('division by zero');
    answer(shared);
    expect(await after).toBe(shared);
    await setImmediate();
    expect(state.released).toBe(state.leased);
  });

  it('whose caller has gone is not sent', async () => {
    const { read, unanswered } = setUp();
    await expect(read('select', [], AbortSignal.abort())).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(unanswered).toHaveLength(0);
  });

  it('whose caller goes away while it waits is not sent', async () => {
    const { read, unanswered, state } = setUp();
    const leaving = new AbortController();
    const left = read('select', [], leaving.signal);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await setImmediate();
    expect([unanswered.length, state.released]).toEqual([0, state.leased]);
  });

  it('has another connection when the first cannot be used any more', async () => {
    const { all, answer, state } = setUp();
    state.unusable = 1;
    const rows = all();
    await setImmediate();
    expect([state.leased, state.released]).toEqual([2, 1]);
    answer(shared);
    expect(await rows).toBe(shared);
    await setImmediate();
    expect(state.released).toBe(state.leased);
  });

  it('joins nobody once the data source is closed', async () => {
    const { all, answer, unanswered, state } = setUp();
    const underWay = all();
    await setImmediate();
    expect(unanswered).toHaveLength(1);
    state.isOpen = false;
    const late = all();
    answer(shared);
    answer(shared);
    await expect(late).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(await underWay).toBe(shared);
  });
});
