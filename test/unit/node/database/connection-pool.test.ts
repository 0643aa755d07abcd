import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionPool } from '#node/database/connection-pool';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const limits = { size: 2, waitMs: 1000, keptIdleMs: 30_000 };
const refused = new Error('The server refuses the connection.');

interface Connection {
  readonly number: number;
  isUsable: boolean;
}

/** A pool whose connections the test opens, breaks and lets close. */
function setUp(changes: Partial<typeof limits> = {}) {
  const attempts: { open(): Connection; fail(): void }[] = [];
  const events: string[] = [];
  const state = { opened: 0, lose: (_connection: Connection): void => undefined, closing: Promise.resolve() };
  const pool = new ConnectionPool<Connection, string>(
    {
      open(onLost) {
        state.lose = onLost;
        return new Promise((resolve, reject) => {
          const open = () => {
            state.opened += 1;
            const connection = { number: state.opened, isUsable: true };
            resolve(connection);
            return connection;
          };
          attempts.push({ open, fail: () => reject(refused) });
        });
      },
      isUsable: ({ isUsable }) => isUsable,
      close({ number }) {
        events.push(`close ${number}`);
        return state.closing;
      },
    },
    { ...limits, ...changes },
  );
  /** Lets the pool open what it has asked for. */
  const openAll = async () => {
    for (const attempt of attempts.splice(0)) attempt.open();
    await setImmediate();
  };
  /** A connection that is in use. */
  const inUse = async () => {
    const acquiring = pool.acquire();
    await openAll();
    return acquiring;
  };
  return { pool, attempts, events, state, openAll, inUse };
}

const outcomeOf = (promise: Promise<Connection>) =>
  promise.then(
    ({ number }) => number,
    (error: { readonly code?: string }) => error.code ?? error,
  );

