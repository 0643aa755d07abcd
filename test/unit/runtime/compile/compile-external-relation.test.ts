import { expect, it } from 'vitest';
import { compileExternalRelation } from '#runtime/compile/compile-external-relation';
import type { CustomizationContext } from '#runtime/customizer/customization-context';

it('an external relation asks for no more records after one has failed', async () => {
  const asked: unknown[] = [];
  const compiled = compileExternalRelation(
    'news',
    {
      schema: { title: 'String' },
      listRecords: async ({ id }) => {
        asked.push(id);
        if (id === 2) throw new Error('no news');
        return new Promise((resolve) => setImmediate(resolve, []));
      },
    },
    ['id'],
  );
  if (typeof compiled === 'string') throw new Error(compiled);
  const records = Array.from({ length: 50 }, (_, index) => ({ id: index + 1 }));
  await expect(compiled.getValues(records, {} as CustomizationContext)).rejects.toThrow('no news');
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual([1, 2, 3, 4, 5]);
});

it('an external relation shows the fields of its schema, and passes on what is not a record to be refused', async () => {
  const answers: unknown[] = [[{ title: 'News', secret: 'x' }], 'no list', [3]];
  const compiled = compileExternalRelation(
    'news',
    { schema: { title: 'String' }, listRecordsBatch: () => answers as never },
    ['id'],
  );
  if (typeof compiled === 'string') throw new Error(compiled);
  const records = [{ id: 1 }, { id: 2 }, { id: 3 }];
  expect(await compiled.getValues(records, {} as CustomizationContext)).toEqual([[{ title: 'News' }], 'no list', [3]]);
});
