import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SlowRequests } from '#runtime/surfaces/request/request-limits';

const awaited = new AbortController().signal;

/** Requests of people, at times that the test decides. */
function slowRequests(limits: { readonly seconds: number | null; readonly atOnce: number | null }) {
  const time = { ms: 0 };
  const slow = new SlowRequests(
    { slowSecondsPerMinute: limits.seconds, slowReadsPerPerson: limits.atOnce },
    () => time.ms,
  );
  /** Begin a request that need not wait. */
  const begin = (person = 7) => {
    const begun = slow.begin(person, true, awaited);
    if (begun instanceof Promise) throw new Error('The request waits.');
    return begun;
  };
  const ask = (person: number, tookMs: number) => {
    const end = begin(person);
    time.ms += tookMs;
    end();
  };
  return { slow, time, begin, ask };
}

const spent = expect.objectContaining({ code: 'REQUEST_TIME_SPENT' });

describe('the time of slow requests', () => {
  /** A minute's time is 60 seconds: 10 at a stretch, and one a second. */
  const limits = { seconds: 60, atOnce: null };

  it('is free for requests below a quarter of a second, however many there are', () => {
    const { ask, begin } = slowRequests(limits);
    for (let count = 0; count < 10_000; count++) ask(7, 250);
    expect(begin()).toEqual(expect.any(Function));
  });

  it('is never spent by one slow request after the other', () => {
    const { ask } = slowRequests(limits);
    for (let count = 0; count < 100; count++) ask(7, 9_000);
  });

  it('is spent by many at once, also while they run, and comes back', () => {
    const { begin, time } = slowRequests(limits);
    const ends = Array.from({ length: 4 }, () => begin());
    time.ms += 3_000;
    expect(() => begin()).toThrow(spent);
    for (const end of ends) end();
    try {
      begin();
      expect.unreachable();
    } catch (error) {
      // Twelve seconds were taken of ten, and one comes back each second.
      expect(error).toMatchObject({ details: { retryAfterSeconds: 2 } });
    }
    time.ms += 2_000;
    expect(begin()).toEqual(expect.any(Function));
  });

  it('is that of one person: others are let in', () => {
    const { begin, time } = slowRequests(limits);
    for (let count = 0; count < 4; count++) begin();
    time.ms += 3_000;
    expect(() => begin()).toThrow(spent);
    expect(begin(8)).toEqual(expect.any(Function));
  });

  it('counts a request once, whatever ends it', () => {
    const { begin, time } = slowRequests(limits);
    const end = begin();
    time.ms += 6_000;
    end();
    end();
    expect(begin()).toEqual(expect.any(Function));
  });

  it('has no bound where none is wanted', () => {
    const { begin, time } = slowRequests({ seconds: null, atOnce: null });
    for (let count = 0; count < 1_000; count++) begin();
    time.ms += 1_000_000;
    expect(begin()).toEqual(expect.any(Function));
  });
});

describe('the slow reads of one person', () => {
  const limits = { seconds: null, atOnce: 2 };

  it('begin one after the other, in their order', async () => {
    const { slow, time, begin } = slowRequests(limits);
    const [first, second] = [begin(), begin()];
    const begun: number[] = [];
    const waiting = [3, 4, 5].map(async (number) => {
      const end = await slow.begin(7, true, awaited);
      begun.push(number);
      return end;
    });
    // Somebody else does not wait.
    begin(8);
    time.ms += 1_000;
    first();
    second();
    await waiting[0];
    expect(begun).toEqual([3]);
    time.ms += 1_000;
    (await waiting[0])?.();
    await waiting[1];
    expect(begun).toEqual([3, 4]);
    (await waiting[1])?.();
    await waiting[2];
    expect(begun).toEqual([3, 4, 5]);
  });

  it('wait no longer than three seconds for one that hangs', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const slow = new SlowRequests({ slowSecondsPerMinute: null, slowReadsPerPerson: 2 });
    const begin = () => slow.begin(7, true, awaited);
    const first = begin();
    vi.advanceTimersByTime(300);
    const waiting = [begin(), begin()];
    await vi.advanceTimersByTimeAsync(2_999);
    await expect(Promise.race([waiting[0], 'waits'])).resolves.toBe('waits');
    await vi.advanceTimersByTimeAsync(1);
    const second = await waiting[0];
    // Two hang now, which is as many as a person may have.
    await vi.advanceTimersByTimeAsync(60_000);
    await expect(Promise.race([waiting[1], 'waits'])).resolves.toBe('waits');
    second?.();
    expect(await waiting[1]).toEqual(expect.any(Function));
    expect(first).toEqual(expect.any(Function));
  });

  it('take the room away that quick answers have made', async () => {
    const { slow, time, ask, begin } = slowRequests(limits);
    for (let count = 0; count < 20; count++) ask(7, 10);
    const ends = Array.from({ length: 22 }, () => begin());
    const next = slow.begin(7, true, awaited);
    expect(next).toBeInstanceOf(Promise);
    time.ms += 300;
    expect(slow.begin(7, true, awaited)).toBeInstanceOf(Promise);
    for (const end of ends.slice(0, 21)) end();
    // One of the slow ones is still in progress.
    await expect(Promise.race([next, 'waits'])).resolves.toBe('waits');
    for (const end of ends) end();
    expect(await next).toEqual(expect.any(Function));
  });

  it('let writes begin, which take their time and no room', () => {
    const { slow, time, begin } = slowRequests({ seconds: 60, atOnce: 2 });
    const writes = Array.from({ length: 5 }, () => slow.begin(7, false, awaited));
    time.ms += 1_000;
    expect(writes).toEqual(Array(5).fill(expect.any(Function)));
    begin();
    begin();
    expect(slow.begin(7, true, awaited)).toBeInstanceOf(Promise);
    expect(slow.begin(7, false, awaited)).toEqual(expect.any(Function));
    time.ms += 2_000;
    expect(() => slow.begin(7, false, awaited)).toThrow(spent);
  });

  it('wait a hundred at most, and not where nobody waits any more', async () => {
    const { slow, begin } = slowRequests(limits);
    const end = begin();
    begin();
    const gone = new AbortController();
    const lost = slow.begin(7, true, gone.signal);
    const waiting = Array.from({ length: 99 }, () => slow.begin(7, true, awaited));
    expect(() => slow.begin(7, true, awaited)).toThrow(spent);
    gone.abort();
    await expect(lost).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(slow.begin(7, true, awaited)).toBeInstanceOf(Promise);
    end();
    expect(await waiting[0]).toEqual(expect.any(Function));
  });
});
