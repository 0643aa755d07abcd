import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { systemClock } from '#node/system/system-clock';
import { QueryRecorder, quantileMs } from '#runtime/insights/query-recorder';
import { type QueryShape, shapeInWords } from '#runtime/insights/query-shape';
import type { CallContext } from '#runtime/records/calls/call-context';

const context = { caller: {} } as CallContext;
const open: QueryShape = {
  kind: 'list',
  collection: 'orders',
  where: { field: 'status', operator: 'Equal', value: 'open' },
};

async function record(recorder: QueryRecorder, shape: QueryShape, read = 1, shown = 1): Promise<void> {
  await recorder.measure(context, {
    work: async ({ tally }) => {
      if (tally) tally.read += read;
    },
    shape: () => shape,
    shown: () => shown,
  });
}

describe('the recorder', () => {
  it('counts queries that differ in values only as one, and keeps no value', async () => {
    const recorder = new QueryRecorder(systemClock);
    const secret = { field: 'status', operator: 'Equal', value: 'a secret value' } as const;
    await record(recorder, open, 20, 2);
    await record(recorder, { ...open, where: secret }, 30, 3);
    const [[words, query] = []] = recorder.queries;
    expect([recorder.queries.size, words]).toEqual([1, 'list orders where status Equal']);
    expect(query).toMatchObject({ calls: 2, read: 50, shown: 5, failed: 0 });
    expect(JSON.stringify([...recorder.queries])).not.toContain('secret');
  });

  it('keeps 500 shapes apart, and counts the rest together', async () => {
    const recorder = new QueryRecorder(systemClock);
    for (let index = 0; index < 700; index++) await record(recorder, { kind: 'list', collection: `c${index}` });
    await record(recorder, { kind: 'list', collection: 'c0' });
    expect([recorder.queries.size, recorder.other.calls]).toEqual([500, 200]);
    expect(recorder.queries.get('list c0')?.calls).toBe(2);
  });

  it('keeps 2000 paths of a collection', () => {
    const recorder = new QueryRecorder(systemClock);
    recorder.markUsed(
      'orders',
      Array.from({ length: 3_000 }, (_, index) => `path${index}`),
    );
    expect(recorder.used.get('orders')?.size).toBe(2_000);
  });

  it('counts what was too costly as failed, and nothing that was refused', async () => {
    const recorder = new QueryRecorder(systemClock);
    const fails = (code: 'REQUEST_TOO_COSTLY' | 'REQUEST_FIELD_UNKNOWN') =>
      recorder.measure(context, {
        work: async () => {
          throw cloudError(code, 'No.', 'Ask otherwise.');
        },
        shape: () => open,
      });
    await expect(fails('REQUEST_TOO_COSTLY')).rejects.toMatchObject({ code: 'REQUEST_TOO_COSTLY' });
    await expect(fails('REQUEST_FIELD_UNKNOWN')).rejects.toMatchObject({ code: 'REQUEST_FIELD_UNKNOWN' });
    expect(recorder.queries.get('list orders where status Equal')).toMatchObject({ calls: 1, failed: 1 });
  });
});

describe('a quantile', () => {
  const measures = { calls: 100, failed: 0, totalMs: 0, slowestMs: 320, read: 0, shown: 0 };

  it('is the end of its bucket, and at most the slowest call', () => {
    const histogram = new Uint32Array(15);
    histogram.set([0, 0, 0, 90, 0, 0, 0, 0, 10]);
    expect(quantileMs({ ...measures, histogram }, 0.5)).toBe(10);
    expect(quantileMs({ ...measures, histogram }, 0.95)).toBe(320);
  });
});

describe('the words of a shape', () => {
  it('have the collection, the segment, the condition, the search and the order', () => {
    const where = {
      aggregator: 'And',
      conditions: [
        { field: 'status', operator: 'In' },
        {
          aggregator: 'Or',
          conditions: [
            { field: 'total', operator: 'LessThan' },
            { field: 'customer:name', operator: 'Present' },
          ],
        },
      ],
    } as const;
    const sort = [{ field: 'placed at', ascending: false }];
    expect(
      shapeInWords({ kind: 'list', collection: 'orders', name: 'Late ones', where, sort, isSearching: true }),
    ).toBe(
      'list orders in "Late ones" where status In and (total LessThan or customer:name Present) with search by "placed at" descending',
    );
  });

  it('say a repeated condition once, and do not grow with the condition', () => {
    const leaf = { field: 'id', operator: 'Equal', value: 1 } as const;
    const many = { aggregator: 'Or', conditions: Array.from({ length: 400 }, () => leaf) } as const;
    expect(shapeInWords({ kind: 'count', collection: 'orders', where: many })).toBe('count orders where id Equal');
    const fields = Array.from({ length: 90 }, (_, index) => ({ field: `field${index}`, operator: 'Equal' }) as const);
    const long = { aggregator: 'And', conditions: fields } as const;
    expect(shapeInWords({ kind: 'list', collection: 'orders', where: long })).toBe(
      'list orders where a long condition',
    );
  });
});
