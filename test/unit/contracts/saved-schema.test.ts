import { expect, it } from 'vitest';
import { type SavedTable, savedSchemaSchema } from '#contracts/saved-schema';
import type { ColumnDescription, TableDescription } from '#runtime/data-sources/tables/table-description';

type Same<A, B> = [A, B] extends [B, A] ? true : never;

it('a saved schema: it has a place for everything that is read of a table', () => {
  const tables: Same<keyof SavedTable, keyof TableDescription> = true;
  const columns: Same<keyof SavedTable['columns'][number], keyof ColumnDescription> = true;
  expect([tables, columns]).toEqual([true, true]);
  const table: Required<Omit<TableDescription, 'rowAddress' | 'table'>> = {
    name: 't',
    comment: 'a table',
    isView: false,
    columns: [],
    isWriteDenied: true,
    deniedWrites: ['delete'],
    hidesCreated: true,
    hasChildTables: true,
    hasLooseKey: true,
    hasWriteTriggers: true,
    hasDeleteTriggers: true,
    hasInsertTriggers: true,
    hasNoTransactions: true,
    primaryKey: [],
    foreignKeys: [],
    uniqueKeys: [],
  };
  const saved = { formatVersion: 1, dataSources: { main: { dialect: 'sqlite', tables: [table] } } };
  expect(savedSchemaSchema.parse(saved)).toEqual(saved);
});
