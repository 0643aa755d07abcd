import { describe, expect, it } from 'vitest';
import { createConnectionSlots } from '#host/database/connection-slots';

describe('slots for connections', () => {
  it('admit those who wait in the order they came', async () => {
    const slots = createConnectionSlots(1, 1000);
    const order: number[] = [];
    const giveBack = await slots.take();
    const waiting = [1, 2, 3].map(async (number) => {
      const release = await slots.take();
      order.push(number);
      release();
    });
    giveBack();
    giveBack();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it('refuse who has waited too long, and at once who would wait behind too many', async () => {
    const slots = createConnectionSlots(1, 50);
    await slots.take();
    const waiting = Array.from({ length: 100 }, () => Promise.resolve(slots.take()).catch((error: unknown) => error));
    await expect(slots.take()).rejects.toMatchObject({ code: 'DATABASE_BUSY' });
    for (const outcome of await Promise.all(waiting)) expect(outcome).toMatchObject({ code: 'DATABASE_BUSY' });
  });

  it('let go of who leaves', async () => {
    const slots = createConnectionSlots(1, 1000);
    const giveBack = await slots.take();
    const leaving = new AbortController();
    const left = slots.take(leaving.signal);
    const next = slots.take();
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'INTERRUPTED' });
    giveBack();
    await expect(next).resolves.toBeTypeOf('function');
  });
});
