import { IANAZone } from 'luxon';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { when } from '#runtime/query/build-expression';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { datePartReader } from '#runtime/query/date-parts';
import { type Expressions, extendedSource } from './extended-source.ts';
import { type EngineLimits, featureOf, idsWhere, type OpenTables, utc, withTables } from './opened.ts';
import type { NeutralTable } from './tables.ts';

const tables: readonly NeutralTable[] = [
  {
    name: 'customers',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'first', type: 'text' },
      { name: 'last', type: 'text' },
      { name: 'credit', type: { decimal: [9, 3] } },
    ],
    primaryKey: ['id'],
    rows: [
      { id: 1, first: 'Zoë', last: "O'Neil", credit: '12.500' },
      { id: 2, first: 'Åsa', last: null, credit: '-0.001' },
    ],
  },
  {
    name: 'orders',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'customer_id', type: 'integer' },
      { name: 'price', type: { decimal: [12, 2] } },
      { name: 'quantity', type: 'integer' },
      { name: 'weight', type: 'float' },
      { name: 'serial', type: 'bigint' },
      { name: 'is_gift', type: 'boolean' },
      { name: 'placed_at', type: 'instant' },
      { name: 'due_on', type: 'day' },
      { name: 'status', type: { enum: ['open', 'paid'] } },
      { name: 'payload', type: 'json' },
    ],
    primaryKey: ['id'],
    foreignKeys: [{ columns: ['customer_id'], table: 'customers', foreignColumns: ['id'] }],
    rows: [
      {
        id: 1,
        customer_id: 1,
        price: '10.50',
        quantity: 3,
        weight: 0.5,
        serial: '9007199254740993',
        is_gift: true,
        placed_at: '2024-03-31T00:59:59.999Z',
        due_on: '2024-12-30',
        status: 'paid',
        payload: {
          city: 'Zürich',
          size: 2.5,
          ok: true,
          at: '2024-02-29T10:00:00Z',
          on: '2023-02-29',
          tags: ['a', { b: 'x' }],
        },
      },
      {
        id: 2,
        customer_id: 2,
        price: '0.10',
        quantity: 0,
        weight: 1e-7,
        serial: '-9007199254740993',
        is_gift: false,
        placed_at: '2024-03-31T01:00:00.000Z',
        due_on: '2025-01-01',
        status: 'open',
        payload: { city: 7, size: '2.5', ok: 'true', at: '2024-02-30T10:00:00Z', on: '2024-02-29', tags: { '0': 'a' } },
      },
      { id: 3, customer_id: null, price: null, quantity: null, weight: 1e21, serial: null, payload: [{ city: 'Rom' }] },
      { id: 4, customer_id: 1, price: '-3.00', quantity: 2, weight: null, serial: '1', payload: null },
    ],
  },
];

const field = (path: string) => ({ field: path });
const value = (constant: string | number | boolean | null) => ({ value: constant });
const json = (
  path: readonly (string | number)[],
  type: 'String' | 'Number' | 'Boolean' | 'Date' | 'Dateonly' | 'Json',
) => ({
  jsonPath: { field: 'payload', path, type },
});
const part = (name: 'year' | 'quarter' | 'month' | 'week' | 'weekday' | 'day' | 'hour', path: string) => ({
  datePart: { part: name, field: path },
});

