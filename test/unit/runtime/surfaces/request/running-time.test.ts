import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRunningTime } from '#runtime/surfaces/request/request-limits';

/** A process that stands still, or works, as long as the test wants. */
function machine(isNeeded: () => boolean) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const at = { now: 1_000, worked: 0 };
  const time = createRunningTime(isNeeded, { now: () => at.now, worked: () => at.worked });
  return {
    time,
    /** The event loop goes round. */
    run(ms: number) {
      for (let passed = 0; passed < ms; passed += 50) {
        at.now += 50;
        vi.advanceTimersByTime(50);
      }
    },
    standStill(ms: number) {
      at.now += ms;
    },
    compute(ms: number) {
      at.now += ms;
      at.worked += ms;
    },
  };
}

describe('the time in which a process could run', () => {
  it('goes on while the process waits, and while it computes', () => {
    const { time, run, compute } = machine(() => true);
    const begun = time();
    run(1_000);
    compute(3_000);
    expect(time() - begun).toBe(4_000);
    run(1_000);
    expect(time() - begun).toBe(5_000);
  });

  it('stands while the process stands still, whoever notices it first', () => {
    const { time, run, standStill } = machine(() => true);
    const begun = time();
    run(500);
    standStill(5_000);
    expect(time() - begun).toBe(500);
    standStill(7_000);
    // The way to the beat that notices it is a part of it.
    run(50);
    expect(time() - begun).toBe(500);
    run(500);
    expect(time() - begun).toBe(1_000);
  });

  it('counts what was computed before the process stood still', () => {
    const { time, run, standStill, compute } = machine(() => true);
    const begun = time();
    run(100);
    compute(2_000);
    standStill(5_000);
    expect(time() - begun).toBe(2_100);
  });

  it('looks no more when nobody needs it, and does not take the silence for a stop', () => {
    let isNeeded = true;
    const { time, run, standStill } = machine(() => isNeeded);
    const begun = time();
    run(200);
    isNeeded = false;
    run(100);
    expect(vi.getTimerCount()).toBe(0);
    standStill(60_000);
    expect(time() - begun).toBe(60_300);
    expect(vi.getTimerCount()).toBe(1);
  });
});
