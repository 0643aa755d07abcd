import { describe, expect, it } from 'vitest';
import type { ConditionTree } from '#runtime/query/condition-tree';
import type { RecordData } from '#runtime/query/record-query';
import { type EngineLimits, featureOf, type OpenTables, utc, withTables } from './opened.ts';
import type { NeutralTable } from './tables.ts';

const tables: readonly NeutralTable[] = [
  {
    name: 'people',
    columns: [
      { name: 'id', type: 'integer', isAuto: true },
      { name: 'name', type: 'text', isRequired: true },
      { name: 'email', type: 'text' },
      { name: 'boss_id', type: 'integer' },
      { name: 'state', type: { enum: ['new', 'old'] }, isRequired: true, default: 'new' },
      { name: 'score', type: 'integer', default: 7 },
    ],
    primaryKey: ['id'],
    uniqueKeys: [['email']],
    foreignKeys: [{ columns: ['boss_id'], table: 'people', foreignColumns: ['id'] }],
    rows: [
      { id: 1, name: 'Zoë', email: 'z@x', boss_id: null },
      { id: 2, name: 'Bob', email: null, boss_id: 1 },
      { id: 5, name: 'Eve', email: null, boss_id: 2 },
    ],
  },
  {
    name: 'lines',
    columns: [
      { name: 'person_id', type: 'integer' },
      { name: 'sku', type: 'text' },
      { name: 'quantity', type: 'integer' },
    ],
    primaryKey: ['person_id', 'sku'],
    foreignKeys: [{ columns: ['person_id'], table: 'people', foreignColumns: ['id'] }],
    rows: [
      { person_id: 1, sku: 'x', quantity: 1 },
      { person_id: 1, sku: 'y', quantity: 2 },
      { person_id: 2, sku: 'x', quantity: 3 },
      { person_id: 5, sku: 'x', quantity: null },
    ],
  },
];

const generated: NeutralTable = {
  name: 'generated',
  columns: [
    { name: 'id', type: 'integer', isAuto: true },
    { name: 'name', type: 'text' },
    { name: 'label', type: 'text', generatedFrom: 'name' },
  ],
  primaryKey: ['id'],
  rows: [],
};

/** A table with a column of each type. */
export function valuesTable(digits: number): NeutralTable {
  return {
    name: 'values',
    columns: [
      { name: 'id', type: 'integer', isAuto: true },
      { name: 't', type: 'text' },
      { name: 'n', type: 'integer' },
      { name: 'f', type: 'float' },
      { name: 'd', type: { decimal: [digits, 4] } },
      { name: 'big', type: 'bigint' },
      { name: 'b', type: 'boolean' },
      { name: 'at', type: 'instant' },
      { name: 'day', type: 'day' },
      { name: 'time', type: 'time' },
      { name: 'u', type: 'uuid' },
      { name: 'j', type: 'json' },
      { name: 'bin', type: 'binary' },
    ],
    primaryKey: ['id'],
    rows: [],
  };
}

/** Values at the edges of their types. */
export function valueRecords(digits: number): RecordData[] {
  const nines = `${'9'.repeat(digits - 4)}.9999`;
  return [
    {
      t: 'a\'"\\%_\n\t😀e\u0301',
      n: -2147483648,
      f: 0.1,
      d: nines,
      big: '9223372036854775807',
      b: false,
      at: '2024-02-29T23:59:59.999Z',
      day: '2024-02-29',
      time: '23:59:59',
      u: '00000000-0000-4000-8000-00000000000a',
      j: { a: [1, null, 'é'], 'b"': { c: true } },
      bin: new Uint8Array([0, 39, 92, 255]),
    },
    {
      t: '',
      n: 0,
      f: -1.5e300,
      d: `-${nines}`,
      big: '-9007199254740993',
      b: true,
      at: '1969-12-31T23:59:59.001Z',
      day: '1900-03-01',
      time: '00:00:00',
      u: 'ffffffff-ffff-4fff-bfff-ffffffffffff',
      j: [],
      bin: new Uint8Array(),
    },
    Object.fromEntries(
      valuesTable(digits)
        .columns.slice(1)
        .map(({ name }) => [name, null]),
    ),
  ];
}

const leaf = (field: string, operator: 'Equal' | 'In', value: unknown): ConditionTree => ({ field, operator, value });

