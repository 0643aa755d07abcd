import { describe, expect, it } from 'vitest';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';

const utc = { timezone: 'UTC' };

function countries() {
  return createMemoryDataSource([
    {
      name: 'countries',
      schema: {
        columns: [
          { name: 'code', type: 'String' },
          { name: 'languages', type: ['String'] },
          { name: 'facts', type: 'Json' },
        ],
        primaryKey: ['code'],
      },
      records: [
        { code: 'CH', languages: ['de', 'fr'], facts: { area: 41_285 } },
        { code: 'FR', languages: ['fr'], facts: null },
        { code: 'AQ', languages: null, facts: null },
      ],
    },
  ]);
}

describe('the in-memory data source', () => {
  it.each([
    ['IncludesAll', ['fr'], ['CH', 'FR']],
    ['IncludesAll', ['fr', 'de'], ['CH']],
    ['IncludesAll', [], ['CH', 'FR']],
    ['IncludesNone', ['de'], ['FR', 'AQ']],
    ['Equal', ['fr'], ['FR']],
    ['NotEqual', ['fr'], ['CH', 'AQ']],
    ['Missing', null, ['AQ']],
  ] as const)('finds lists by %s %j', async (operator, value, codes) => {
    const where = { field: 'languages', operator, value };
    const records = await countries().list({ collection: 'countries', projection: ['code'], where }, utc);
    expect(records.map((record) => record['code'])).toEqual(codes);
  });

  it('gives away copies: whoever changes a record changes nothing here', async () => {
    const dataSource = countries();
    const facts = { area: 1 };
    const read = async () => {
      const where = { field: 'code', operator: 'Equal', value: 'CH' } as const;
      const [record] = await dataSource.list({ collection: 'countries', projection: ['facts'], where }, utc);
      return record?.['facts'];
    };
    Object.assign((await read()) ?? {}, facts);
    expect(await read()).toEqual({ area: 41_285 });
    await dataSource.update('countries', undefined, { facts }, utc);
    facts.area = 2;
    expect(await read()).toEqual({ area: 1 });
  });

  it('refuses records that break the rules of their schema from the start', () => {
    const columns = [
      { name: 'id', type: 'Number', isAutoIncrement: true },
      { name: 'parent_id', type: 'Number' },
      { name: 'state', type: 'Enum', enumValues: ['on'] },
    ] as const;
    const foreignKeys = [{ columns: ['parent_id'], foreignTable: 't', foreignColumns: ['id'] }];
    const withRecords = (records: Record<string, unknown>[]) => () =>
      createMemoryDataSource([{ name: 't', records, schema: { columns, primaryKey: ['id'], foreignKeys } }]);
    const breaking = (field: string) =>
      expect.objectContaining({ code: 'DATABASE_CONSTRAINT_VIOLATED', details: expect.objectContaining({ field }) });
    expect(withRecords([{ id: 1 }, { id: 1 }])).toThrow(breaking('id'));
    expect(withRecords([{ parent_id: 2 }])).toThrow(breaking('parent_id'));
    expect(withRecords([{ state: 'off' }])).toThrow(breaking('state'));
    // A record may refer to one that comes after it.
    expect(withRecords([{ parent_id: 2 }, {}])).not.toThrow();
  });

  it('numbers records on from the highest number given', async () => {
    const schema = { columns: [{ name: 'id', type: 'Number', isAutoIncrement: true } as const], primaryKey: ['id'] };
    const dataSource = createMemoryDataSource([{ name: 't', records: [{ id: 41 }, {}], schema }]);
    expect(await dataSource.create('t', [{}, { id: 50 }, {}], utc)).toEqual([{ id: 43 }, { id: 50 }, { id: 51 }]);
  });

  it('holds no connection, and has a fingerprint of its schema', async () => {
    const dataSource = countries();
    expect(dataSource.openConnections()).toBe(0);
    expect(await dataSource.fingerprint()).toBe(await countries().fingerprint());
    await dataSource.close();
  });
});
