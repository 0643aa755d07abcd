import { describe, expect, it } from 'vitest';
import type { ColumnSchema, ColumnType } from '#runtime/query/collection-schema';
import { readValueOf, TextUnread } from '#runtime/query/portable-value';

const column = (type: ColumnType, isNullable = false): ColumnSchema => ({
  kind: 'column',
  name: 'c',
  type,
  nativeType: '',
  isPrimaryKey: false,
  isNullable,
  isReadOnly: false,
  isSortable: true,
  isGroupable: true,
  isExact: false,
  operators: new Set(),
  hasDefault: false,
});

describe('a value of a CSV file', () => {
  it.each<[ColumnType, string, unknown]>([
    ['Number', '12.5', 12.5],
    ['Number', 'x', 'x'],
    ['Boolean', 'TRUE', true],
    ['Boolean', '0', false],
    ['Binary', 'aGk=', new Uint8Array([104, 105])],
    ['Json', '"a"', 'a'],
    [['Number'], '["1",2]', [1, 2]],
    ['String', '', ''],
    ['Number', '', undefined],
  ])('of the type %j: %j', (type, text, value) => {
    expect(readValueOf.csv(column(type), text)).toEqual(value);
  });

  it('is null where it is empty and the column accepts that', () => {
    expect(readValueOf.csv(column('String', true), '')).toBeNull();
  });

  it.each<[ColumnType, string]>([
    ['Boolean', 'yes'],
    ['Binary', 'a-b'],
    ['Json', '{'],
    [['String'], 'a,b'],
  ])('is refused where the column would take another one for it: %j %j', (type, text) => {
    expect(() => readValueOf.csv(column(type), text)).toThrow(TextUnread);
  });
});
