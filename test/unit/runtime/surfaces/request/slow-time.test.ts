import { describe, expect, it } from 'vitest';
import { SlowTime } from '#runtime/surfaces/request/request-limits';

/** A minute's time is 60 seconds: 10 at a stretch, and one a second. */
function slowTime() {
  const time = { ms: 0 };
  const slow = new SlowTime(60, () => time.ms);
  const ask = (person: number, tookMs: number) => {
    const end = slow.begin(person);
    time.ms += tookMs;
    end();
  };
  return { slow, time, ask };
}

const spent = expect.objectContaining({ code: 'REQUEST_TIME_SPENT' });

describe('the time of slow requests', () => {
  it('is free for requests below a quarter of a second, however many there are', () => {
    const { ask, slow } = slowTime();
    for (let count = 0; count < 10_000; count++) ask(7, 250);
    expect(slow.begin(7)).toEqual(expect.any(Function));
  });

  it('is never spent by one slow request after the other', () => {
    const { ask } = slowTime();
    for (let count = 0; count < 100; count++) ask(7, 9_000);
  });

  it('is spent by many at once, also while they run, and comes back', () => {
    const { slow, time } = slowTime();
    const ends = Array.from({ length: 4 }, () => slow.begin(7));
    time.ms += 3_000;
    expect(() => slow.begin(7)).toThrow(spent);
    for (const end of ends) end();
    try {
      slow.begin(7);
      expect.unreachable();
    } catch (error) {
      // Twelve seconds were taken of ten, and one comes back each second.
      expect(error).toMatchObject({ details: { retryAfterSeconds: 2 } });
    }
    time.ms += 2_000;
    expect(slow.begin(7)).toEqual(expect.any(Function));
  });

  it('is that of one person: others are let in', () => {
    const { slow, time } = slowTime();
    for (let count = 0; count < 4; count++) slow.begin(7);
    time.ms += 3_000;
    expect(() => slow.begin(7)).toThrow(spent);
    expect(slow.begin(8)).toEqual(expect.any(Function));
  });

  it('counts a request once, whatever ends it', () => {
    const { slow, time } = slowTime();
    const end = slow.begin(7);
    time.ms += 6_000;
    end();
    end();
    expect(slow.begin(7)).toEqual(expect.any(Function));
  });
});
