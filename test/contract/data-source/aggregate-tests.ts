import { describe, expect, it } from 'vitest';
import type { AggregateRow, Aggregation } from '#runtime/query/aggregation';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { type EngineLimits, featureOf, type OpenTables, openedForAll, utc } from './opened.ts';
import type { NeutralTable } from './tables.ts';

const tables: readonly NeutralTable[] = [
  {
    name: 'people',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'name', type: 'text' },
    ],
    primaryKey: ['id'],
    rows: [
      { id: 1, name: 'Zoë' },
      { id: 2, name: 'bob' },
    ],
  },
  {
    name: 'orders',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'person_id', type: 'integer' },
      { name: 'n', type: 'integer' },
      { name: 'f', type: 'float' },
      { name: 'd', type: { decimal: [12, 2] } },
      { name: 'big', type: 'bigint' },
      { name: 't', type: 'text' },
      { name: 'b', type: 'boolean' },
      { name: 'at', type: 'instant' },
      { name: 'day', type: 'day' },
    ],
    primaryKey: ['id'],
    foreignKeys: [{ columns: ['person_id'], table: 'people', foreignColumns: ['id'] }],
    rows: [
      {
        id: 1,
        person_id: 1,
        n: 1,
        f: 0.5,
        d: '0.10',
        big: '9007199254740993',
        t: 'a',
        b: true,
        at: '2024-03-31T00:30:00.000Z',
        day: '2024-03-31',
      },
      {
        id: 2,
        person_id: 1,
        n: 2,
        f: 0.25,
        d: '0.20',
        big: '9007199254740993',
        t: 'B',
        b: false,
        at: '2024-03-31T21:59:59.999Z',
        day: '2024-04-01',
      },
      {
        id: 3,
        person_id: 2,
        n: 4,
        f: null,
        d: '0.20',
        big: '9',
        t: '😀',
        b: true,
        at: '2024-03-31T22:00:00.000Z',
        day: '2024-12-30',
      },
      {
        id: 4,
        person_id: null,
        n: null,
        f: null,
        d: null,
        big: '10',
        t: '\ufb00',
        b: null,
        at: '2024-12-31T23:30:00.000Z',
        day: '2025-01-01',
      },
      { id: 5, person_id: null, n: -8, f: -2, d: '-9.00', big: null, t: '', b: true, at: null, day: null },
    ],
  },
];

