import { describe, expect, it } from 'vitest';
import { catalogueChanges } from '../../../../../src/runtime/data-sources/sql/catalogue-changes.ts';
import type {
  ColumnDescription,
  TableDescription,
} from '../../../../../src/runtime/data-sources/tables/table-description.ts';

const column = (name: string, changes: Partial<ColumnDescription> = {}): ColumnDescription => ({
  name,
  nativeType: 'int',
  type: 'Number',
  isExact: false,
  isNullable: true,
  isGenerated: false,
  isAutoIncrement: false,
  hasDefault: false,
  ...changes,
});
const table = (columns: readonly ColumnDescription[], changes: Partial<TableDescription> = {}): TableDescription => ({
  name: 'orders',
  isView: false,
  columns,
  primaryKey: ['id'],
  foreignKeys: [],
  uniqueKeys: [],
  ...changes,
});
const known = [table([column('id'), column('code')])];
const changesTo = (columns: readonly ColumnDescription[], changes?: Partial<TableDescription>) =>
  catalogueChanges(known, [table(columns, changes)]);

describe('catalogueChanges', () => {
  it.each<[string, ReturnType<typeof catalogueChanges>, string, boolean]>([
    ['a table that is gone', catalogueChanges(known, []), 'The table "orders" is no longer there.', false],
    ['a column that is gone', changesTo([column('id')]), 'The column "code" of "orders" is no longer there.', false],
    [
      'a wider column',
      changesTo([column('id'), column('code', { nativeType: 'bigint', isExact: true })]),
      'The column "code" of "orders" has changed from int to bigint.',
      false,
    ],
    [
      'a column of another kind',
      changesTo([column('id'), column('code', { nativeType: 'varchar(20)', type: 'String' })]),
      'The column "code" of "orders" has changed from int to varchar(20).',
      true,
    ],
    [
      'a column that must have a value',
      changesTo([column('id'), column('code', { isNullable: false })]),
      'The column "code" of "orders" is defined in another way.',
      false,
    ],
    [
      'another primary key',
      changesTo([column('id'), column('code')], { primaryKey: ['id', 'code'] }),
      'The primary key of "orders" has changed from id to id, code.',
      true,
    ],
  ])('tells of %s', (_what, { sentences, unwritable }, sentence, isUnwritable) => {
    expect(sentences).toEqual([sentence]);
    expect([...unwritable]).toEqual(isUnwritable ? [['orders', sentence]] : []);
  });

  it.each([
    ['a new column', [column('id'), column('code'), column('more')]],
    ['another comment', [column('id'), column('code', { comment: 'Of the supplier' })]],
  ])('is silent about %s', (_what, columns) => {
    expect(changesTo(columns).sentences).toEqual([]);
  });

  it('takes an enum for a text', () => {
    const states = [table([column('state', { type: 'Enum', nativeType: "enum('a')" })])];
    const now = [table([column('state', { type: 'String', nativeType: 'varchar(9)' })])];
    expect(catalogueChanges(states, now).unwritable.size).toBe(0);
  });
});
