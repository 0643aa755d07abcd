import { describe, expect, it } from 'vitest';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { type Operator, operatorsOfType } from '#runtime/query/operators';
import { type EngineLimits, featureOf, idsWhere, type OpenTables, openedForAll } from './opened.ts';
import type { NeutralTable } from './tables.ts';

type Case = readonly [field: string, operator: Operator, value: unknown, ids: readonly number[]];

const texts = [
  null,
  '',
  'a',
  'A',
  'a ',
  '50%_off',
  '50 and off',
  'line\nbreak',
  'ΑΣ',
  'ας',
  '😀😀',
  '\\back',
  "it's",
  'é',
  'e\u0301',
  '\u212a',
  'end\\',
  '\ufb00',
  'İstanbul',
];
const everyText = texts.map((_, index) => index + 1);
const except = (...ids: readonly number[]) => everyText.filter((id) => !ids.includes(id));

const tables: readonly NeutralTable[] = [
  {
    name: 'texts',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 't', type: 'text' },
    ],
    primaryKey: ['id'],
    rows: texts.map((t, index) => ({ id: index + 1, t })),
  },
  {
    name: 'types',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'n', type: 'integer' },
      { name: 'f', type: 'float' },
      { name: 'd', type: { decimal: [12, 2] } },
      { name: 'big', type: 'bigint' },
      { name: 'b', type: 'boolean' },
      { name: 'day', type: 'day' },
      { name: 'time', type: 'time' },
      { name: 'at', type: 'instant' },
      { name: 'u', type: 'uuid' },
      { name: 'e', type: { enum: ['open', "it's", 'closed'] } },
      { name: 'j', type: 'json' },
      { name: 'bin', type: 'binary' },
    ],
    primaryKey: ['id'],
    rows: [
      { id: 1 },
      {
        id: 2,
        n: 0,
        f: 0,
        d: '0.00',
        big: '0',
        b: false,
        day: '1970-01-01',
        time: '00:00:00',
        at: '1970-01-01T00:00:00.000Z',
        u: '00000000-0000-4000-8000-000000000000',
        e: 'open',
        j: {},
        bin: new Uint8Array(),
      },
      {
        id: 3,
        n: 2147483647,
        f: 0.1,
        d: '12.50',
        big: '9007199254740993',
        b: true,
        day: '2024-02-29',
        time: '23:59:59',
        at: '2024-03-31T00:59:59.999Z',
        u: 'ffffffff-ffff-4fff-bfff-ffffffffffff',
        e: "it's",
        j: { a: [1, null], b: 'é' },
        bin: new Uint8Array([0, 255]),
      },
      {
        id: 4,
        n: -2147483648,
        f: -1e300,
        d: '-9999999999.99',
        big: '-9007199254740993',
        b: true,
        day: '9999-12-31',
        time: '09:05:00',
        at: '2024-03-31T01:00:00.000Z',
        u: 'abcdefab-cdef-4abc-8def-abcdefabcdef',
        e: 'closed',
        j: [1, 2],
        bin: new Uint8Array([1]),
      },
      { id: 5, n: 1, f: 5e-324, d: '0.10', big: '9007199254740992', b: false, day: '2024-03-01', time: '10:00:00' },
    ],
  },
];

const textCases: readonly Case[] = [
  ['t', 'Equal', 'a', [3]],
  ['t', 'Equal', 'a ', [5]],
  ['t', 'Equal', 'é', [14]],
  ['t', 'Equal', null, [1]],
  ['t', 'Equal', '', [2]],
  ['t', 'NotEqual', 'a', except(3)],
  ['t', 'NotEqual', null, except(1)],
  ['t', 'In', ['a', 'ΑΣ', "it's"], [3, 9, 13]],
  ['t', 'In', ['a', null], [1, 3]],
  ['t', 'In', [], []],
  ['t', 'NotIn', ['a', 'A'], except(3, 4)],
  ['t', 'NotIn', ['a', null], except(1, 3)],
  ['t', 'NotIn', [], everyText],
  ['t', 'Missing', null, [1]],
  ['t', 'Blank', null, [1, 2]],
  ['t', 'Present', null, except(1, 2)],
  ['t', 'Contains', '50%_off', [6]],
  ['t', 'Contains', '%', [6]],
  ['t', 'Contains', '_', [6]],
  ['t', 'Contains', '', except(1)],
  ['t', 'Contains', '\\', [12, 17]],
  ['t', 'Contains', 'e\nb', [8]],
  ['t', 'Contains', '😀', [11]],
  ['t', 'NotContains', 'a', [1, 2, 4, 6, 9, 10, 11, 13, 14, 15, 16, 17, 18]],
  ['t', 'StartsWith', 'a', [3, 5]],
  ['t', 'EndsWith', ' ', [5]],
  ['t', 'EndsWith', 'break', [8]],
  ['t', 'IContains', 'k', [8, 12, 16]],
  ['t', 'IContains', 'ισ', []],
  ['t', 'IContains', 'ασ', [9]],
  ['t', 'IContains', 'Σ', [9]],
  ['t', 'IContains', 'É', [14]],
  ['t', 'NotIContains', 'A', [1, 2, 6, 9, 10, 11, 13, 14, 15, 16, 17, 18]],
  ['t', 'IStartsWith', 'A', [3, 4, 5]],
  ['t', 'IStartsWith', 'ist', [19]],
  ['t', 'IEndsWith', 'OFF', [6, 7]],
  ['t', 'Like', '50%off', [6, 7]],
  ['t', 'Like', '50\\%\\_off', [6]],
  ['t', 'Like', '__', [5, 9, 10, 11, 15]],
  ['t', 'Like', '', [2]],
  ['t', 'Like', '%\\', [17]],
  ['t', 'Like', '%\\\\', [17]],
  ['t', 'Like', '%\n%', [8]],
  ['t', 'ILike', 'a%', [3, 4, 5]],
  ['t', 'ILike', 'ασ', [9]],
  ['t', 'ILike', 'É', [14]],
  ['t', 'LongerThan', 8, [7, 8]],
  ['t', 'LongerThan', 0, except(1, 2)],
  ['t', 'ShorterThan', 2, [2, 3, 4, 14, 16, 18]],
  ['t', 'ShorterThan', 0, []],
];

