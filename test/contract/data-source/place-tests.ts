import { describe, expect } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { ConditionLeaf, ConditionTree } from '#runtime/query/condition-tree';
import type { Operator } from '#runtime/query/operators';
import { StoredPlace } from '#runtime/query/stored-form';
import { type EngineLimits, featureOf, type OpenTables, openedForAll, utc } from './opened.ts';
import type { NeutralTable } from './tables.ts';

const values = {
  t: ['z', 'Z', 'é', 'e\u0301', '', 'a', 'a ', "o'clock", '\\', '😀', '\uffee', '1', '01', 'X'],
  n: [0, -1, 10, 9, 2_147_483_647],
  big: ['9007199254740993', '9007199254740992', '-9223372036854775808', '0'],
  d: ['0.10', '-10.00', '9.99', '1234567890.12'],
  f: [0.1, -0.1, 0.30000000000000004, 1e300, 5e-324],
  b: [true, false],
  day: ['2024-02-29', '1969-12-31', '9999-12-31'],
  at: ['2024-01-01T00:00:00.001Z', '2024-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z'],
  time: ['00:00:00', '23:59:59', '12:00:00'],
  u: ['00000000-0000-4000-8000-000000000001', 'ffffffff-0000-4000-8000-000000000000'],
  e: ['medium', 'small', 'large'],
} as const;

const names = Object.keys(values) as (keyof typeof values)[];

/** Each value twice, and null twice. */
const rows = Array.from({ length: 32 }, (_, index) => ({
  id: index + 1,
  ...Object.fromEntries(names.map((name) => [name, [...values[name], null][index % (values[name].length + 1)]])),
}));

const table: NeutralTable = {
  name: 'values',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 't', type: 'text' },
    { name: 'n', type: 'integer' },
    { name: 'big', type: 'bigint' },
    { name: 'd', type: { decimal: [12, 2] } },
    { name: 'f', type: 'float' },
    { name: 'b', type: 'boolean' },
    { name: 'day', type: 'day' },
    { name: 'at', type: 'instant' },
    { name: 'time', type: 'time' },
    { name: 'u', type: 'uuid' },
    { name: 'e', type: { enum: ['medium', 'small', 'large'] } },
  ],
  primaryKey: ['id'],
  rows,
};

/** The database finds a record again in the order of any column. */
export function describePlaces(open: OpenTables, limits: EngineLimits): void {
  const { it, note } = featureOf(limits, 'places');

  describe('places in an order', () => {
    const dataSource = openedForAll(open, [table]);
    const idsOf = async (source: DataSource, where: ConditionTree | undefined, field: string, ascending: boolean) => {
      const sort = [
        { field, ascending },
        { field: 'id', ascending: true },
      ];
      const records = await source.list({ collection: 'values', projection: ['id'], where, sort }, utc);
      return records.map(({ id }) => id);
    };
    const orders = names.flatMap((name) => [true, false].map((ascending) => [name, ascending] as const));

    it.each(orders)(`name exactly the records behind each: %s, ascending %s${note}`, async (field, ascending) => {
      const source = dataSource();
      const all = await idsOf(source, undefined, field, ascending);
      expect(all).toHaveLength(rows.length);
      for (const [index, id] of all.entries()) {
        const own: ConditionTree = { field: 'id', operator: 'Equal', value: id };
        const [[place] = []] = (await source.listPlaces?.('values', [field], own, utc)) ?? [];
        if (!place) throw new Error('The record has no place.');
        const found = await idsOf(source, behind(field, ascending, place, id), field, ascending);
        expect([index, found]).toEqual([index, all.slice(index + 1)]);
      }
    });
  });
}

/** The records that come after one: after its place, or equal to it with a higher key. */
function behind(field: string, ascending: boolean, place: StoredPlace, id: unknown): ConditionTree {
  const leaf = (operator: Operator, value = place): ConditionLeaf => ({ field, operator, value });
  const none = new StoredPlace(undefined);
  const later: ConditionTree = { field: 'id', operator: 'GreaterThan', value: id };
  const equal: ConditionTree = { aggregator: 'And', conditions: [leaf('Equal'), later] };
  if (place.text === undefined) {
    return { aggregator: 'Or', conditions: ascending ? [leaf('NotEqual', none), equal] : [equal] };
  }
  const beyond = ascending ? [leaf('GreaterThan')] : [leaf('LessThan'), leaf('Equal', none)];
  const bound = ascending
    ? leaf('GreaterThanOrEqual')
    : { aggregator: 'Or' as const, conditions: [leaf('LessThanOrEqual'), leaf('Equal', none)] };
  return { aggregator: 'And', conditions: [bound, { aggregator: 'Or', conditions: [...beyond, equal] }] };
}
