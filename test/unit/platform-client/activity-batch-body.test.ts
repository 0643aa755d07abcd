import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBatchBodies } from '#platform-client/activity-batch-body';

const read = async (body: Uint8Array) => JSON.parse(Buffer.from(body).toString()) as unknown;

describe('the body of a batch', () => {
  it('is JSON of its entries, and of those only', async () => {
    const withBody = createBatchBodies();
    expect(await withBody(['{"a":"Žluť 😀"}', '2', '3'], read)).toEqual({ activities: [{ a: 'Žluť 😀' }, 2, 3] });
    expect(await withBody(['4'], read)).toEqual({ activities: [4] });
  });

  it('has room for more than a batch usually holds', async () => {
    const long = JSON.stringify('é'.repeat(600_000));
    expect(await createBatchBodies()([long, '1'], read)).toEqual({ activities: [JSON.parse(long), 1] });
  });

  it('takes the same memory again once its request has ended, also one that failed', async () => {
    const withBody = createBatchBodies();
    const memoryOf = (body: Uint8Array) => Promise.resolve(body.buffer);
    const first = await withBody(['1'], memoryOf);
    await expect(withBody(['2'], () => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
    expect(await withBody(['3'], memoryOf)).toBe(first);
  });

  it('is not written over by another batch while its request is under way', async () => {
    const withBody = createBatchBodies();
    const slow = withBody(['1'], async (body) => {
      await setImmediate();
      return read(body);
    });
    expect(await withBody(['2'], read)).toEqual({ activities: [2] });
    expect(await slow).toEqual({ activities: [1] });
  });
});
