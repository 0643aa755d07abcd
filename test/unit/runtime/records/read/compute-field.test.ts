import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { AnyFieldDefinition } from '#runtime/customizer/field-definition';
import { createRecordService } from '#runtime/records/create-record-service';
import type { RecordQuery } from '#runtime/records/request/record-service';
import { callIn, everythingAllowed } from '../../../../helpers/call-context.ts';
import { temporaryDataSource } from '../../../../helpers/temporary-database.ts';

const script = `
  create table readings (id integer primary key, value double, taken_at datetime);
  insert into readings values
    (1, null, null), (2, 9e999, 'yesterday'), (3, -9e999, '2024-03-10T10:00:00.000Z'), (4, 0, '2023-03-10T10:00:00.000Z');
`;

/** Readings with a field that is computed, and filtered and sorted by in the agent. */
async function readingsWith(definition: AnyFieldDefinition) {
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('readings', (on) =>
    on.addField('computed', definition).emulateFieldFiltering('computed').emulateFieldSorting('computed'),
  );
  const model = compileModel([await temporaryDataSource(script)], await collector.finish());
  const reports: string[] = [];
  const service = createRecordService(model, everythingAllowed, (message) => reports.push(message));
  const list = (query: Partial<RecordQuery>) =>
    service.list({ collection: 'readings', projection: ['computed'], ...query }, callIn('UTC'));
  return { service, list, reports };
}

const byId = [{ field: 'id', ascending: true }];
const takenAt: AnyFieldDefinition = {
  columnType: 'Date',
  dependencies: ['taken_at'],
  getValues: (records) => records.map((record) => record['taken_at']),
};

describe('a computed field', () => {
  it('is given numbers without bounds as what they are', async () => {
    const { list } = await readingsWith({
      columnType: 'String',
      dependencies: ['value'],
      getValues: (records) => records.map((record) => String(record['value'])),
    });
    const records = await list({ sort: byId });
    expect(records.map(({ computed }) => computed)).toEqual(['null', 'Infinity', '-Infinity', '0']);
  });

  it('is sorted, filtered and grouped by where its texts are not dates', async () => {
    const { list, service } = await readingsWith(takenAt);
    const sorted = await list({ sort: [{ field: 'computed', ascending: true }] });
    expect(sorted.map(({ id }) => id)).toEqual([1, 4, 3, 2]);
    const where = { field: 'computed', operator: 'Before', value: '2024-01-01T00:00:00Z' } as const;
    expect(await list({ where })).toMatchObject([{ id: 4 }]);
    const aggregation = { operation: 'Count', groups: [{ field: 'computed', bucket: 'Year' }] } as const;
    const groups = await service.aggregate({ collection: 'readings', aggregation }, callIn('UTC'));
    expect(groups).toEqual([
      { value: 2, groups: [null] },
      { value: 1, groups: ['2023-01-01'] },
      { value: 1, groups: ['2024-01-01'] },
    ]);
  });

  it('is named in the error where it gives a Date without a time', async () => {
    const getValues: AnyFieldDefinition['getValues'] = (records) => records.map(() => new Date('never'));
    const { list } = await readingsWith({ ...takenAt, getValues });
    await expect(list({})).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining('"computed" of "readings"'),
    });
  });

  it.each<[AnyFieldDefinition['columnType'], unknown, string]>([
    ['Number', 'many', 'a number'],
    ['Dateonly', new Date(0), 'a date of the form YYYY-MM-DD'],
    ['String', 3, 'a text'],
    ['Enum', 'c', 'one of "a", "b"'],
    [['Number'], [1, 'two'], 'a list in which every value is a number'],
    [{ lines: [{ count: 'Number' }] }, { lines: [{ count: 'x' }] }, 'an object whose "lines" is a list'],
  ])('is named in the error with what it must give: type %j, value %j', async (columnType, value, wanted) => {
    const getValues: AnyFieldDefinition['getValues'] = (records) => records.map(() => value);
    const { list } = await readingsWith({ columnType, enumValues: ['a', 'b'], dependencies: ['value'], getValues });
    await expect(list({})).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining(`"computed" of "readings" gave a value of the wrong type: it must be ${wanted}`),
    });
  });

  it('gives exact numbers as texts, and nothing', async () => {
    const values = ['10.50', null, undefined, 3n];
    const getValues: AnyFieldDefinition['getValues'] = () => values;
    const { list } = await readingsWith({ columnType: 'Number', dependencies: ['id'], getValues });
    const records = await list({ sort: byId });
    expect(records.map(({ computed }) => computed)).toEqual(['10.50', null, null, '3']);
  });

  it('blocks no write where it throws, and is left out of the answer', async () => {
    const { service, reports } = await readingsWith({
      columnType: 'String',
      dependencies: ['value'],
      getValues: () => {
        throw new Error('no values today');
      },
    });
    const call = callIn('UTC');
    const updated = await service.update('readings', [4], { value: 5 }, call);
    expect(updated).toEqual({ id: 4, value: 5, taken_at: '2023-03-10T10:00:00.000Z' });
    expect(await service.create('readings', { id: 9, value: 1 }, call)).toEqual({ id: 9, value: 1, taken_at: null });
    expect(reports).toHaveLength(2);
    expect(reports[0]).toContain('without its computed fields');
    await expect(service.get('readings', [4], undefined, call)).rejects.toMatchObject({ code: 'CUSTOMIZATION_FAILED' });
  });
});
