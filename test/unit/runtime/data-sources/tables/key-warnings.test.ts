import { expect, it } from 'vitest';
import { keyWarnings } from '#runtime/data-sources/tables/table-description';

it('says where the records of tables without any key are shown', () => {
  const line = { name: 'line', nativeType: 'text', type: 'String', isExact: false, isNullable: true } as const;
  const column = { ...line, isGenerated: false, isAutoIncrement: false, hasDefault: false };
  const table = { name: 'log', isView: false, columns: [column], primaryKey: [], uniqueKeys: [], foreignKeys: [] };
  expect(keyWarnings([table, { ...table, name: 'people', primaryKey: ['line'] }])).toEqual([
    'The records of tables without any key have no id: log. Exports, charts and MCP show them, and lists over REST do not.',
  ]);
});