describe('a pool of connections', () => {
  it('opens a connection for each request, up to its size', async () => {
    const { pool, attempts, openAll } = setUp();
    const requests = [pool.acquire(), pool.acquire(), pool.acquire()];
    expect(attempts).toHaveLength(2);
    expect(pool.areAllInUse()).toBe(true);
    expect(pool.openConnections()).toBe(2);
    await openAll();
    expect(await Promise.all(requests.slice(0, 2).map(outcomeOf))).toEqual([1, 2]);
    expect([pool.openConnections(), pool.isWaitedFor()]).toEqual([2, true]);
  });

  it('hands a released connection straight to the request that came first', async () => {
    const { pool, inUse, attempts } = setUp({ size: 1 });
    const connection = await inUse();
    const [first, second] = [pool.acquire(), pool.acquire()];
    pool.release(connection);
    expect(await first).toBe(connection);
    expect(pool.isWaitedFor()).toBe(true);
    pool.release(connection);
    expect(await second).toBe(connection);
    expect(attempts).toHaveLength(0);
  });

  it('uses the connection first that was released last', async () => {
    const { pool, inUse } = setUp();
    const [first, second] = [await inUse(), await inUse()];
    pool.release(first);
    pool.release(second);
    expect(await pool.acquire()).toBe(second);
    expect(await pool.acquire()).toBe(first);
  });

  it('gives a request the connection that is free first, a new one or a released one', async () => {
    const { pool, inUse, attempts, openAll } = setUp();
    const connection = await inUse();
    const request = pool.acquire();
    expect(attempts).toHaveLength(1);
    expect(pool.isWaitedFor()).toBe(false);
    pool.release(connection);
    expect(await request).toBe(connection);
    await openAll();
    expect((await pool.acquire()).number).toBe(2);
  });

  it('closes a released connection that cannot be used, and opens another for the request that waits', async () => {
    const { pool, inUse, events, openAll } = setUp({ size: 1 });
    const connection = await inUse();
    const waiting = pool.acquire();
    connection.isUsable = false;
    pool.release(connection);
    expect(events).toEqual(['close 1']);
    await openAll();
    expect((await waiting).number).toBe(2);
  });

  it('passes over idle connections that cannot be used any more', async () => {
    const { pool, inUse, events, openAll } = setUp();
    const connections = [await inUse(), await inUse()];
    for (const connection of connections) pool.release(connection);
    for (const connection of connections) connection.isUsable = false;
    const request = pool.acquire();
    expect(events).toEqual(['close 2', 'close 1']);
    await openAll();
    expect((await request).number).toBe(3);
  });

  it('closes a connection that nobody has needed for a while', async () => {
    const { pool, inUse, events } = setUp();
    pool.release(await inUse());
    vi.advanceTimersByTime(limits.keptIdleMs - 1);
    pool.release(await pool.acquire());
    vi.advanceTimersByTime(limits.keptIdleMs - 1);
    expect(events).toEqual([]);
    vi.advanceTimersByTime(1);
    expect([events, pool.openConnections()]).toEqual([['close 1'], 0]);
  });

  it('closes an idle connection at once when it breaks, and one in use when it is released', async () => {
    const { pool, inUse, events, state } = setUp();
    const connection = await inUse();
    state.lose(connection);
    expect(pool.openConnections()).toBe(1);
    pool.release(connection);
    state.lose(connection);
    expect([events, pool.openConnections()]).toEqual([['close 1'], 0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('tells one request why no connection could be opened, and tries again for the next', async () => {
    const { pool, attempts, openAll } = setUp({ size: 1 });
    const outcomes = [pool.acquire(), pool.acquire()].map(outcomeOf);
    attempts.shift()?.fail();
    expect(await outcomes[0]).toBe(refused);
    expect(attempts).toHaveLength(1);
    await openAll();
    expect(await outcomes[1]).toBe(1);
  });

  it('tries again after a failure that no request waited for', async () => {
    const { pool, inUse, attempts, openAll } = setUp();
    const connection = await inUse();
    const leaving = new AbortController();
    const left = outcomeOf(pool.acquire(leaving.signal));
    leaving.abort();
    expect(await left).toBe('INTERRUPTED');
    attempts.shift()?.fail();
    await setImmediate();
    const request = pool.acquire();
    expect(attempts).toHaveLength(1);
    await openAll();
    expect(await request).not.toBe(connection);
  });

  it('limits the wait for connections in use, not the wait for one that is being opened', async () => {
    const { pool, attempts } = setUp({ size: 1 });
    const outcomes = [pool.acquire(), pool.acquire()].map(outcomeOf);
    vi.advanceTimersByTime(limits.waitMs);
    expect(await outcomes[1]).toBe('DATABASE_BUSY');
    attempts.shift()?.fail();
    expect(await outcomes[0]).toBe(refused);
  });

  it('lets a request wait for a connection that is being opened for a caller who has gone', async () => {
    const { pool, attempts } = setUp({ size: 1 });
    const leaving = new AbortController();
    const left = outcomeOf(pool.acquire(leaving.signal));
    leaving.abort();
    expect(await left).toBe('INTERRUPTED');
    const next = outcomeOf(pool.acquire());
    vi.advanceTimersByTime(limits.waitMs);
    attempts.shift()?.fail();
    expect(await next).toBe(refused);
    expect(attempts).toHaveLength(0);
  });

  it('refuses a request whose caller has gone', async () => {
    const { pool, inUse } = setUp();
    pool.release(await inUse());
    expect(await outcomeOf(pool.acquire(AbortSignal.abort()))).toBe('INTERRUPTED');
  });

  it('offers room to requests in the queue that can share a connection', async () => {
    const { pool, inUse } = setUp({ size: 1 });
    await inUse();
    const taken: string[] = [];
    pool.request({ shareable: 'read', serve: () => undefined, refuse: () => undefined });
    expect([pool.hasShareable(), pool.isWaitedFor()]).toEqual([true, true]);
    pool.offerRoom((shareable) => taken.push(shareable) > 0);
    expect([taken, pool.hasShareable(), pool.isWaitedFor()]).toEqual([['read'], false, false]);
  });
});

describe('closing a pool of connections', () => {
  it('refuses all requests, and waits for the connections in use', async () => {
    const { pool, inUse, events } = setUp();
    const [first, second] = [await inUse(), await inUse()];
    const waiting = outcomeOf(pool.acquire());
    let isClosed = false;
    const closing = pool.close().then(() => {
      isClosed = true;
    });
    expect(pool.isOpen()).toBe(false);
    expect(await waiting).toBe('DATABASE_UNREACHABLE');
    expect(await outcomeOf(pool.acquire())).toBe('DATABASE_UNREACHABLE');
    expect(events).toEqual([]);
    pool.release(first);
    expect(events).toEqual(['close 1']);
    await setImmediate();
    expect(isClosed).toBe(false);
    pool.release(second);
    await closing;
    expect(events).toEqual(['close 1', 'close 2']);
  });

  it('waits until every connection is closed', async () => {
    const { pool, inUse, state } = setUp();
    pool.release(await inUse());
    const hungUp = Promise.withResolvers<void>();
    state.closing = hungUp.promise;
    let isClosed = false;
    const closing = Promise.all([pool.close(), pool.close()]).then(() => {
      isClosed = true;
    });
    await setImmediate();
    expect(isClosed).toBe(false);
    hungUp.resolve();
    await closing;
  });

  it.each(['opens', 'cannot be opened'])('waits for a connection that %s meanwhile', async (outcome) => {
    const { pool, attempts, events } = setUp();
    const leaving = new AbortController();
    const left = outcomeOf(pool.acquire(leaving.signal));
    leaving.abort();
    await left;
    const closing = pool.close();
    if (outcome === 'opens') attempts.shift()?.open();
    else attempts.shift()?.fail();
    await closing;
    expect(events).toEqual(outcome === 'opens' ? ['close 1'] : []);
  });

  it('is done at once when nothing was ever opened', async () => {
    const { pool } = setUp();
    await pool.close();
    expect(pool.isOpen()).toBe(false);
  });
});
