import { setImmediate } from 'node:timers/promises';
import type { QueryResult } from 'pg';
import { describe, expect, it } from 'vitest';
import { closed } from '#host/database-errors';
import type { Lease } from '#host/postgres-lease';
import { createPostgresReads } from '#host/postgres-reads';
import type { KnownStatement } from '#host/postgres-statements';
import type { SqlRow } from '#kernel/ports/sqlite-connection';

const shared: readonly SqlRow[] = [{ from: 'a shared connection' }];
const alone: readonly SqlRow[] = [{ from: 'a connection of its own' }];

/** Reads on connections that answer what is sent on them when the test says so. */
function setUp({ typicalMs }: { readonly typicalMs: number | undefined } = { typicalMs: 0.5 }) {
  const unanswered: ((rows: readonly SqlRow[] | undefined) => void)[] = [];
  const state = { isOpen: true, leased: 0, released: 0 };
  const connection = {
    send: (_statement, _sql, _parameters, onAnswer) => unanswered.push(onAnswer),
    execute: async () => ({ rows: alone }) as unknown as QueryResult<SqlRow>,
    isUsable: () => true,
    release: () => {
      state.released += 1;
    },
  } satisfies Partial<Lease> as unknown as Lease;
  const lease = async () => {
    state.leased += 1;
    if (!state.isOpen) throw closed();
    return connection;
  };
  const known: KnownStatement = { name: 'one', typicalMs, took: () => undefined };
  const read = createPostgresReads(
    {
      lease,
      statementTimeoutMs: 0,
      areTaken: () => false,
      isWaitedFor: () => false,
      isOpen: () => state.isOpen,
      openConnections: () => 1,
      close: async () => undefined,
    },
    {
      find: (sql) => (sql === 'unnamed' ? undefined : known),
      generation: () => 0,
      startGeneration: () => undefined,
      giveUp: () => undefined,
    },
  );
  const all = (sql = 'select') => read(sql, [], undefined);
  const answer = (rows: readonly SqlRow[] | undefined) => unanswered.shift()?.(rows);
  return { all, answer, unanswered, state };
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

  it('that failed among others is carried out once more by itself', async () => {
    const { all, answer, unanswered } = setUp();
    const rows = all();
    await setImmediate();
    expect(unanswered).toHaveLength(1);
    answer(undefined);
    expect(await rows).toBe(alone);
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
