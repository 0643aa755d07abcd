import { describe, expect, it } from 'vitest';
import { createBenchmark } from '#testing/client/benchmark';

describe('a benchmark', () => {
  it('measures as many runs as it is asked for, after those to warm up', async () => {
    let runs = 0;
    const result = await createBenchmark()
      .times(20)
      .warmUp(5)
      .run(async () => {
        runs += 1;
      });
    expect(runs).toBe(25);
    expect(result.times).toBe(20);
    expect(result.durations).toHaveLength(20);
    const { min, max, percentiles, total, average } = result;
    expect(total).toBeCloseTo(result.durations.reduce((sum, duration) => sum + duration, 0));
    expect(average).toBeCloseTo(total / 20);
    const sorted = result.durations.toSorted((a, b) => a - b);
    expect(percentiles).toEqual({ p50: sorted[9], p90: sorted[17], p95: sorted[18], p99: sorted[19] });
    expect([min, max]).toEqual([sorted[0], sorted[19]]);
    expect(result.perSecond).toBeCloseTo(20_000 / result.elapsed);
  });

  it('runs this many at once, and never more', async () => {
    let [now, most] = [0, 0];
    await createBenchmark()
      .times(7)
      .concurrency(3)
      .run(async () => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
      });
    expect(most).toBe(3);
  });

  it('begins no other run after one has failed, and rejects with that failure', async () => {
    let runs = 0;
    const failing = createBenchmark().times(100).concurrency(2);
    await expect(
      failing.run(async () => {
        runs += 1;
        if (runs === 3) throw new Error('the third');
        await new Promise((resolve) => setImmediate(resolve));
      }),
    ).rejects.toThrowError('the third');
    expect(runs).toBeLessThan(6);
  });

  it.each([
    ['times', 0],
    ['warmUp', -1],
    ['concurrency', 1.5],
  ] as const)('refuses %s(%s)', (method, count) => {
    expect(() => createBenchmark()[method](count)).toThrowError(
      expect.objectContaining({ code: 'TEST_OPTION_INVALID' }),
    );
  });
});
