import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import type { ColumnSchema } from '#runtime/query/collection-schema';
import { type ConditionTree, isBranch } from '#runtime/query/condition-tree';
import { evaluateCondition } from '#runtime/query/evaluate-condition';
import { type Operator, operatorNames } from '#runtime/query/operators';
import { termCondition } from '#runtime/query/search/term-condition';

const now = DateTime.fromISO('2024-06-01T12:00:00', { zone: 'Europe/Paris' });

function columnOf(type: ColumnSchema['type'], rest: Partial<ColumnSchema> = {}): ColumnSchema {
  return {
    kind: 'column',
    name: 'field',
    type,
    nativeType: '',
    isPrimaryKey: false,
    isNullable: true,
    isReadOnly: false,
    isSortable: true,
    isGroupable: true,
    isExact: false,
    operators: new Set(operatorNames),
    hasDefault: false,
    ...rest,
  };
}

function conditionIn(column: ColumnSchema, text: string, isNegated = false, zone = now) {
  return termCondition({ path: 'field', column, operators: column.operators, now: zone }, text, isNegated);
}

function inShort(tree: ConditionTree | undefined): string {
  if (!tree) return 'nothing';
  if (isBranch(tree)) return tree.conditions.map(inShort).join(` ${tree.aggregator} `);
  return tree.value === null ? tree.operator : `${tree.operator} ${JSON.stringify(tree.value)}`;
}

const uuid = 'A0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
const uuids = JSON.stringify([uuid, uuid.toLowerCase(), uuid.toUpperCase()]);
const enumeration = columnOf('Enum', { enumValues: ['Gold', ' silver', 'GOLD'] });
const exact = columnOf('Number', { isExact: true });

