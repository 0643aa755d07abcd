import { describe, expect, it } from 'vitest';
import { withDeadline } from '#runtime/user-code/deadline';

const never = new Promise<never>(() => undefined);

describe('the deadline of user code', () => {
  it('ends the wait for a promise that is never settled', async () => {
    await expect(withDeadline('The code', 300, never)).rejects.toMatchObject({
      code: 'CUSTOMIZATION_UNRESPONSIVE',
      message: 'The code did not end within 0.3 seconds.',
    });
  });

  it('does not count the time in which the thread waited for a processor', async () => {
    let looks = 0;
    const { promise, resolve } = Promise.withResolvers<string>();
    const starved = () => {
      if (++looks === 4) resolve('done');
      return 0;
    };
    expect(await withDeadline('The code', 1, promise, starved)).toBe('done');
  });

  it('takes a stop of the process for no more than the time between two looks', async () => {
    let looks = 0;
    const { promise, resolve } = Promise.withResolvers<string>();
    const stopped = () => {
      if (++looks === 3) resolve('done');
      return looks === 1 ? 0 : 3_600_000;
    };
    expect(await withDeadline('The code', 10_000, promise, stopped)).toBe('done');
  });
});