const added: Expressions = {
  customers: {
    full: { concat: [field('first'), value(' '), field('last')] },
    twice: { add: [field('credit'), field('credit')] },
  },
  orders: {
    label: {
      concat: [value('#'), field('id'), value(' it\'s "50%\\" 😀 '), field('price'), value('/'), field('weight')],
    },
    words: {
      concat: [field('is_gift'), value('|'), field('due_on'), value('|'), field('status'), value('|'), field('serial')],
    },
    total: { multiply: [field('price'), field('quantity')] },
    withTax: { multiply: [field('total'), value(1.075)] },
    less: { subtract: [field('serial'), value(0.01)] },
    net: { subtract: [{ multiply: [field('price'), value(1.5)] }, value(0.005)] },
    tripled: { multiply: [field('net'), value(3)] },
    loose: { add: [field('price'), field('weight')] },
    doubles: { add: [field('quantity'), field('weight'), value(1)] },
    rate: { divide: [field('price'), field('quantity')] },
    orZero: { coalesce: [field('price'), value(0)] },
    size: {
      case: [
        when({ field: 'total', operator: 'GreaterThan', value: '31' }, 'large'),
        when(
          {
            aggregator: 'Or',
            conditions: [
              { field: 'customer:first', operator: 'Equal', value: 'Åsa' },
              { field: 'status', operator: 'In', value: ['open'] },
            ],
          },
          field('customer:full'),
        ),
      ],
      else: value('small'),
    },
    owner: { coalesce: [field('customer:full'), value('nobody')] },
    city: json(['city'], 'String'),
    sizeIn: json(['size'], 'Number'),
    ok: json(['ok'], 'Boolean'),
    at: json(['at'], 'Date'),
    on: json(['on'], 'Dateonly'),
    second: json(['tags', 1, 'b'], 'String'),
    first: json(['tags', 0], 'String'),
    firstCity: json([0, 'city'], 'String'),
    tags: json(['tags'], 'Json'),
    hour: part('hour', 'placed_at'),
    weekday: part('weekday', 'placed_at'),
    week: part('week', 'due_on'),
    quarter: part('quarter', 'due_on'),
    year: part('year', 'due_on'),
  },
};

const expected: Readonly<Record<string, readonly unknown[]>> = {
  'customer:full': ["Zoë O'Neil", 'Åsa ', undefined, "Zoë O'Neil"],
  label: [
    '#1 it\'s "50%\\" 😀 10.50/0.5',
    '#2 it\'s "50%\\" 😀 0.10/0.0000001',
    '#3 it\'s "50%\\" 😀 /1000000000000000000000',
    '#4 it\'s "50%\\" 😀 -3.00/',
  ],
  words: ['true|2024-12-30|paid|9007199254740993', 'false|2025-01-01|open|-9007199254740993', '|||', '|||1'],
  total: ['31.50', '0.00', null, '-6.00'],
  withTax: ['33.86250', '0.00000', null, '-6.45000'],
  less: ['9007199254740992.99', '-9007199254740993.01', null, '0.99'],
  net: ['15.745', '0.145', null, '-4.505'],
  tripled: ['47.235', '0.435', null, '-13.515'],
  loose: ['11.00', '0.1000001', null, null],
  doubles: [4.5, 1.0000001, null, null],
  rate: [3.5, null, null, -1.5],
  orZero: ['10.50', '0.10', '0.00', '-3.00'],
  size: ['large', 'Åsa ', 'small', 'small'],
  owner: ["Zoë O'Neil", 'Åsa ', 'nobody', "Zoë O'Neil"],
  city: ['Zürich', null, null, null],
  sizeIn: [2.5, null, null, null],
  ok: [true, null, null, null],
  at: ['2024-02-29T10:00:00.000Z', null, null, null],
  on: [null, '2024-02-29', null, null],
  second: ['x', null, null, null],
  first: ['a', null, null, null],
  firstCity: [null, null, 'Rom', null],
  tags: [['a', { b: 'x' }], { '0': 'a' }, null, null],
  hour: [0, 1, null, null],
  weekday: [7, 7, null, null],
  week: [1, 1, null, null],
  quarter: [4, 1, null, null],
  year: [2024, 2025, null, null],
};

