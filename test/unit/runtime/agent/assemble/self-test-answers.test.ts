import { describe, expect, it } from 'vitest';
import { createSelfTestAnswers } from '#runtime/agent/assemble/self-test-answers';
import type { ReadableStore, RecordStore } from '#runtime/data-sources/interface/data-source';
import type { RecordData } from '#runtime/query/record-query';

const context = { timezone: 'UTC' };

/** A store that answers with these records, and notes what it is asked for. */
function storeOf(records: readonly RecordData[]) {
  const asked: string[] = [];
  const refuse = async () => {
    throw new TypeError('A self-test writes nothing.');
  };
  const store: RecordStore = {
    list: async ({ collection }) => {
      asked.push(`list ${collection}`);
      return records.map((record) => ({ ...record }));
    },
    aggregate: async ({ collection }) => {
      asked.push(`aggregate ${collection}`);
      return [{ value: records.length, group: {} }];
    },
    count: async () => records.length,
    create: refuse,
    update: refuse,
    delete: refuse,
  };
  return { store, asked };
}

const list = (reader: ReadableStore, collection = 'orders', where?: unknown) =>
  reader.list({ collection, projection: ['id'], where: where as undefined }, context);

describe('remembered answers', () => {
  it('spare the store what the run before asked it', async () => {
    const { store, asked } = storeOf([{ id: 1 }]);
    const answers = createSelfTestAnswers();
    const aggregation = { operation: 'Count', groups: [] } as const;
    const read = async () => [
      await list(answers.through(store)),
      await answers.through(store).aggregate({ collection: 'orders', aggregation }, context),
    ];
    const first = await read();
    answers.keepRecent();
    expect(await read()).toEqual(first);
    expect(asked).toEqual(['list orders', 'aggregate orders']);
  });

  it('stay as they were when somebody adds to the records', async () => {
    const { store } = storeOf([{ id: 1 }]);
    const answers = createSelfTestAnswers();
    for (let run = 0; run < 3; run++) {
      const [record] = await list(answers.through(store));
      expect(record).toEqual({ id: 1 });
      Object.assign(record ?? {}, { label: 'computed' });
      answers.keepRecent();
    }
  });

  it('are of one query, in one time zone, on one store', async () => {
    const { store, asked } = storeOf([{ id: 1 }]);
    const other = storeOf([{ id: 2 }]);
    const answers = createSelfTestAnswers();
    await list(answers.through(store));
    answers.keepRecent();
    await list(answers.through(store), 'orders', { field: 'id', operator: 'Equal', value: 1 });
    await answers.through(store).list({ collection: 'orders', projection: ['id'] }, { timezone: 'Asia/Tokyo' });
    expect(asked).toHaveLength(3);
    expect(await list(answers.through(other.store))).toEqual([{ id: 2 }]);
  });

  it('are forgotten when a run did not use them, and when somebody says so', async () => {
    const { store, asked } = storeOf([{ id: 1 }]);
    const answers = createSelfTestAnswers();
    await list(answers.through(store));
    answers.keepRecent();
    answers.keepRecent();
    await list(answers.through(store));
    answers.keepRecent();
    answers.forgetAll();
    await list(answers.through(store));
    expect(asked).toHaveLength(3);
  });

  it.each([
    ['a date', new Date(0)],
    ['bytes', Buffer.from('a')],
    ['a bigint', 1n],
    ['a number that JSON does not have', Number.NaN],
    ['an absent element', [undefined]],
  ])('are not made of %s, which JSON cannot tell', async (_what, value) => {
    const { store, asked } = storeOf([{ id: value }]);
    const answers = createSelfTestAnswers();
    for (let run = 0; run < 2; run++) {
      expect(await list(answers.through(store))).toEqual([{ id: value }]);
      await list(answers.through(store), 'customers', { field: 'id', operator: 'Equal', value });
      answers.keepRecent();
    }
    expect(asked).toHaveLength(4);
  });

  it('are not made of more records than a self-test reads on purpose', async () => {
    const { store, asked } = storeOf(Array.from({ length: 101 }, (_, id) => ({ id })));
    const answers = createSelfTestAnswers();
    for (let run = 0; run < 2; run++) {
      await list(answers.through(store));
      answers.keepRecent();
    }
    expect(asked).toHaveLength(2);
  });
});