const typeCases: readonly Case[] = [
  ['n', 'Equal', 0, [2]],
  ['n', 'NotEqual', 0, [1, 3, 4, 5]],
  ['n', 'In', [0, 2147483647], [2, 3]],
  ['n', 'NotIn', [0, null], [3, 4, 5]],
  ['n', 'LessThan', 1, [2, 4]],
  ['n', 'LessThanOrEqual', 1, [2, 4, 5]],
  ['n', 'GreaterThan', 1, [3]],
  ['n', 'GreaterThanOrEqual', 1.5, [3]],
  ['n', 'Equal', 1.5, []],
  ['n', 'Blank', null, [1]],
  ['f', 'Equal', 0.1, [3]],
  ['f', 'LessThan', 0, [4]],
  ['f', 'GreaterThan', 0, [3, 5]],
  ['d', 'Equal', '12.5', [3]],
  ['d', 'Equal', 12.5, [3]],
  ['d', 'Equal', 0.1, [5]],
  ['d', 'Equal', '0.1000', [5]],
  ['d', 'In', ['0.10', 0, '-9999999999.99'], [2, 4, 5]],
  ['d', 'NotIn', [0.1], [1, 2, 3, 4]],
  ['d', 'GreaterThan', '9.99', [3]],
  ['d', 'LessThan', -1, [4]],
  ['d', 'LessThanOrEqual', '12.499', [2, 4, 5]],
  ['big', 'Equal', '9007199254740993', [3]],
  ['big', 'Equal', '9007199254740992', [5]],
  ['big', 'Equal', 9007199254740992, [5]],
  ['big', 'GreaterThan', '9007199254740992', [3]],
  ['big', 'LessThan', '-9007199254740992', [4]],
  ['big', 'In', ['9007199254740993', '-9007199254740993', 0], [2, 3, 4]],
  ['big', 'GreaterThan', '9007199254740992.5', [3]],
  ['b', 'Equal', true, [3, 4]],
  ['b', 'NotEqual', true, [1, 2, 5]],
  ['b', 'In', [false, null], [1, 2, 5]],
  ['day', 'Equal', '2024-02-29', [3]],
  ['day', 'In', ['2024-02-29', '2024-03-01'], [3, 5]],
  ['day', 'Before', '2024-03-01', [2, 3]],
  ['day', 'After', '2024-02-29', [4, 5]],
  ['day', 'Missing', null, [1]],
  ['time', 'Equal', '10:00:00', [5]],
  ['time', 'Equal', '10:00', [5]],
  ['time', 'LessThan', '10:00:00', [2, 4]],
  ['time', 'GreaterThan', '09:05:00', [3, 5]],
  ['at', 'Equal', '2024-03-31T01:00:00Z', [4]],
  ['at', 'Equal', '2024-03-31T03:00:00+02:00', [4]],
  ['at', 'Equal', '2024-03-31T01:00:00', [4]],
  ['at', 'NotEqual', '2024-03-31T01:00:00.000Z', [1, 2, 3, 5]],
  ['at', 'Before', '2024-03-31T01:00:00.000Z', [2, 3]],
  ['at', 'Before', '2024-03-31T01:00:00.000500Z', [2, 3, 4]],
  ['at', 'After', '2024-03-31T00:59:59.999Z', [4]],
  ['at', 'After', '2024-03-31T00:59:59.998Z', [3, 4]],
  ['at', 'In', ['2024-03-31T02:00:00+01:00', null], [1, 4, 5]],
  ['u', 'Equal', 'ABCDEFAB-CDEF-4ABC-8DEF-ABCDEFABCDEF', [4]],
  ['u', 'In', ['ffffffff-ffff-4fff-bfff-ffffffffffff'], [3]],
  ['u', 'NotEqual', '00000000-0000-4000-8000-000000000000', [1, 3, 4, 5]],
  ['e', 'Equal', 'open', [2]],
  ['e', 'In', ["it's", 'closed'], [3, 4]],
  ['e', 'NotIn', ['open'], [1, 3, 4, 5]],
  ['e', 'Present', null, [2, 3, 4]],
  ['j', 'Missing', null, [1, 5]],
  ['j', 'Present', null, [2, 3, 4]],
  ['bin', 'Present', null, [2, 3, 4]],
  ['bin', 'Blank', null, [1, 5]],
  ['bin', 'Equal', new Uint8Array([0, 255]), [3]],
  ['bin', 'Equal', 'data:;base64,AP8=', [3]],
  ['bin', 'NotEqual', '00ff', [1, 2, 4, 5]],
  ['bin', 'In', [new Uint8Array([1]), '00ff', new Uint8Array(), null], [1, 2, 3, 4, 5]],
  ['bin', 'NotIn', ['01', '00ff'], [1, 2, 5]],
];

