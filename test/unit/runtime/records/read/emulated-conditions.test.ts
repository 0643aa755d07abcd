import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../../../helpers/call-context.ts';

/** Records with odd numbers, asked for by a field that the database does not know. */
async function serviceOf(records: number, primaryKey: readonly string[] = ['id']) {
  const numbers = createMemoryDataSource([
    {
      name: 'numbers',
      schema: { columns: [{ name: 'id', type: 'Number' }], primaryKey },
      records: Array.from({ length: records }, (_, id) => ({ id })),
    },
  ]);
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('numbers', (customized) =>
    customized
      .addField('isOdd', {
        columnType: 'Boolean',
        dependencies: ['id'],
        getValues: (all) => all.map(({ id }) => Number(id) % 2 === 1),
      })
      .emulateFieldOperator('isOdd', 'Equal'),
  );
  const model = compileModel([numbers], await collector.finish());
  return createRecordService(model, everythingAllowed);
}

const odd = { collection: 'numbers', where: { field: 'isOdd', operator: 'Equal' as const, value: true } };
const call = callIn('UTC');

describe('a condition that the database does not know', () => {
  it('is checked on up to 100,000 records', async () => {
    expect(await (await serviceOf(100_000)).count(odd, call)).toBe(50_000);
  });

  it('is refused where there is one more, with what to do instead', async () => {
    const counting = (await serviceOf(100_001)).count(odd, call);
    await expect(counting).rejects.toMatchObject({
      code: 'REQUEST_TOO_COSTLY',
      nextSteps: [
        expect.stringContaining('a condition that the database knows'),
        expect.stringContaining('replaceFieldOperator'),
      ],
    });
  });

  it('is answered from any number as soon as the page is full', async () => {
    const service = await serviceOf(100_001);
    const page = { skip: 10, limit: 2 };
    expect(await service.list({ ...odd, projection: ['id'], page }, call)).toEqual([{ id: 21 }, { id: 23 }]);
  });

  it.each([[['id']], [[]]])('adds nothing to the fields that are asked for, with the key %j', async (primaryKey) => {
    const service = await serviceOf(4, primaryKey);
    expect(await service.list({ ...odd, projection: ['id'] }, call)).toEqual([{ id: 1 }, { id: 3 }]);
  });
});