export function describeExpressions(open: OpenTables, limits: EngineLimits = {}): void {
  const feature = featureOf(limits, 'expressions');
  feature.describe(`expressions${feature.note}`, () => {
    let source: DataSource;
    beforeAll(async () => {
      source = extendedSource(await open(tables), added);
    });
    afterAll(() => source?.close());

    const sort = [{ field: 'id', ascending: true }];
    const valuesOf = async (path: string, timezone = 'UTC') => {
      const records = await source.list({ collection: 'orders', projection: [path], sort }, { timezone });
      return records.map((record) =>
        path.split(':').reduce<unknown>((holder, step) => (holder as Record<string, unknown> | null)?.[step], record),
      );
    };
    const ids = (where: ConditionTree, timezone = 'UTC') => idsWhere(source, 'orders', where, { timezone });

    it.each(Object.entries(expected))('have the values of %s', async (path, values) => {
      expect(await valuesOf(path)).toEqual(values);
    });

    it('take parts of dates where the clock of the caller stands, also when it is put forward', async () => {
      expect(await valuesOf('hour', 'Europe/Paris')).toEqual([1, 3, null, null]);
      expect(await valuesOf('hour', 'Asia/Kolkata')).toEqual([6, 6, null, null]);
      expect(await valuesOf('weekday', 'America/New_York')).toEqual([6, 6, null, null]);
      expect(await valuesOf('week', 'America/New_York')).toEqual([1, 1, null, null]);
    });

    it('take the parts of every day about the turn of a year, and of every hour about the change of a clock', async () => {
      const names = ['year', 'quarter', 'month', 'week', 'weekday', 'day', 'hour'] as const;
      const days = Array.from({ length: 18 * 9 }, (_, index) => {
        const [year, distance] = [2012 + Math.floor(index / 9), (index % 9) - 4];
        return new Date(Date.UTC(year, 0, 1 + distance)).toISOString();
      });
      const hours = Array.from({ length: 48 }, (_, index) => {
        const month = index < 24 ? 2 : 9;
        return new Date(Date.UTC(2024, month, month === 2 ? 30 : 26, 12 + (index % 24), 30)).toISOString();
      });
      const rows = [...days, ...hours].map((at, index) => ({ id: index + 1, at, on: at.slice(0, 10) }));
      const columns = [
        { name: 'id', type: 'integer' },
        { name: 'at', type: 'instant' },
        { name: 'on', type: 'day' },
      ] as const;
      const dates = { name: 'dates', columns, primaryKey: ['id'], rows };
      const parts = Object.fromEntries(
        names.flatMap((name) => [
          [`at ${name}`, part(name, 'at')],
          [`on ${name}`, part(name, 'on')],
        ]),
      );
      await withTables(open, [dates], async (dataSource) => {
        const extended = extendedSource(dataSource, { dates: parts });
        for (const timezone of ['UTC', 'Europe/Paris', 'America/St_Johns']) {
          const list = { collection: 'dates', projection: ['at', 'on', ...Object.keys(parts)], sort };
          const zone = IANAZone.create(timezone);
          expect(await extended.list(list, { timezone })).toEqual(
            rows.map(({ at, on }) => {
              const values = names.flatMap((name) => [
                [`at ${name}`, datePartReader(name, 'Date', zone)(at)],
                [`on ${name}`, datePartReader(name, 'Dateonly', zone)(on)],
              ]);
              return { at, on, ...Object.fromEntries(values) };
            }),
          );
        }
      });
    });

    it.each<[string, ConditionTree['operator' & keyof ConditionTree] | string, unknown, readonly number[]]>([
      ['label', 'IContains', 'IT\'S "50%', [1, 2, 3, 4]],
      ['label', 'EndsWith', '/0.5', [1]],
      ['customer:full', 'StartsWith', 'zoë', []],
      ['customer:full', 'Equal', "Zoë O'Neil", [1, 4]],
      ['customer:full', 'Missing', null, [3]],
      ['customer:twice', 'LessThan', '0.000', [2]],
      ['customer:twice', 'Equal', '25', [1, 4]],
      ['customer:twice', 'In', ['-0.002', '7'], [2]],
      ['size', 'In', ['large', 'small'], [1, 3, 4]],
      ['size', 'NotEqual', 'large', [2, 3, 4]],
      ['total', 'Equal', '31.5', [1]],
      ['total', 'Equal', 31.5, [1]],
      ['total', 'LessThan', '0', [4]],
      ['total', 'NotIn', ['31.50', null], [2, 4]],
      ['less', 'GreaterThan', '9007199254740992.98', [1]],
      ['less', 'GreaterThan', '9007199254740992.99', []],
      ['net', 'Equal', '15.7450', [1]],
      ['net', 'In', ['0.145', 15.745], [1, 2]],
      ['tripled', 'GreaterThanOrEqual', '0.435', [1, 2]],
      ['tripled', 'LessThan', 0.435, [4]],
      ['loose', 'In', ['0.1000001'], [2]],
      ['rate', 'LessThanOrEqual', 3.5, [1, 4]],
      ['city', 'Equal', 'Zürich', [1]],
      ['city', 'Missing', null, [2, 3, 4]],
      ['sizeIn', 'GreaterThan', 2.4, [1]],
      ['ok', 'Equal', true, [1]],
      ['ok', 'NotEqual', true, [2, 3, 4]],
      ['at', 'Before', '2024-02-29T10:00:00.001Z', [1]],
      ['on', 'Equal', '2024-02-29', [2]],
      ['tags', 'Present', null, [1, 2]],
      ['year', 'Equal', 2025, [2]],
    ])('%s %s %o', async (path, operator, compared, found) => {
      expect(await ids({ field: path, operator, value: compared } as ConditionTree)).toEqual(found);
    });

    it('are sorted by, behind relations too, nulls first', async () => {
      const sorted = async (path: string, ascending: boolean) => {
        const order = [{ field: path, ascending }, ...sort];
        const records = await source.list({ collection: 'orders', projection: ['id'], sort: order }, utc);
        return records.map((record) => record['id']);
      };
      expect(await sorted('less', true)).toEqual([3, 2, 4, 1]);
      expect(await sorted('total', false)).toEqual([1, 2, 4, 3]);
      expect(await sorted('customer:full', true)).toEqual([3, 1, 4, 2]);
      expect(await sorted('size', true)).toEqual([1, 3, 4, 2]);
    });

    it('are grouped by and aggregated', async () => {
      const aggregate = (
        operation: 'Count' | 'Sum' | 'Avg' | 'Min' | 'Max',
        path: string | undefined,
        ...groups: string[]
      ) =>
        source.aggregate(
          {
            collection: 'orders',
            aggregation: { operation, field: path, groups: groups.map((group) => ({ field: group })) },
          },
          utc,
        );
      expect(await aggregate('Count', undefined, 'size')).toEqual([
        { value: 2, group: { size: 'small' } },
        { value: 1, group: { size: 'large' } },
        { value: 1, group: { size: 'Åsa ' } },
      ]);
      expect(await aggregate('Sum', 'total', 'customer:full')).toEqual([
        { value: '25.50', group: { 'customer:full': "Zoë O'Neil" } },
        { value: '0.00', group: { 'customer:full': 'Åsa ' } },
        { value: null, group: { 'customer:full': null } },
      ]);
      expect(await aggregate('Sum', 'less')).toEqual([{ value: '0.97', group: {} }]);
      expect(await aggregate('Max', 'less')).toEqual([{ value: '9007199254740992.99', group: {} }]);
      expect(await aggregate('Min', 'less')).toEqual([{ value: '-9007199254740993.01', group: {} }]);
      expect(await aggregate('Avg', 'total')).toEqual([{ value: '8.50', group: {} }]);
      expect(await aggregate('Count', 'city', 'total')).toEqual([
        { value: 1, group: { total: '31.50' } },
        { value: 0, group: { total: null } },
        { value: 0, group: { total: '-6.00' } },
        { value: 0, group: { total: '0.00' } },
      ]);
      expect(await aggregate('Sum', 'doubles', 'year')).toEqual([
        { value: 4.5, group: { year: 2024 } },
        { value: 1.0000001, group: { year: 2025 } },
        { value: null, group: { year: null } },
      ]);
    });

    it('choose what is changed and deleted, and are not written', async () => {
      await withTables(open, tables, async (dataSource) => {
        const extended = extendedSource(dataSource, added);
        const large = { field: 'size', operator: 'Equal', value: 'large' } as const;
        expect(await extended.update('orders', large, { quantity: 1, total: '9' }, utc)).toBe(1);
        expect(await idsWhere(extended, 'orders', large)).toEqual([]);
        const ofAsa = { field: 'customer:full', operator: 'Equal', value: 'Åsa ' } as const;
        expect(await extended.delete('orders', ofAsa, utc)).toBe(1);
        const [created] = await extended.create('orders', [{ id: 9, price: '2.00', quantity: 2, total: '1' }], utc);
        expect(created).toMatchObject({ id: 9, price: '2.00' });
        expect(created).not.toHaveProperty('total');
        expect(await idsWhere(extended, 'orders', { field: 'total', operator: 'Equal', value: 4 })).toEqual([9]);
      });
    });
  });
}
