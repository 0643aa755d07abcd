import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPolicy, type RatePolicy } from '#kernel/rates/rate-policy';

const minute: RatePolicy = { name: 'min', quota: 60, windowSeconds: 60 };
const second = 1_000_000;
const start = 1_767_225_600 * second;

/** Asks again and again; returns how many requests there was quota for. */
function burst(policy: RatePolicy, requests: number, now: number, before?: number) {
  let spentUntil = before;
  let taken = 0;
  for (let request = 0; request < requests; request++) {
    const state = applyPolicy(policy, spentUntil, now, 1);
    if (state.untilEnough === 0) taken++;
    spentUntil = state.spentUntil;
  }
  return { taken, spentUntil };
}

describe('a rate policy', () => {
  it('lets a whole quota through at once and refuses the next request', () => {
    expect(burst(minute, 61, start).taken).toBe(60);
  });

  it('gives units back one by one, so that no border of a window doubles the quota', () => {
    const { spentUntil } = burst(minute, 60, start);
    expect(burst(minute, 60, start + second - 1, spentUntil).taken).toBe(0);
    expect(burst(minute, 60, start + second, spentUntil).taken).toBe(1);
    expect(burst(minute, 120, start + 59 * second, spentUntil).taken).toBe(59);
    expect(burst(minute, 120, start + 3600 * second, spentUntil).taken).toBe(60);
  });

  it('takes several units at once, or none', () => {
    const half = applyPolicy(minute, undefined, start, 40);
    expect(half).toMatchObject({ remaining: 20, untilEnough: 0 });
    const refused = applyPolicy(minute, half.spentUntil, start, 21);
    expect(refused).toMatchObject({ remaining: 20, untilEnough: second, spentUntil: half.spentUntil });
    expect(applyPolicy(minute, half.spentUntil, start + second, 21)).toMatchObject({ remaining: 0, untilEnough: 0 });
  });

  it('lets nobody wait for the old time after the clock was set back', () => {
    const { spentUntil } = burst(minute, 60, start);
    expect(burst(minute, 61, start - 365 * 24 * 3600 * second, spentUntil).taken).toBe(60);
  });

  it('gives nothing away to a process whose clock is some seconds behind', () => {
    const { spentUntil } = burst(minute, 60, start);
    const state = applyPolicy(minute, spentUntil, start - 5 * second, 1);
    expect(state).toMatchObject({ remaining: 0, untilNext: 6 * second, untilEnough: 6 * second });
  });

  it('never lets through more than the quota and what came back since', () => {
    const step = fc.record({ waitMs: fc.integer({ min: 0, max: 5_000 }), cost: fc.integer({ min: 0, max: 7 }) });
    const policies = fc.record({
      name: fc.constant('any'),
      quota: fc.integer({ min: 7, max: 90 }),
      windowSeconds: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(policies, fc.array(step, { maxLength: 200 }), (policy, steps) => {
        let now = start;
        let spentUntil: number | undefined;
        let taken = 0;
        for (const { waitMs, cost } of steps) {
          now += waitMs * 1000;
          const state = applyPolicy(policy, spentUntil, now, cost);
          if (state.untilEnough === 0) taken += cost;
          else expect(applyPolicy(policy, state.spentUntil, now + state.untilEnough, cost).untilEnough).toBe(0);
          spentUntil = state.spentUntil;
          const cameBack = ((now - start) / second) * (policy.quota / policy.windowSeconds);
          expect(taken).toBeLessThanOrEqual(policy.quota + cameBack + 1e-6);
          expect(state.remaining).toBeGreaterThanOrEqual(0);
          expect(state.remaining).toBeLessThanOrEqual(policy.quota);
          if (state.remaining < policy.quota) {
            expect(state.untilNext).toBeGreaterThan(0);
            const later = applyPolicy(policy, spentUntil, now + state.untilNext, 0);
            expect(later.remaining).toBe(state.remaining + 1);
          }
        }
      }),
    );
  });
});
