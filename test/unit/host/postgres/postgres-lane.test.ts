import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { timedOut } from '#host/database/database-errors';
import { createPostgresLane, isQuick } from '#host/postgres/postgres-lane';
import type { KnownStatement } from '#host/postgres/postgres-statements';
import type { SqlRow } from '#kernel/ports/sql-row';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function statement(typicalMs: number | undefined = 0.5) {
  const tookMs: number[] = [];
  return { name: 'one', typicalMs, tookMs, took: (ms: number) => tookMs.push(ms) };
}
const rows: readonly SqlRow[] = [{ n: '1' }];
const failure = new Error('division by zero');
const lostName = timedOut(1, Object.assign(new Error('no such name'), { severity: 'ERROR', code: '26000' }));

/** A lane on a connection whose answers the test gives, one after another. */
function setUp({ statementTimeoutMs = 30_000 } = {}) {
  const unanswered: ((error: unknown, rows: readonly SqlRow[] | undefined) => void)[] = [];
  const state = {
    isOpen: true,
    releases: 0,
    onAnswer: (): void => undefined,
    areTaken: false,
    isWaitedFor: false,
    isUsable: true,
    isReleased: false,
    cancellations: 0,
  };
  const cancelled = Promise.withResolvers<void>();
  const lane = createPostgresLane(
    {
      send: (_statement, _sql, _parameters, onAnswer) => unanswered.push(onAnswer),
      cancel: () => {
        state.cancellations += 1;
        return cancelled.promise;
      },
      isUsable: () => state.isUsable,
      release: () => {
        state.isReleased = true;
        state.releases += 1;
      },
    },
    {
      statementTimeoutMs,
      areTaken: () => state.areTaken,
      isWaitedFor: () => state.isWaitedFor,
      isOpen: () => state.isOpen,
    },
    () => state.onAnswer(),
  );
  const read = (known: KnownStatement = statement(), signal?: AbortSignal) =>
    new Promise<readonly SqlRow[] | undefined>((resolve, reject) => {
      lane.send({ statement: known, sql: 'select', parameters: [], signal }, { resolve, reject });
    });
  const answer = () => unanswered.shift()?.(undefined, rows);
  const answerLast = (error: unknown, answered?: readonly SqlRow[]) => unanswered.at(-1)?.(error, answered);
  const fail = (error: unknown = failure) => unanswered.shift()?.(error, undefined);
  return { lane, read, answer, answerLast, fail, state, cancelled };
}

/** Looks are taken in steps of 100 ms; what they find is acted on when answers that have come are heard. */
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await setImmediate();
}
const isPending = async (promise: Promise<unknown>) =>
  (await Promise.race([promise.catch(() => undefined), Promise.resolve('pending')])) === 'pending';

