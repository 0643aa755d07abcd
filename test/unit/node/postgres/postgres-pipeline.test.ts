import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SqlRow } from '#kernel/ports/sql-row';
import { timedOut } from '#node/database/database-errors';
import { createPostgresPipeline, isQuick } from '#node/postgres/postgres-pipeline';
import type { KnownStatement } from '#node/postgres/postgres-statements';
import { eventually } from '../../../helpers/eventually.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function statement(typicalMs: number | undefined = 0.5) {
  const tookMs: number[] = [];
  return { name: 'one', typicalMs, rarelyAboveMs: typicalMs, tookMs, took: (ms: number) => tookMs.push(ms) };
}
const rows: readonly SqlRow[] = [{ n: '1' }];
const failure = new Error('division by zero');
const lostName = timedOut(1, Object.assign(new Error('no such name'), { severity: 'ERROR', code: '26000' }));

/** A pipeline on a connection whose answers the test gives, one after another. */
function setUp({ statementTimeoutMs = 30_000 } = {}) {
  const unanswered: ((error: unknown, rows: readonly SqlRow[] | undefined) => void)[] = [];
  const state = {
    isOpen: true,
    ends: 0,
    onAnswer: (): void => undefined,
    areAllInUse: false,
    isWaitedFor: false,
    isUsable: true,
    cancellations: 0,
  };
  const cancelled = Promise.withResolvers<void>();
  const pipeline = createPostgresPipeline(
    {
      send: (_statement, _sql, _parameters, onAnswer) => unanswered.push(onAnswer),
      cancel: () => {
        state.cancellations += 1;
        return cancelled.promise;
      },
      isUsable: () => state.isUsable,
    },
    {
      areAllInUse: () => state.areAllInUse,
      isWaitedFor: () => state.isWaitedFor,
      isOpen: () => state.isOpen,
    },
    {
      statementTimeoutMs,
      onAnswer: () => state.onAnswer(),
      onEnd: () => {
        state.ends += 1;
      },
    },
  );
  const read = (known: KnownStatement = statement(), signal?: AbortSignal) =>
    new Promise<readonly SqlRow[] | undefined>((resolve, reject) => {
      pipeline.send({ statement: known, sql: 'select', parameters: [], signal, resolve, reject });
    });
  const answer = () => unanswered.shift()?.(undefined, rows);
  const answerLast = (error: unknown, answered?: readonly SqlRow[]) => unanswered.at(-1)?.(error, answered);
  const fail = (error: unknown = failure) => unanswered.shift()?.(error, undefined);
  return { pipeline, read, answer, answerLast, fail, state, cancelled };
}

/** The pipeline looks every 100 ms, and acts on what it sees once the answers that have come are heard. */
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await setImmediate();
}
const isPending = async (promise: Promise<unknown>) =>
  (await Promise.race([promise.catch(() => undefined), Promise.resolve('pending')])) === 'pending';