/** Creation, change and deletion, and the rules of the database. */
export function describeWriting(open: OpenTables, limits: EngineLimits): void {
  const { decimalDigits = 38 } = limits;
  const generatedColumns = featureOf(limits, 'generated columns');
  const foreignKeys = featureOf(limits, 'foreign keys');

  describe('creation', () => {
    it('gives complete records back: keys, defaults and nulls filled in', () =>
      withTables(open, tables, async (dataSource) => {
        const created = await dataSource.create(
          'people',
          [
            { name: 'N', boss_id: 5 },
            { name: 'M', score: null },
          ],
          utc,
        );
        expect(created).toEqual([
          { id: 6, name: 'N', email: null, boss_id: 5, state: 'new', score: 7 },
          { id: 7, name: 'M', email: null, boss_id: null, state: 'new', score: null },
        ]);
        expect(await dataSource.count('people', undefined, utc)).toBe(5);
      }));

    it('keeps records apart that give different columns', () =>
      withTables(open, tables, async (dataSource) => {
        const created = await dataSource.create(
          'people',
          [{ name: 'N' }, { name: 'M', boss_id: 1 }, { name: 'O' }],
          utc,
        );
        expect(created.map((record) => [record['name'], record['boss_id']])).toEqual([
          ['N', null],
          ['M', 1],
          ['O', null],
        ]);
      }));

    it('keeps every value of every type as it was given', () =>
      withTables(open, [valuesTable(decimalDigits)], async (dataSource) => {
        const given = valueRecords(decimalDigits);
        const created = await dataSource.create('values', given, utc);
        const sort = [{ field: 'id', ascending: true }];
        const projection = valuesTable(decimalDigits).columns.map(({ name }) => name);
        const read = await dataSource.list({ collection: 'values', projection, sort }, utc);
        const plain = (records: readonly RecordData[]) =>
          records.map((record) => ({ ...record, bin: record['bin'] && Buffer.from(record['bin'] as Uint8Array) }));
        const expected = plain(given.map((record, index) => ({ id: index + 1, ...record })));
        expect(plain(created)).toEqual(expected);
        expect(plain(read)).toEqual(expected);
      }));

    it('takes exact numbers as texts and numbers, and instants in any zone', () =>
      withTables(open, [valuesTable(12)], async (dataSource) => {
        const records = [
          { d: 12.5, big: 12, at: '2024-03-31T02:30:00+01:00' },
          { d: '1', big: '-0', at: '2024-03-31T01:30:00Z' },
        ];
        expect(await dataSource.create('values', records, utc)).toMatchObject([
          { d: '12.5000', big: '12', at: '2024-03-31T01:30:00.000Z' },
          { d: '1.0000', big: '0', at: '2024-03-31T01:30:00.000Z' },
        ]);
      }));

    it('makes all records or none', () =>
      withTables(open, tables, async (dataSource) => {
        const work = dataSource.create('people', [{ name: 'ok' }, { name: 'not ok', email: 'z@x' }], utc);
        await expect(work).rejects.toMatchObject({ code: 'DATABASE_CONSTRAINT_VIOLATED' });
        expect(await dataSource.count('people', undefined, utc)).toBe(3);
      }));

    generatedColumns.it(
      `reads generated columns back, which are read-only, after every write${generatedColumns.note}`,
      () =>
        withTables(open, [generated], async (dataSource) => {
          const label = dataSource.collections[0]?.fields.get('label');
          expect(label).toMatchObject({ kind: 'column', isReadOnly: true });
          expect(await dataSource.create('generated', [{ name: 'a' }, {}], utc)).toEqual([
            { id: 1, name: 'a', label: 'a!' },
            { id: 2, name: null, label: null },
          ]);
          await dataSource.update('generated', leaf('label', 'Equal', 'a!'), { name: 'b' }, utc);
          expect(await dataSource.count('generated', leaf('label', 'Equal', 'b!'), utc)).toBe(1);
        }),
    );

    it('makes a record of only defaults', () =>
      withTables(open, [valuesTable(12)], async (dataSource) => {
        const [first, second] = await dataSource.create('values', [{}, {}], utc);
        expect([first?.['id'], second?.['id'], second?.['t']]).toEqual([1, 2, null]);
      }));

    it('makes thousands at once', () =>
      withTables(open, tables, async (dataSource) => {
        const records = Array.from({ length: 3000 }, (_, index) => ({ name: `n${index}` }));
        const created = await dataSource.create('people', records, utc);
        expect(created.map((record) => record['name'])).toEqual(records.map((record) => record.name));
        expect(new Set(created.map((record) => record['id'])).size).toBe(3000);
      }));
  });

  describe('rules of the database', () => {
    it.each<[string, string, RecordData, string[] | undefined]>([
      ['a unique key', 'people', { name: 'x', email: 'z@x' }, ['email']],
      ['a primary key', 'lines', { person_id: 1, sku: 'x' }, ['person_id', 'sku']],
      ['a missing value', 'people', { name: null }, ['name']],
    ])('name the field that breaks %s', (_rule, collection, record, fields) =>
      withTables(open, tables, async (dataSource) => {
        await expect(dataSource.create(collection, [record], utc)).rejects.toMatchObject({
          code: 'DATABASE_CONSTRAINT_VIOLATED',
          details: fields ? { field: fields[0], fields } : {},
        });
      }),
    );

    it('hold for changes as well', () =>
      withTables(open, tables, async (dataSource) => {
        const everyone = dataSource.update('people', undefined, { email: 'same' }, utc);
        await expect(everyone).rejects.toMatchObject({
          code: 'DATABASE_CONSTRAINT_VIOLATED',
          details: { field: 'email' },
        });
        expect(await dataSource.count('people', leaf('email', 'Equal', 'same'), utc)).toBe(0);
      }));

    foreignKeys.it(`keep references whole, whatever is written${foreignKeys.note}`, () =>
      withTables(open, tables, async (dataSource) => {
        const violated = { code: 'DATABASE_CONSTRAINT_VIOLATED' };
        const created = dataSource.create('people', [{ name: 'x', boss_id: 99 }], utc);
        await expect(created).rejects.toMatchObject(violated);
        const zoe = leaf('id', 'Equal', 1);
        await expect(dataSource.delete('people', zoe, utc)).rejects.toMatchObject(violated);
        await expect(dataSource.update('people', zoe, { boss_id: 99 }, utc)).rejects.toMatchObject(violated);
        expect(await dataSource.count('people', undefined, utc)).toBe(3);
      }),
    );

    it('let several records have no value in a unique column', () =>
      withTables(open, tables, async (dataSource) => {
        await dataSource.create(
          'people',
          [
            { name: 'a', email: null },
            { name: 'b', email: null },
          ],
          utc,
        );
        expect(await dataSource.count('people', leaf('email', 'Equal', null), utc)).toBe(4);
      }));

    it('say no more than the names of fields', () =>
      withTables(open, tables, async (dataSource) => {
        const error: unknown = await dataSource
          .create('people', [{ name: 'x', email: 'z@x' }], utc)
          .catch((caught) => caught);
        expect(String(error)).not.toMatch(/insert|select|z@x/i);
      }));
  });

  describe('change', () => {
    it('reaches exactly the records that the condition names', () =>
      withTables(open, tables, async (dataSource) => {
        expect(
          await dataSource.update('people', leaf('boss_id', 'In', [1, null]), { score: 0, email: null }, utc),
        ).toBe(2);
        expect(
          await dataSource.list(
            {
              collection: 'people',
              projection: ['id'],
              where: leaf('score', 'Equal', 0),
              sort: [{ field: 'id', ascending: true }],
            },
            utc,
          ),
        ).toEqual([{ id: 1 }, { id: 2 }]);
      }));

    it('counts records that had the value already', () =>
      withTables(open, tables, async (dataSource) => {
        expect(await dataSource.update('people', undefined, { state: 'new' }, utc)).toBe(3);
      }));

    it('may change what its own condition is about', () =>
      withTables(open, tables, async (dataSource) => {
        expect(await dataSource.update('people', leaf('name', 'Equal', 'Bob'), { name: 'Rob', score: 1 }, utc)).toBe(1);
        expect(await dataSource.count('people', leaf('name', 'Equal', 'Rob'), utc)).toBe(1);
        expect(await dataSource.count('people', leaf('score', 'Equal', 1), utc)).toBe(1);
      }));

    it('finds records through relations, composite keys included', () =>
      withTables(open, tables, async (dataSource) => {
        expect(await dataSource.update('lines', leaf('person:boss:name', 'Equal', 'Zoë'), { quantity: 30 }, utc)).toBe(
          1,
        );
        expect(await dataSource.update('lines', leaf('person:name', 'Equal', 'Zoë'), { quantity: 10 }, utc)).toBe(2);
        const sort = [
          { field: 'person_id', ascending: true },
          { field: 'sku', ascending: true },
        ];
        const lines = await dataSource.list({ collection: 'lines', projection: ['quantity'], sort }, utc);
        expect(lines.map((line) => line['quantity'])).toEqual([10, 10, 30, null]);
        expect(await dataSource.update('people', leaf('boss:name', 'Equal', 'Zoë'), { score: 100 }, utc)).toBe(1);
      }));

    it('changes nothing when nothing is to be changed', () =>
      withTables(open, tables, async (dataSource) => {
        expect(await dataSource.update('people', leaf('id', 'Equal', 99), { score: 1 }, utc)).toBe(0);
      }));
  });

  describe('deletion', () => {
    it('removes exactly the records that the condition names, also through relations', () =>
      withTables(open, tables, async (dataSource) => {
        expect(await dataSource.delete('lines', leaf('person:boss:name', 'Equal', 'Zoë'), utc)).toBe(1);
        expect(await dataSource.delete('lines', leaf('quantity', 'Equal', 2), utc)).toBe(1);
        expect(await dataSource.count('lines', undefined, utc)).toBe(2);
        expect(await dataSource.delete('lines', undefined, utc)).toBe(2);
        expect(await dataSource.delete('people', leaf('boss:boss:name', 'Equal', 'Zoë'), utc)).toBe(1);
        expect(await dataSource.count('people', undefined, utc)).toBe(2);
      }));

    it('removes nothing when no record meets the condition', () =>
      withTables(open, tables, async (dataSource) => {
        expect(await dataSource.delete('lines', { aggregator: 'Or', conditions: [] }, utc)).toBe(0);
        expect(await dataSource.delete('lines', leaf('sku', 'In', []), utc)).toBe(0);
        expect(await dataSource.count('lines', undefined, utc)).toBe(4);
      }));
  });

  describe('a write whose records somebody wants to know', () => {
    it('tells the keys of exactly the updated records, also behind relations', () =>
      withTables(open, tables, async (dataSource) => {
        const { told, tell } = listen();
        const ofZoe = leaf('person:name', 'Equal', 'Zoë');
        expect(await dataSource.update('lines', ofZoe, { quantity: 10 }, utc, tell)).toBe(2);
        expect(told().sort()).toEqual(['1 x', '1 y']);
        expect(await dataSource.update('people', leaf('id', 'In', [1, 2]), { score: 1 }, utc, tell)).toBe(2);
        expect(told().slice(2).sort()).toEqual(['1', '2']);
        expect(await dataSource.update('people', leaf('id', 'Equal', 99), { score: 1 }, utc, tell)).toBe(0);
        expect(told()).toHaveLength(4);
      }));

    it('tells the keys of exactly the deleted records', () =>
      withTables(open, tables, async (dataSource) => {
        const { told, tell } = listen();
        expect(await dataSource.delete('lines', leaf('person:boss:name', 'Equal', 'Zoë'), utc, tell)).toBe(1);
        expect(told()).toEqual(['2 x']);
        expect(await dataSource.delete('lines', undefined, utc, tell)).toBe(3);
        expect(told().sort()).toEqual(['1 x', '1 y', '2 x', '5 x']);
      }));

    it('tells each record once while others write the same ones', () =>
      withTables(open, [generated], async (dataSource) => {
        const { told, tell } = listen();
        const add = () => dataSource.create('generated', [{ name: 'a' }, { name: 'b' }, { name: 'c' }], utc);
        await add();
        const deleted = await Promise.all(
          Array.from({ length: 12 }, async (_, round) => {
            await add();
            const some = leaf('name', 'In', round % 2 === 0 ? ['a', 'b'] : ['b', 'c']);
            return dataSource.delete('generated', some, utc, tell);
          }),
        );
        const left = await dataSource.list({ collection: 'generated', projection: ['id'] }, utc);
        expect(told()).toHaveLength(deleted.reduce((sum, count) => sum + count, 0));
        expect(new Set([...told(), ...left.map(({ id }) => String(id))]).size).toBe(13 * 3);
        expect(told().length + left.length).toBe(13 * 3);
      }));
  });
}

/** Collects what a write tells, each key as its values. */
function listen() {
  const keys: RecordData[] = [];
  const tell = (some: readonly RecordData[]) => void keys.push(...some);
  const told = () => keys.map(({ person_id: person, sku, id }) => (id === undefined ? `${person} ${sku}` : String(id)));
  return { told, tell };
}
