import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import type { ColumnSchema } from '#runtime/query/collection-schema';
import type { ColumnType } from '#runtime/query/column-type';
import { operatorNames } from '#runtime/query/operators';
import { parseConditionTree } from '#runtime/query/parse-condition-tree';

function column(name: string, type: ColumnType, more: Partial<ColumnSchema> = {}): ColumnSchema {
  return {
    kind: 'column',
    name,
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
    ...more,
  };
}

const columns = new Map(
  [
    column('id', 'Number'),
    column('total', 'Number', { isExact: true }),
    column('name', 'String'),
    column('active', 'Boolean'),
    column('at', 'Date'),
    column('day', 'Dateonly'),
    column('status', 'Enum', { enumValues: ['open', 'paid'] }),
    column('token', 'Uuid'),
    column('photo', 'Binary'),
    column('computed', 'String', { operators: new Set() }),
  ].map((one) => [one.name, one]),
);

function parse(wire: unknown) {
  return parseConditionTree(wire, (path) => {
    const found = columns.get(path.replace(/^customer:/, ''));
    if (found) return found;
    throw cloudError('REQUEST_FIELD_UNKNOWN', `no "${path}"`, 'x');
  });
}

const leaf = (field: string, operator: string, value?: unknown) => parse({ field, operator, value });

describe('parseConditionTree', () => {
  it('reads JSON text, wire spellings and paths through relations', () => {
    const text = JSON.stringify({
      aggregator: 'and',
      conditions: [
        { field: 'status', operator: 'in', value: ['open'] },
        { field: 'customer:name', operator: 'i_contains', value: 'é' },
      ],
    });
    expect(parse(text)).toEqual({
      aggregator: 'And',
      conditions: [
        { field: 'status', operator: 'In', value: ['open'] },
        { field: 'customer:name', operator: 'IContains', value: 'é' },
      ],
    });
  });

  it('takes an absent or empty filter for none', () => {
    expect(parse(undefined)).toBeUndefined();
    expect(parse('')).toBeUndefined();
  });

  it('collapses a branch of one and keeps an empty one', () => {
    expect(parse({ aggregator: 'Or', conditions: [{ field: 'id', operator: 'equal', value: 1 }] })).toEqual({
      field: 'id',
      operator: 'Equal',
      value: 1,
    });
    expect(parse({ aggregator: 'or', conditions: [] })).toEqual({ aggregator: 'Or', conditions: [] });
  });

  it.each([
    ['id', 'in', '1, 3', [1, 3]],
    ['photo', 'in', '00, ff', ['00', 'ff']],
    ['photo', 'in', 'data:,a,b', ['data:,a,b']],
    ['id', 'in', '1, x', [1]],
    ['id', 'equal', '1', 1],
    ['id', 'equal', '9007199254740993', '9007199254740993'],
    ['total', 'equal', '12.50', '12.50'],
    ['total', 'in', ['12.50', 3], ['12.50', 3]],
    ['name', 'equal', 12, '12'],
    ['name', 'longer_than', '3', 3],
    ['active', 'equal', 'yes', true],
    ['active', 'equal', '0', false],
    ['at', 'previous_x_days', '7', 7],
    ['id', 'in', [1, null], [1, null]],
    ['id', 'equal', null, null],
  ])('coerces the value of %s %s %j to %j', (field, operator, value, expected) => {
    expect(leaf(field, operator, value)).toMatchObject({ value: expected });
  });

  it.each([
    ['malformed JSON', '{'],
    ['JSON null', 'null'],
    ['a list', []],
    ['an unknown operator', { field: 'id', operator: 'eq', value: 1 }],
    ['an unknown field', { field: 'nope', operator: 'equal', value: 1 }],
    ['not_equal null', { field: 'name', operator: 'not_equal', value: null }],
    ['contains null', { field: 'name', operator: 'contains', value: null }],
    ['a value where none is taken', { field: 'at', operator: 'today', value: 1 }],
    ['a bare date on an instant', { field: 'at', operator: 'before', value: '2024-04-01' }],
    ['a timestamp on a date', { field: 'day', operator: 'before', value: '2024-04-01T00:00:00Z' }],
    ['a date that does not exist', { field: 'day', operator: 'equal', value: '2024-02-30' }],
    ['a text on a number', { field: 'id', operator: 'equal', value: 'abc' }],
    ['an empty text on a number', { field: 'id', operator: 'equal', value: '' }],
    ['order on a text', { field: 'name', operator: 'less_than', value: 'a' }],
    ['a regular expression', { field: 'name', operator: 'match', value: 'a' }],
    ['a day in a list of instants', { field: 'at', operator: 'in', value: ['2024-04-01'] }],
    ['a foreign enum value', { field: 'status', operator: 'in', value: ['open', 'gone'] }],
    ['a malformed UUID', { field: 'token', operator: 'equal', value: 'x' }],
    ['a field that cannot be filtered', { field: 'computed', operator: 'equal', value: 'x' }],
    ['an object as a text', { field: 'name', operator: 'equal', value: { $ne: 1 } }],
    ['an unknown aggregator', { aggregator: 'xor', conditions: [] }],
    ['conditions that are not a list', { aggregator: 'and', conditions: {} }],
  ])('refuses %s', (_what, wire) => {
    expect(() => parse(wire)).toThrow(/^Invalid filters \(/);
    expect(() => parse(wire)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });

  it('refuses conditions nested or repeated beyond reason', () => {
    let deep: unknown = { field: 'id', operator: 'equal', value: 1 };
    for (let level = 0; level < 40; level++) deep = { aggregator: 'and', conditions: [deep, deep] };
    expect(() => parse(deep)).toThrow(/levels deep|more than 500/);
    const many = Array.from({ length: 501 }, () => ({ field: 'id', operator: 'equal', value: 1 }));
    expect(() => parse({ aggregator: 'or', conditions: many })).toThrow('more than 500');
  });

  it('suggests the operator that was meant', () => {
    expect(() => leaf('name', 'contain', 'x')).toThrow('the nearest one is "contains"');
  });
});