describe('a pipeline', () => {
  it('is for statements that it can nearly always carry out twice in its time', () => {
    expect([0.5, 6, 6.5, undefined].map((rarelyAboveMs) => isQuick({ ...statement(), rarelyAboveMs }))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('ends when everything is answered', async () => {
    const { pipeline, read, answer, state } = setUp();
    const answers = [read(), read()];
    answer();
    await answers[0];
    expect(state.ends).toBe(0);
    answer();
    expect(await Promise.all(answers)).toEqual([rows, rows]);
    expect(state.ends).toBe(1);
    expect(pipeline.hasRoomFor(statement())).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('notes how long each read was carried out, without the wait for those before', () => {
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

  it('has room for sixteen reads at a time', () => {
    const { pipeline, read, answer } = setUp();
    for (let n = 0; n < 16; n++) void read(statement(0.1));
    expect(pipeline.hasRoomFor(statement(0.1))).toBe(false);
    answer();
    expect(pipeline.hasRoomFor(statement(0.1))).toBe(true);
  });

  it('has room for 5 ms of work, and for 12 when no other connection is free', () => {
    const { pipeline, read, state } = setUp();
    void read(statement(3));
    expect([1, 2, 3].map((ms) => pipeline.hasRoomFor(statement(ms)))).toEqual([true, true, false]);
    state.areAllInUse = true;
    expect([3, 9, 10].map((ms) => pipeline.hasRoomFor(statement(ms)))).toEqual([true, true, false]);
    vi.advanceTimersByTime(10);
    expect(pipeline.hasRoomFor(statement(3))).toBe(false);
  });

  it('takes no more reads after a hundred, while a request waits for a connection', () => {
    const { pipeline, read, answer, state } = setUp();
    void read();
    for (let n = 1; n < 100; n++) {
      void read();
      answer();
    }
    expect(pipeline.hasRoomFor(statement())).toBe(true);
    state.isWaitedFor = true;
    expect(pipeline.hasRoomFor(statement())).toBe(false);
  });

  it('takes no more reads after a tenth of a second, while a request waits for a connection', () => {
    const { pipeline, read, state } = setUp();
    state.isWaitedFor = true;
    vi.advanceTimersByTime(100);
    expect(pipeline.hasRoomFor(statement())).toBe(true);
    void read();
    expect(pipeline.hasRoomFor(statement())).toBe(false);
    state.isWaitedFor = false;
    expect(pipeline.hasRoomFor(statement())).toBe(true);
  });

  it('ends once, even when a read is sent and refused meanwhile', async () => {
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
    expect(state.ends).toBe(1);
  });

  it.each(['fails', 'cannot be used'])('takes no more reads when its connection %s', (what) => {
    const { pipeline, read, fail, state } = setUp();
    void read().catch(() => undefined);
    void read();
    if (what === 'fails') fail();
    else state.isUsable = false;
    expect(pipeline.hasRoomFor(statement())).toBe(false);
  });
});

describe('a read in a pipeline', () => {
  it('fails without the others, and is carried out elsewhere when the connection lost its name', async () => {
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

  it('changes what is known of its statement when it was carried out, not when it failed', () => {
    const { read, fail } = setUp();
    const known = statement();
    void read(known).catch(() => undefined);
    fail();
    expect(known.tookMs).toEqual([]);
  });

  it('takes no answer of others when the driver refuses it before they are answered', async () => {
    const { read, answer, answerLast, state } = setUp();
    const [first, second] = [read(), read()];
    const refused = read();
    answerLast(failure);
    answerLast(undefined, [{ n: 'of nobody' }]);
    await expect(refused).rejects.toBe(failure);
    answer();
    expect(await first).toBe(rows);
    expect(await isPending(second)).toBe(true);
    expect(state.ends).toBe(0);
    answer();
    expect(await second).toBe(rows);
  });

  it('is carried out elsewhere when the read before it is stuck', async () => {
    const { pipeline, read, answer, state } = setUp();
    const stuck = read();
    const behind = read();
    await pass(200);
    expect(await behind).toBeUndefined();
    expect(await isPending(stuck)).toBe(true);
    expect(pipeline.hasRoomFor(statement())).toBe(false);
    answer();
    expect(await stuck).toBe(rows);
    expect(state.ends).toBe(0);
    answer();
    await eventually(() => expect(state.ends).toBe(1));
    expect(state.cancellations).toBe(0);
  });

  it('is not taken for stuck while answers come, nor after one look', async () => {
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

  it('ends for its caller when the caller goes away, and is cancelled only when it is stuck', async () => {
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
    expect(state.ends).toBe(0);
    cancelled.resolve();
    await eventually(() => expect(state.ends).toBe(1));
  });

  it('waits for the stuck read before it once the data source is closed', async () => {
    const { read, answer, state } = setUp();
    const stuck = read();
    const behind = read();
    state.isOpen = false;
    await pass(300);
    answer();
    answer();
    expect(await Promise.all([stuck, behind])).toEqual([rows, rows]);
  });

  it('does not wait for a read that is cancelled, not even once the data source is closed', async () => {
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

  it('gets its rows when the answer comes before the cancellation', async () => {
    const { read, answer, state } = setUp({ statementTimeoutMs: 300 });
    const late = read();
    await pass(300);
    expect(state.cancellations).toBe(1);
    answer();
    expect(await late).toBe(rows);
  });
});