/** Counts, sums and extremes, by groups and calendar stretches. */
export function describeAggregates(open: OpenTables, limits: EngineLimits = {}): void {
  describe('aggregates', () => {
    const dataSource = openedForAll(open, tables);
    const aggregate = (
      aggregation: Aggregation,
      more: { where?: ConditionTree; limit?: number; timezone?: string } = {},
    ) =>
      dataSource().aggregate(
        { collection: 'orders', aggregation, where: more.where, limit: more.limit },
        { timezone: more.timezone ?? 'UTC' },
      );
    const pairs = (rows: readonly AggregateRow[]) => rows.map(({ value, group }) => [...Object.values(group), value]);

    it.each<[Aggregation['operation'], string | undefined, unknown]>([
      ['Count', undefined, 5],
      ['Count', 'n', 4],
      ['Count', 'person:name', 3],
      ['Sum', 'n', -1],
      ['Sum', 'f', -1.25],
      ['Sum', 'd', '-8.50'],
      ['Sum', 'big', '18014398509482005'],
      ['Avg', 'n', -0.25],
      ['Avg', 'd', '-2.125'],
      ['Avg', 'big', '4503599627370501.25'],
      ['Min', 'n', -8],
      ['Max', 'n', 4],
      ['Min', 'd', '-9.00'],
      ['Max', 'd', '0.20'],
      ['Min', 'big', '9'],
      ['Max', 'big', '9007199254740993'],
      ['Min', 't', ''],
      ['Min', 'at', '2024-03-31T00:30:00.000Z'],
      ['Max', 'at', '2024-12-31T23:30:00.000Z'],
      ['Min', 'day', '2024-03-31'],
      ['Max', 'person:name', 'bob'],
    ])('%s of %s is one row', async (operation, field, value) => {
      expect(await aggregate({ operation, field, groups: [] })).toEqual([{ value, group: {} }]);
    });

    const order = featureOf(limits, 'text order');
    order.it(`Max of t is the last text by code point${order.note}`, async () => {
      expect(await aggregate({ operation: 'Max', field: 't', groups: [] })).toEqual([{ value: '😀', group: {} }]);
    });

    it('give one row for no records without groups, and no row with groups', async () => {
      const where: ConditionTree = { aggregator: 'Or', conditions: [] };
      const groups = [{ field: 't' }];
      expect(await aggregate({ operation: 'Count', groups: [] }, { where })).toEqual([{ value: 0, group: {} }]);
      expect(await aggregate({ operation: 'Sum', field: 'd', groups: [] }, { where })).toEqual([
        { value: null, group: {} },
      ]);
      expect(await aggregate({ operation: 'Max', field: 'n', groups: [] }, { where })).toEqual([
        { value: null, group: {} },
      ]);
      expect(await aggregate({ operation: 'Count', groups }, { where })).toEqual([]);
    });

    it('order groups by value descending, nulls last, then by group, and cut them', async () => {
      const count: Aggregation = { operation: 'Count', groups: [{ field: 'person_id' }] };
      expect(pairs(await aggregate(count))).toEqual([
        [null, 2],
        [1, 2],
        [2, 1],
      ]);
      const sum: Aggregation = { operation: 'Sum', field: 'f', groups: [{ field: 'person_id' }] };
      expect(pairs(await aggregate(sum))).toEqual([
        [1, 0.75],
        [null, -2],
        [2, null],
      ]);
      expect(pairs(await aggregate(sum, { limit: 1 }))).toEqual([[1, 0.75]]);
    });

    it('order exact sums as numbers', async () => {
      const sum: Aggregation = { operation: 'Sum', field: 'big', groups: [{ field: 'id' }] };
      expect(pairs(await aggregate(sum)).map(([id]) => id)).toEqual([1, 2, 4, 3, 5]);
    });

    it('keep the group without a partner, and every key of several groups', async () => {
      const groups = [{ field: 'person_id' }, { field: 'person:id' }, { field: 'b' }];
      expect(await aggregate({ operation: 'Count', groups })).toEqual([
        { value: 1, group: { person_id: null, 'person:id': null, b: null } },
        { value: 1, group: { person_id: null, 'person:id': null, b: true } },
        { value: 1, group: { person_id: 1, 'person:id': 1, b: false } },
        { value: 1, group: { person_id: 1, 'person:id': 1, b: true } },
        { value: 1, group: { person_id: 2, 'person:id': 2, b: true } },
      ]);
    });

    it('group by texts of records that fulfil conditions', async () => {
      const where: ConditionTree = { field: 'person:name', operator: 'Present' };
      const byName: Aggregation = { operation: 'Max', field: 'd', groups: [{ field: 'person:name' }] };
      expect(pairs(await aggregate(byName, { where }))).toEqual([
        ['Zoë', '0.20'],
        ['bob', '0.20'],
      ]);
    });

    order.it(`group by texts that differ in case, in the order of code points${order.note}`, async () => {
      expect(pairs(await aggregate({ operation: 'Count', groups: [{ field: 't' }] })).map(([t]) => t)).toEqual([
        '',
        'B',
        'a',
        '\ufb00',
        '😀',
      ]);
    });

    it.each([
      ['Europe/Paris', 'Day', ['2024-03-31', '2024-03-31', '2024-04-01', '2025-01-01']],
      ['Asia/Tokyo', 'Day', ['2024-03-31', '2024-04-01', '2024-04-01', '2025-01-01']],
      ['America/New_York', 'Day', ['2024-03-30', '2024-03-31', '2024-03-31', '2024-12-31']],
      ['Asia/Kolkata', 'Week', ['2024-03-25', '2024-04-01', '2024-04-01', '2024-12-30']],
      ['Europe/Paris', 'Week', ['2024-03-25', '2024-03-25', '2024-04-01', '2024-12-30']],
      ['Asia/Tokyo', 'Month', ['2024-03-01', '2024-04-01', '2024-04-01', '2025-01-01']],
      ['Europe/Paris', 'Quarter', ['2024-01-01', '2024-01-01', '2024-04-01', '2025-01-01']],
      ['Asia/Tokyo', 'Quarter', ['2024-01-01', '2024-04-01', '2024-04-01', '2025-01-01']],
      ['America/New_York', 'Year', ['2024-01-01', '2024-01-01', '2024-01-01', '2024-01-01']],
      ['Europe/Paris', 'Year', ['2024-01-01', '2024-01-01', '2024-01-01', '2025-01-01']],
    ] as const)('group instants in %s by %s', async (timezone, bucket, labels) => {
      const groups = [{ field: 'at', bucket }, { field: 'id' }];
      const rows = await aggregate({ operation: 'Min', field: 'id', groups }, { timezone });
      const byId = rows.map(({ group }) => [group['id'], group['at']]).toSorted((a, b) => Number(a[0]) - Number(b[0]));
      expect(byId).toEqual([...labels, null].map((label, index) => [index + 1, label]));
    });

    const days = featureOf(limits, 'days');
    days.it.each([
      ['Day', ['2024-03-31', '2024-04-01', '2024-12-30', '2025-01-01']],
      ['Week', ['2024-03-25', '2024-04-01', '2024-12-30', '2024-12-30']],
      ['Month', ['2024-03-01', '2024-04-01', '2024-12-01', '2025-01-01']],
      ['Quarter', ['2024-01-01', '2024-04-01', '2024-10-01', '2025-01-01']],
      ['Year', ['2024-01-01', '2024-01-01', '2024-01-01', '2025-01-01']],
    ] as const)(`group days by %s, which belong to no zone${days.note}`, async (bucket, labels) => {
      const groups = [{ field: 'day', bucket }, { field: 'id' }];
      for (const timezone of ['Pacific/Kiritimati', 'Pacific/Niue']) {
        const rows = await aggregate({ operation: 'Min', field: 'id', groups }, { timezone });
        const byId = rows
          .map(({ group }) => [group['id'], group['day']])
          .toSorted((a, b) => Number(a[0]) - Number(b[0]));
        expect(byId).toEqual([...labels, null].map((label, index) => [index + 1, label]));
      }
    });

    it('cut the least groups', async () => {
      const rows = await dataSource().aggregate(
        { collection: 'orders', aggregation: { operation: 'Sum', field: 'd', groups: [{ field: 'id' }] }, limit: 2 },
        utc,
      );
      expect(pairs(rows)).toEqual([
        [2, '0.20'],
        [3, '0.20'],
      ]);
    });
  });
}
