import { expect, it } from 'vitest';
import { memoryOperatorsOf, tableOfMemory } from '#runtime/data-sources/memory/memory-schema';
import { collectionsFromTables } from '#runtime/data-sources/tables/collections-from-tables';
import { withKeptColumns } from '#runtime/data-sources/tables/timestamp-and-soft-delete-settings';

const columns = [
  { name: 'id', type: 'Number' },
  { name: 'deleted_at', type: 'Date' },
] as const;
const schema = { columns, primaryKey: ['id'] };
const tables = ['orders', 'customers'].map((name) => tableOfMemory({ name, schema, records: [] }));

it('a table without settings has the very same schema', () => {
  const collections = collectionsFromTables(tables, memoryOperatorsOf);
  const kept = withKeptColumns(collections, { softDelete: { orders: 'deleted_at', customers: false } });
  expect(kept[1]).toBe(collections[1]);
  expect(kept[0]).toMatchObject({ name: 'orders', softDelete: { column: 'deleted_at' } });
});
