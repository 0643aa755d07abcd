import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationRecorder } from '#runtime/customizer/declaration-recorder';
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
  const recorder = createDeclarationRecorder();
  recorder.agent.customizeCollection('readings', (on) =>
    on.addField('computed', definition).emulateFieldFiltering('computed').emulateFieldSorting('computed'),
  );
  const model = compileModel([await temporaryDataSource(script)], await recorder.finish());
  const service = createRecordService(model, everythingAllowed);
  const list = (query: Partial<RecordQuery>) =>
    service.list({ collection: 'readings', projection: ['computed'], ...query }, callIn('UTC'));
  return { service, list };
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

  it('of texts that are no dates is sorted, filtered and grouped by', async () => {
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

  it('that gives a Date without a time is named', async () => {
    const getValues: AnyFieldDefinition['getValues'] = (records) => records.map(() => new Date('never'));
    const { list } = await readingsWith({ ...takenAt, getValues });
    await expect(list({})).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining('"computed" of "readings"'),
    });
  });
});