/** Every operator on every type, nulls and unicode included. */
export function describeConditions(open: OpenTables, limits: EngineLimits = {}): void {
  describe('conditions', () => {
    const dataSource = openedForAll(open, tables);

    it.each(textCases)('find texts by %s %s %j', async (field, operator, value, ids) => {
      expect(await idsWhere(dataSource(), 'texts', { field, operator, value })).toEqual(ids);
    });

    const {
      dated = [],
      uuids: ofUuids = [],
      other = [],
    } = Object.groupBy(typeCases, ([field]) => {
      if (field === 'u') return 'uuids';
      return field === 'day' || field === 'time' ? 'dated' : 'other';
    });
    it.each(other)('find values by %s %s %j', async (field, operator, value, ids) => {
      expect(await idsWhere(dataSource(), 'types', { field, operator, value })).toEqual(ids);
    });

    const days = featureOf(limits, 'days');
    days.it.each(dated)(`find days and times by %s %s %j${days.note}`, async (...one) => {
      const [field, operator, value, ids] = one;
      expect(await idsWhere(dataSource(), 'types', { field, operator, value })).toEqual(ids);
    });

    const uuids = featureOf(limits, 'uuids');
    uuids.it.each(ofUuids)(`find UUIDs by %s %s %j${uuids.note}`, async (...one) => {
      const [field, operator, value, ids] = one;
      expect(await idsWhere(dataSource(), 'types', { field, operator, value })).toEqual(ids);
    });

    it('offer every operator that a request may use, except for those on lists', () => {
      const columns = dataSource()
        .collections.flatMap(({ fields }) => [...fields.values()])
        .filter((field) => field.kind === 'column');
      for (const { name, type, operators } of columns) {
        if (type === 'Json') continue;
        const wanted = [...operatorsOfType(type)].filter((operator) => !operator.startsWith('Includes'));
        expect
          .soft(
            wanted.filter((operator) => !operators.has(operator)),
            name,
          )
          .toEqual([]);
      }
    });

    it('combine by And and Or, at any depth, empty ones included', async () => {
      const leaf = (field: string, operator: Operator, value: unknown): ConditionTree => ({ field, operator, value });
      const and = (...conditions: ConditionTree[]): ConditionTree => ({ aggregator: 'And', conditions });
      const or = (...conditions: ConditionTree[]): ConditionTree => ({ aggregator: 'Or', conditions });
      const ids = (where: ConditionTree) => idsWhere(dataSource(), 'types', where);
      expect(await ids(and())).toEqual([1, 2, 3, 4, 5]);
      expect(await ids(or())).toEqual([]);
      expect(await ids(or(and(), or()))).toEqual([1, 2, 3, 4, 5]);
      expect(await ids(and(leaf('b', 'Equal', true), or(leaf('n', 'LessThan', 0), leaf('f', 'Equal', 5))))).toEqual([
        4,
      ]);
      expect(
        await ids(or(leaf('id', 'In', [1, 2]), and(leaf('b', 'Equal', true), leaf('e', 'Equal', 'closed')))),
      ).toEqual([1, 2, 4]);
    });

    it('read a data URI as the bytes it stands for, where bytes can be compared', async () => {
      const column = dataSource()
        .collections.find(({ name }) => name === 'types')
        ?.fields.get('bin');
      const operators = column?.kind === 'column' ? column.operators : new Set<Operator>();
      for (const text of ['data:,%00%FF', 'data:text/plain;charset=utf-8,%00%ff', 'data:;base64,AP8%3D', '00ff']) {
        for (const [operator, value] of [
          ['Equal', text],
          ['In', [text]],
        ] as const) {
          if (!operators.has(operator)) continue;
          expect(await idsWhere(dataSource(), 'types', { field: 'bin', operator, value }), text).toEqual([3]);
        }
      }
    });

    it('bind the values of one shape again each time, however long a list is', async () => {
      const long = Array.from({ length: 5000 }, (_, index) => index + 3);
      for (const value of [[1], [1, 2], long, [null], []]) {
        const expected = [1, 2, 3, 4, 5].filter((id) => (value as readonly unknown[]).includes(id));
        expect(await idsWhere(dataSource(), 'types', { field: 'id', operator: 'In', value })).toEqual(expected);
      }
    });
  });
}