describe('a term', () => {
  it.each<[string, ColumnSchema, string, string, string]>([
    ['text', columnOf('String'), 'Ada', 'IContains "Ada"', 'NotIContains "Ada"'],
    ['text', columnOf('String'), '', 'Equal ""', 'NotEqual ""'],
    ['text', columnOf('String'), '>5', 'IContains ">5"', 'NotIContains ">5"'],
    ['number', columnOf('Number'), '5', 'Equal 5', 'NotEqual 5'],
    ['number', columnOf('Number'), '-0.5', 'Equal -0.5', 'NotEqual -0.5'],
    ['number', columnOf('Number'), '1e3', 'Equal 1000', 'NotEqual 1000'],
    ['number', columnOf('Number'), '=5', 'Equal 5', 'NotEqual 5'],
    ['number', columnOf('Number'), '!=5', 'NotEqual 5', 'Equal 5'],
    ['number', columnOf('Number'), '<>5', 'NotEqual 5', 'Equal 5'],
    ['number', columnOf('Number'), '>5', 'GreaterThan 5', 'LessThanOrEqual 5 Or Missing'],
    ['number', columnOf('Number'), '>= -5', 'GreaterThanOrEqual -5', 'LessThan -5 Or Missing'],
    ['number', columnOf('Number'), '≥5', 'GreaterThanOrEqual 5', 'LessThan 5 Or Missing'],
    ['number', columnOf('Number'), '<5', 'LessThan 5', 'GreaterThanOrEqual 5 Or Missing'],
    ['number', columnOf('Number'), '<=5', 'LessThanOrEqual 5', 'GreaterThan 5 Or Missing'],
    ['number', columnOf('Number'), '≤5', 'LessThanOrEqual 5', 'GreaterThan 5 Or Missing'],
    ['number', columnOf('Number'), '5 apples', 'nothing', 'nothing'],
    ['number', columnOf('Number'), '0x10', 'nothing', 'nothing'],
    ['number', columnOf('Number'), 'Infinity', 'nothing', 'nothing'],
    ['number', columnOf('Number'), '1e999', 'nothing', 'nothing'],
    ['integer', columnOf('Number'), '9007199254740993', 'Equal "9007199254740993"', 'NotEqual "9007199254740993"'],
    ['exact number', exact, '0.10', 'Equal "0.10"', 'NotEqual "0.10"'],
    [
      'exact number',
      exact,
      '>12345678901234567890.123',
      'GreaterThan "12345678901234567890.123"',
      'LessThanOrEqual "12345678901234567890.123" Or Missing',
    ],
    ['enum', enumeration, ' gold ', 'In ["Gold","GOLD"]', 'NotIn ["Gold","GOLD"]'],
    ['enum', enumeration, 'SILVER', 'Equal " silver"', 'NotEqual " silver"'],
    ['enum', enumeration, 'gol', 'nothing', 'nothing'],
    ['boolean', columnOf('Boolean'), 'true', 'Equal true', 'NotEqual true'],
    ['boolean', columnOf('Boolean'), '0', 'Equal false', 'NotEqual false'],
    ['boolean', columnOf('Boolean'), 'yes', 'nothing', 'nothing'],
    ['UUID', columnOf('Uuid'), uuid, `In ${uuids}`, `NotIn ${uuids}`],
    ['UUID', columnOf('Uuid'), uuid.slice(0, 8), 'nothing', 'nothing'],
    [
      'instant',
      columnOf('Date'),
      '2024-03-31',
      'After "2024-03-30T22:59:59.999999Z" And Before "2024-03-31T22:00:00.000Z"',
      'Before "2024-03-30T23:00:00.000Z" Or After "2024-03-31T21:59:59.999999Z" Or Missing',
    ],
    [
      'instant',
      columnOf('Date'),
      '2024-12',
      'After "2024-11-30T22:59:59.999999Z" And Before "2024-12-31T23:00:00.000Z"',
      'Before "2024-11-30T23:00:00.000Z" Or After "2024-12-31T22:59:59.999999Z" Or Missing',
    ],
    [
      'instant',
      columnOf('Date'),
      '>2024-03',
      'After "2024-03-31T21:59:59.999999Z"',
      'Before "2024-03-31T22:00:00.000Z" Or Missing',
    ],
    [
      'day',
      columnOf('Dateonly'),
      '2024-02-29',
      'Equal "2024-02-29"',
      'Before "2024-02-29" Or After "2024-02-29" Or Missing',
    ],
    [
      'day',
      columnOf('Dateonly'),
      '2024-02',
      'After "2024-01-31" And Before "2024-03-01"',
      'Before "2024-02-01" Or After "2024-02-29" Or Missing',
    ],
    [
      'day',
      columnOf('Dateonly'),
      '2024',
      'After "2023-12-31" And Before "2025-01-01"',
      'Before "2024-01-01" Or After "2024-12-31" Or Missing',
    ],
    ['day', columnOf('Dateonly'), '>2024', 'After "2024-12-31"', 'Before "2025-01-01" Or Missing'],
    ['day', columnOf('Dateonly'), '>=2024-03', 'After "2024-02-29"', 'Before "2024-03-01" Or Missing'],
    ['day', columnOf('Dateonly'), '<2024-03-10', 'Before "2024-03-10"', 'After "2024-03-09" Or Missing'],
    ['day', columnOf('Dateonly'), '≤2024-03-10', 'Before "2024-03-11"', 'After "2024-03-10" Or Missing'],
    ['day', columnOf('Dateonly'), '1799', 'nothing', 'nothing'],
    [
      'day',
      columnOf('Dateonly'),
      '2124',
      'After "2123-12-31" And Before "2125-01-01"',
      'Before "2124-01-01" Or After "2124-12-31" Or Missing',
    ],
    ['day', columnOf('Dateonly'), '2125', 'nothing', 'nothing'],
    ['day', columnOf('Dateonly'), '2024-13', 'nothing', 'nothing'],
    ['day', columnOf('Dateonly'), '2023-02-29', 'nothing', 'nothing'],
    ['day', columnOf('Dateonly'), '2024-3', 'nothing', 'nothing'],
    ['list of texts', columnOf(['String']), 'a', 'IncludesAll ["a"]', 'IncludesNone ["a"]'],
    ['list of numbers', columnOf(['Number']), '5', 'IncludesAll [5]', 'IncludesNone [5]'],
    ['list of numbers', columnOf(['Number']), 'a', 'nothing', 'nothing'],
    [
      'list of enum values',
      columnOf(['Enum'], { enumValues: ['Gold', 'GOLD'] }),
      'gold',
      'IncludesAll ["Gold"] Or IncludesAll ["GOLD"]',
      'IncludesNone ["Gold","GOLD"]',
    ],
    ['list of dates', columnOf(['Date']), '2024', 'nothing', 'nothing'],
    ['document', columnOf('Json'), 'a', 'nothing', 'nothing'],
    ['run of bytes', columnOf('Binary'), 'ff', 'nothing', 'nothing'],
    ['point', columnOf('Point'), '1,2', 'nothing', 'nothing'],
    ['time', columnOf('Time'), '12:00', 'nothing', 'nothing'],
    ['object', columnOf({ a: 'String' }), 'a', 'nothing', 'nothing'],
    ['document', columnOf('Json'), 'NULL', 'Missing', 'Present'],
    ['text', columnOf('String'), 'NULL', 'Missing', 'Present'],
    ['text', columnOf('String'), 'null', 'IContains "null"', 'NotIContains "null"'],
    ['number', columnOf('Number'), '', 'nothing', 'nothing'],
  ])('on a %s: %o %j', (_type, column, text, positive, negative) => {
    expect(inShort(conditionIn(column, text))).toBe(positive);
    expect(inShort(conditionIn(column, text, true))).toBe(negative);
  });

  it.each<[Operator[], string, string]>([
    [['IContains', 'Contains', 'Equal'], 'IContains "a"', 'NotEqual'],
    [['Contains', 'Equal', 'NotEqual'], 'Contains "a"', 'NotEqual "a"'],
    [['Equal', 'NotContains'], 'Equal "a"', 'NotContains "a"'],
    [['In', 'NotIn'], 'In ["a"]', 'NotIn ["a"]'],
    [['Missing'], 'nothing', 'nothing'],
  ])('on a text that has %o asks for what there is', (operators, positive, negative) => {
    const column = columnOf('String', { operators: new Set(operators) });
    expect(inShort(conditionIn(column, 'a'))).toBe(positive);
    if (operators[0] !== 'IContains') expect(inShort(conditionIn(column, 'a', true))).toBe(negative);
  });

  it('negated holds for exactly the records it does not hold for, those without a value included', () => {
    const samples: readonly [ColumnSchema, readonly unknown[], readonly string[]][] = [
      [columnOf('String'), ['Ada', '', 'x', null], ['ada', 'x', '']],
      [columnOf('Number'), [4, 5, 6, null], ['5', '>5', '>=5', '<5', '<=5', '!=5']],
      [columnOf('Boolean'), [true, false, null], ['true', '0']],
      [columnOf('Uuid'), [uuid.toLowerCase(), null], [uuid]],
      [enumeration, ['Gold', 'GOLD', ' silver', null], ['gold', 'silver']],
      [
        columnOf('Dateonly'),
        ['2023-12-31', '2024-01-01', '2024-12-31', '2025-01-01', null],
        ['2024', '>2024', '<=2024'],
      ],
      [
        columnOf('Date'),
        [
          '2023-12-31T22:59:59.999Z',
          '2023-12-31T23:00:00.000Z',
          '2024-12-31T22:59:59.999999Z',
          '2024-12-31T23:00:00.000Z',
          null,
        ],
        ['2024', '2024-01', '2024-12-31', '>=2024', '<2024', '!=2024'],
      ],
      [columnOf(['String']), [['a', 'b'], [], ['c', null], null], ['a', 'c']],
    ];
    for (const [column, values, texts] of samples) {
      for (const text of texts) {
        const holds = (value: unknown, isNegated: boolean) =>
          evaluateCondition({ field: value }, conditionIn(column, text, isNegated), () => column, now);
        const found = values.filter((value) => holds(value, false));
        expect(found.length, `${JSON.stringify(column.type)} ${text}`).toBeGreaterThan(0);
        expect(values.filter((value) => !holds(value, true))).toEqual(found);
      }
    }
  });

  it('means the whole day in the zone of the caller where it is a day, whatever hour the day begins at', () => {
    const inZone = (zone: string, text: string) =>
      inShort(conditionIn(columnOf('Date'), text, false, now.setZone(zone)));
    expect(inZone('America/New_York', '2024-03-10')).toBe(
      'After "2024-03-10T04:59:59.999999Z" And Before "2024-03-11T04:00:00.000Z"',
    );
    expect(inZone('Asia/Tokyo', '2024-03-10')).toBe(
      'After "2024-03-09T14:59:59.999999Z" And Before "2024-03-10T15:00:00.000Z"',
    );
    // There was no midnight on this one.
    expect(inZone('America/Sao_Paulo', '2018-11-04')).toBe(
      'After "2018-11-04T02:59:59.999999Z" And Before "2018-11-05T02:00:00.000Z"',
    );
  });
});
