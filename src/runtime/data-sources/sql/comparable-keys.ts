import type { ColumnType } from '../../query/column-type.ts';
import type { ColumnDescription, ForeignKeyDescription, TableDescription } from '../tables/table-description.ts';
import type { SqlCatalogue } from './sql-engine.ts';

/** Types whose values are all kept as text, so that a column of one can equal a column of another. */
const textTypes: ReadonlySet<ColumnType> = new Set<ColumnType>(['Enum', 'String', 'Uuid']);

/**
 * The catalogue without the foreign keys whose two sides are of types that do not compare, which a database may allow: they
 * make no relation, and a warning says so.
 */
export function withComparableKeys(catalogue: SqlCatalogue): SqlCatalogue {
  const warnings: string[] = [];
  const byName = new Map(catalogue.tables.map((table) => [table.name, table]));
  const tables = catalogue.tables.map((table) => {
    const foreignKeys = table.foreignKeys.filter((key) => {
      const isKept = isComparable(table, key, byName.get(key.foreignTable));
      if (!isKept) warnings.push(warningOf(table, key));
      return isKept;
    });
    return foreignKeys.length === table.foreignKeys.length ? table : { ...table, foreignKeys };
  });
  return { tables, warnings: [...warnings, ...catalogue.warnings] };
}

function isComparable(
  table: TableDescription,
  key: ForeignKeyDescription,
  foreignTable: TableDescription | undefined,
): boolean {
  return key.columns.every((name, index) => {
    const column = columnNamed(table, name);
    const foreign = foreignTable && columnNamed(foreignTable, key.foreignColumns[index] ?? '');
    return column !== undefined && foreign !== undefined && areComparable(column, foreign);
  });
}

function areComparable(a: ColumnDescription, b: ColumnDescription): boolean {
  // SQLite has columns without a type, which hold any value.
  if (a.nativeType === '' || b.nativeType === '') return true;
  const areTexts = textTypes.has(a.type) && textTypes.has(b.type);
  return areTexts || JSON.stringify(a.type) === JSON.stringify(b.type);
}

function columnNamed(table: TableDescription, name: string): ColumnDescription | undefined {
  return table.columns.find((column) => column.name === name);
}

function warningOf(table: TableDescription, { columns, foreignTable }: ForeignKeyDescription): string {
  const names = columns.map((name) => `"${name}"`).join(', ');
  return `The foreign key ${names} of "${table.name}" is not a relation: its type differs from that in "${foreignTable}".`;
}