describe('a lane', () => {
  it('is for statements of which two are done in time', () => {
    expect([0.5, 10, 10.5, undefined].map((typicalMs) => isQuick({ ...statement(), typicalMs }))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('gives back its connection when everything is answered', async () => {
    const { lane, read, answer, state } = setUp();
    const answers = [read(), read()];
    answer();
    await answers[0];
    expect(state.isReleased).toBe(false);
    answer();
    expect(await Promise.all(answers)).toEqual([rows, rows]);
    expect(state.isReleased).toBe(true);
    expect(lane.hasRoomFor(statement())).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('tells how long each was carried out, without the wait for those before', () => {
    const { read, answer } = setUp();
    const [first, second] = [statement(), statement()];
    void read(first);
    void read(second);
    vi.advanceTimersByTime(3);
    answer();
    vi.advanceTimersByTime(1);
    answer();
    expect([first.tookMs, second.tookMs]).toEqual([[3], [1]]);
  });

  it('has room for sixteen at a time', () => {
    const { lane, read, answer } = setUp();
    for (let n = 0; n < 16; n++) void read(statement(0.1));
    expect(lane.hasRoomFor(statement(0.1))).toBe(false);
    answer();
    expect(lane.hasRoomFor(statement(0.1))).toBe(true);
  });

  it('has room for 5 ms of work, and for 20 when no other connection is free', () => {
    const { lane, read, state } = setUp();
    void read(statement(3));
    expect([1, 2, 3].map((ms) => lane.hasRoomFor(statement(ms)))).toEqual([true, true, false]);
    state.areTaken = true;
    expect([3, 17, 18].map((ms) => lane.hasRoomFor(statement(ms)))).toEqual([true, true, false]);
    vi.advanceTimersByTime(18);
    expect(lane.hasRoomFor(statement(3))).toBe(false);
  });

  it('takes no more after a hundred, while somebody waits for a connection', () => {
    const { lane, read, answer, state } = setUp();
    void read();
    for (let n = 1; n < 100; n++) {
      void read();
      answer();
    }
    expect(lane.hasRoomFor(statement())).toBe(true);
    state.isWaitedFor = true;
    expect(lane.hasRoomFor(statement())).toBe(false);
  });

  it('takes no more after a tenth of a second, while somebody waits for a connection', () => {
    const { lane, read, state } = setUp();
    state.isWaitedFor = true;
    vi.advanceTimersByTime(100);
    expect(lane.hasRoomFor(statement())).toBe(true);
    void read();
    expect(lane.hasRoomFor(statement())).toBe(false);
    state.isWaitedFor = false;
    expect(lane.hasRoomFor(statement())).toBe(true);
  });

  it('ends once, whatever is sent and refused while it does', async () => {
    const { read, answer, fail, state } = setUp();
    const refused = { is: undefined as Promise<unknown> | undefined };
    state.onAnswer = () => {
      state.onAnswer = () => undefined;
      refused.is = read();
      fail();
    };
    const first = read();
    answer();
    await expect(refused.is).rejects.toBe(failure);
    expect(await first).toBe(rows);
    await setImmediate();
    expect(state.releases).toBe(1);
  });

  it.each(['fails', 'cannot be used'])('takes no more when its connection %s', (what) => {
    const { lane, read, fail, state } = setUp();
    void read().catch(() => undefined);
    void read();
    if (what === 'fails') fail();
    else state.isUsable = false;
    expect(lane.hasRoomFor(statement())).toBe(false);
  });
});

describe('a statement on a lane', () => {
  it('that fails does so by itself, and is to be carried out elsewhere where its name was lost', async () => {
    const { read, answer, fail } = setUp();
    const answers = Promise.allSettled([read(), read(), read()]);
    fail();
    answer();
    fail(lostName);
    expect(await answers).toEqual([
      { status: 'rejected', reason: failure },
      { status: 'fulfilled', value: rows },
      { status: 'fulfilled', value: undefined },
    ]);
  });

  it('counts in what is known of it when it was carried out, not when it failed', () => {
    const { read, fail } = setUp();
    const known = statement();
    void read(known).catch(() => undefined);
    fail();
    expect(known.tookMs).toEqual([]);
  });

  it('that is refused before those under way are answered takes no answer of theirs', async () => {
    const { read, answer, answerLast, state } = setUp();
    const [first, second] = [read(), read()];
    const refused = read();
    answerLast(failure);
    answerLast(undefined, [{ n: 'of nobody' }]);
    await expect(refused).rejects.toBe(failure);
    answer();
    expect(await first).toBe(rows);
    expect(await isPending(second)).toBe(true);
    expect(state.isReleased).toBe(false);
    answer();
    expect(await second).toBe(rows);
  });

  it('behind one that is stuck is to be carried out elsewhere', async () => {
    const { lane, read, answer, state } = setUp();
    const stuck = read();
    const behind = read();
    await pass(200);
    expect(await behind).toBeUndefined();
    expect(await isPending(stuck)).toBe(true);
    expect(lane.hasRoomFor(statement())).toBe(false);
    answer();
    expect(await stuck).toBe(rows);
    expect(state.isReleased).toBe(false);
    answer();
    await vi.waitFor(() => expect(state.isReleased).toBe(true));
    expect(state.cancellations).toBe(0);
  });

  it('is not stuck while answers come, nor by one look', async () => {
    const { read, answer } = setUp();
    void read();
    const behind = read();
    await pass(100);
    answer();
    await pass(100);
    expect(await isPending(behind)).toBe(true);
    vi.advanceTimersByTime(100);
    answer();
    await setImmediate();
    expect(await behind).toBe(rows);
  });

  it('is left by callers who go away, and each cancelled only when it is stuck', async () => {
    const { read, fail, cancelled, state } = setUp();
    const leaving = new AbortController();
    const both = Promise.allSettled([read(statement(), leaving.signal), read(statement(), leaving.signal)]);
    leaving.abort();
    await pass(100);
    const left = { status: 'rejected', reason: expect.objectContaining({ code: 'INTERRUPTED' }) };
    expect(await both).toEqual([left, left]);
    expect(state.cancellations).toBe(0);
    await pass(300);
    expect(state.cancellations).toBe(1);
    fail();
    await pass(200);
    expect(state.cancellations).toBe(2);
    fail();
    await setImmediate();
    expect(state.isReleased).toBe(false);
    cancelled.resolve();
    await vi.waitFor(() => expect(state.isReleased).toBe(true));
  });

  it('behind one that is stuck waits for it once the data source is closed', async () => {
    const { read, answer, state } = setUp();
    const stuck = read();
    const behind = read();
    state.isOpen = false;
    await pass(300);
    answer();
    answer();
    expect(await Promise.all([stuck, behind])).toEqual([rows, rows]);
  });

  it('behind one that is cancelled is not, also once the data source is closed', async () => {
    const { read, answer, fail, state } = setUp({ statementTimeoutMs: 300 });
    const stuck = read();
    const behind = read();
    state.isOpen = false;
    await pass(300);
    expect(await behind).toBeUndefined();
    fail();
    await expect(stuck).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
    answer();
  });

  it.each([
    [300, 300, 1],
    [20, 20, 1],
    [0, 60_000, 0],
  ])('is cancelled after the statement timeout, %d ms', async (statementTimeoutMs, ms, times) => {
    const { read, fail, state } = setUp({ statementTimeoutMs });
    const stuck = read();
    await pass(ms - 1);
    expect(state.cancellations).toBe(0);
    await pass(1);
    expect(state.cancellations).toBe(times);
    fail();
    if (times > 0) await expect(stuck).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
    else await expect(stuck).rejects.toBe(failure);
  });

  it('that is answered after all has its rows, also when it was cancelled too late', async () => {
    const { read, answer, state } = setUp({ statementTimeoutMs: 300 });
    const late = read();
    await pass(300);
    expect(state.cancellations).toBe(1);
    answer();
    expect(await late).toBe(rows);
  });
});
