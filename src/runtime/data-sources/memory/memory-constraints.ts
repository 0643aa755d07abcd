import { constraintViolated } from '#node/database/database-errors';
import type { RecordData } from '../../query/record-query.ts';
import { keyReader, type MemoryTable } from './memory-table.ts';

/** The rules of one table, on the records it is about to have. Throws `DATABASE_CONSTRAINT_VIOLATED`. */
export function checkTable(table: MemoryTable, records: readonly RecordData[]): void {
  const { definition, schema } = table;
  for (const column of definition.columns) {
    const isRequired = column.isNullable === false || definition.primaryKey.includes(column.name);
    const isMissing = isRequired && records.some((record) => record[column.name] === null);
    if (isMissing) throw constraintViolated({ rule: 'a not-null rule: it must have a value', fields: [column.name] });
    const { enumValues } = column;
    const isAllowed = (value: unknown) => value === null || enumValues?.includes(String(value));
    if (enumValues && !records.every((record) => isAllowed(record[column.name]))) {
      throw constraintViolated({ rule: 'a check rule of the table', fields: [column.name] });
    }
  }
  for (const columns of [definition.primaryKey, ...(definition.uniqueKeys ?? [])]) {
    if (columns.length === 0) continue;
    const keyOf = keyReader(schema, columns);
    const seen = new Set<string>();
    for (const record of records) {
      const key = keyOf(record);
      if (key !== undefined && seen.has(key)) {
        const rule = columns === definition.primaryKey ? 'the primary key' : 'a unique rule';
        throw constraintViolated({ rule: `${rule}: another record has it already`, fields: columns });
      }
      if (key !== undefined) seen.add(key);
    }
  }
}

/** Every foreign key that begins or ends in a table, with `records` in place of those it has now. */
export function checkReferences(
  tables: ReadonlyMap<string, MemoryTable>,
  changed: MemoryTable,
  records: readonly RecordData[],
): void {
  const recordsOf = (table: MemoryTable) => (table === changed ? records : table.records);
  for (const table of tables.values()) {
    for (const { columns, foreignTable, foreignColumns } of table.definition.foreignKeys ?? []) {
      const target = tables.get(foreignTable);
      if (!target || (table !== changed && target !== changed)) continue;
      const targetKey = keyReader(target.schema, foreignColumns);
      const existing = new Set(recordsOf(target).map(targetKey));
      const ownKey = keyReader(table.schema, columns);
      const isDangling = recordsOf(table).some((record) => {
        const key = ownKey(record);
        return key !== undefined && !existing.has(key);
      });
      const fields = table === changed ? columns : foreignColumns;
      const rule = 'a foreign key: the record it refers to does not exist, or others refer to this one';
      if (isDangling) throw constraintViolated({ rule, fields });
    }
  }
}
