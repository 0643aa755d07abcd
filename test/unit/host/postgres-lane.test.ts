import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPostgresLane, isQuick } from '#host/postgres-lane';
import type { KnownStatement } from '#host/postgres-statements';
import type { SqlRow } from '#kernel/ports/sqlite-connection';

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

/** A lane on a connection whose answers the test gives, one after another. */
function setUp({ statementTimeoutMs = 30_000 } = {}) {
  const unanswered: ((rows: readonly SqlRow[] | undefined) => void)[] = [];
  const state = { areTaken: false, isWaitedFor: false, isUsable: true, isReleased: false, cancellations: 0 };
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
      },
    },
    { statementTimeoutMs, areTaken: () => state.areTaken, isWaitedFor: () => state.isWaitedFor },
  );
  const read = (known: KnownStatement = statement(), signal?: AbortSignal) => lane.read(known, 'select', [], signal);
  const answer = () => unanswered.shift()?.(rows);
  const answerLast = (answered: readonly SqlRow[] | undefined) => unanswered.at(-1)?.(answered);
  const fail = () => unanswered.shift()?.(undefined);
  return { lane, read, answer, answerLast, fail, state, cancelled };
}

/** Nothing is answered between two looks. */
const getStuck = () => vi.advanceTimersByTime(200);
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

  it.each(['fails', 'cannot be used'])('takes no more when its connection %s', (what) => {
    const { lane, read, fail, state } = setUp();
    void read();
    void read();
    if (what === 'fails') fail();
    else state.isUsable = false;
    expect(lane.hasRoomFor(statement())).toBe(false);
  });
});

describe('a statement on a lane', () => {
  it('that fails is to be carried out elsewhere, and those behind are not', async () => {
    const { read, answer, fail } = setUp();
    const answers = Promise.all([read(), read()]);
    fail();
    answer();
    expect(await answers).toEqual([undefined, rows]);
  });

  it('that is refused before those under way are answered takes no answer of theirs', async () => {
    const { read, answer, answerLast, state } = setUp();
    const [first, second] = [read(), read()];
    const refused = read();
    answerLast(undefined);
    answerLast([{ n: 'of nobody' }]);
    expect(await refused).toBeUndefined();
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
    getStuck();
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
    vi.advanceTimersByTime(100);
    answer();
    vi.advanceTimersByTime(100);
    expect(await isPending(behind)).toBe(true);
  });

  it('is left by a caller who goes away, and cancelled only when it is stuck', async () => {
    const { read, answer, fail, cancelled, state } = setUp();
    const leaving = new AbortController();
    const head = read(statement(), leaving.signal);
    const behind = read(statement(), leaving.signal);
    leaving.abort();
    vi.advanceTimersByTime(100);
    await expect(head).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await expect(behind).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(state.cancellations).toBe(0);
    vi.advanceTimersByTime(300);
    expect(state.cancellations).toBe(1);
    fail();
    answer();
    await Promise.resolve();
    expect(state.isReleased).toBe(false);
    cancelled.resolve();
    await vi.waitFor(() => expect(state.isReleased).toBe(true));
  });

  it.each([
    [300, 1],
    [0, 0],
  ])('is cancelled after the statement timeout, %d ms', async (statementTimeoutMs, times) => {
    const { read, state } = setUp({ statementTimeoutMs });
    const stuck = read();
    vi.advanceTimersByTime(299);
    expect(state.cancellations).toBe(0);
    vi.advanceTimersByTime(1);
    expect(state.cancellations).toBe(times);
    if (times > 0) await expect(stuck).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
    else expect(await isPending(stuck)).toBe(true);
  });
});
