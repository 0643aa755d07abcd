import { describe, expect, it } from 'vitest';
import { RunOverdue, runBounded } from '#runtime/user-code/deadline';

const limitMs = 30;

describe('a bounded run', () => {
  it('gives what the work gives, and throws what it throws', () => {
    expect(runBounded(() => 'done', 60_000)).toBe('done');
    const problem = new Error('wrong');
    expect(() =>
      runBounded(() => {
        throw problem;
      }, 60_000),
    ).toThrow(problem);
  });

  it('ends an endless loop, and runs no more of it', () => {
    const passed: string[] = [];
    const endless = () => {
      try {
        for (;;) passed.length = 0;
      } catch {
        passed.push('catch');
      } finally {
        passed.push('finally');
      }
    };
    expect(() => runBounded(endless, limitMs)).toThrow(RunOverdue);
    expect(passed).toEqual([]);
  });

  it('ends a wait that stops the thread', () => {
    const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    expect(() => runBounded(wait, limitMs)).toThrow(RunOverdue);
  });

  it('loses no promise of others', async () => {
    const others = Promise.resolve().then(() => 'settled');
    expect(() =>
      runBounded(() => {
        for (;;) {}
      }, limitMs),
    ).toThrow(RunOverdue);
    expect(await others).toBe('settled');
  });

  it('may be in another one', () => {
    expect(runBounded(() => runBounded(() => 'inner', 60_000), 60_000)).toBe('inner');
  });
});
