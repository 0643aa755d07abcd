import { describe, expect, it } from 'vitest';
import { createRecordBatch } from '#runtime/actions/action-call';

const record = { id: 1, ref: 'A-1', customer: { id: 7, name: 'Zed' }, missing: null };

function batch() {
  const asked: (readonly string[])[] = [];
  const read = createRecordBatch(
    async (fields) => {
      asked.push(fields);
      if (fields.includes('broken')) throw new Error('no connection');
      return [record];
    },
    (field) => {
      if (field === 'typo') throw new Error('no field "typo"');
    },
  );
  return { asked, read };
}

describe('reading the records of an action', () => {
  it('takes one query for all that is asked in one moment, and gives everybody their own fields', async () => {
    const { asked, read } = batch();
    const [first, second, third] = await Promise.all([
      read(['id', 'ref']),
      read(['ref', 'customer:name']),
      Promise.resolve().then(() => read(['missing:name'])),
    ]);
    expect(asked).toEqual([['id', 'ref', 'customer:name', 'missing:name']]);
    expect(first).toEqual([{ id: 1, ref: 'A-1' }]);
    expect(second).toEqual([{ ref: 'A-1', customer: { name: 'Zed' } }]);
    expect(third).toEqual([{ missing: null }]);
  });

  it('gives everybody records of their own, which they may change', async () => {
    const { read } = batch();
    const [[first], [second]] = await Promise.all([read(['customer:name']), read(['customer:name'])]);
    Object.assign(first?.['customer'] as object, { name: 'changed' });
    expect(second).toEqual({ customer: { name: 'Zed' } });
  });

  it('reads again what is asked for later', async () => {
    const { asked, read } = batch();
    await read(['id']);
    await read(['id']);
    expect(asked).toEqual([['id'], ['id']]);
  });

  it('fails only whoever asked for a field that does not exist, and everybody when the query fails', async () => {
    const { read } = batch();
    const [wrong, right] = await Promise.allSettled([read(['typo']), read(['id'])]);
    expect([wrong.status, right.status]).toEqual(['rejected', 'fulfilled']);
    const failed = await Promise.allSettled([read(['broken']), read(['id'])]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
