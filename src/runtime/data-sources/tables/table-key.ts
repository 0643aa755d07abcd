import type { ColumnDescription, TableDescription } from './table-description.ts';

/** The columns that address records. */
export interface TableKey {
  /** In table order; empty when nothing tells the records apart. */
  readonly columns: readonly string[];
  /** The database keeps two records from having the same key. Otherwise records are only read. */
  readonly isDeclared: boolean;
  /** The address of a row, where it is the key: a column that the database has for every table. */
  readonly rowAddress?: ColumnDescription | undefined;
}

/**
 * The declared key; else the smallest unique set of columns that are never null, which identifies a record as well.
 *
 * Other tables are read-only. They are addressed by the smallest unique set of columns, then by the column `id`, then by
 * the address of the row. A view declares nothing: its column `id`, else its first column, stands in.
 */
export function keyOfTable(table: TableDescription): TableKey {
  const { columns, isView, rowAddress } = table;
  if (table.primaryKey.length > 0) return { columns: table.primaryKey, isDeclared: true };
  const id = columns.find((column) => column.name.toLowerCase() === 'id');
  if (isView) {
    const key = id ?? columns[0];
    return { columns: key ? [key.name] : [], isDeclared: false };
  }
  const isNeverNull = (name: string) => columns.some((column) => column.name === name && !column.isNullable);
  const neverNull = smallest(
    table,
    table.uniqueKeys.filter((names) => names.every(isNeverNull)),
  );
  if (neverNull) return { columns: neverNull, isDeclared: true };
  const standIn = smallest(table, table.uniqueKeys) ?? (id ? [id.name] : undefined);
  if (standIn) return { columns: standIn, isDeclared: false };
  return { columns: rowAddress ? [rowAddress.name] : [], isDeclared: false, rowAddress };
}

/** One sentence about the tables whose records have no address at all. */
export function keyWarnings(tables: readonly TableDescription[]): string[] {
  const without = tables.filter((table) => keyOfTable(table).columns.length === 0).map(({ name }) => name);
  if (without.length === 0) return [];
  const names = without.slice(0, namesShown).join(', ');
  const more = without.length > namesShown ? ` and ${without.length - namesShown} more` : '';
  return [`Tables without any key can only be listed: ${names}${more}.`];
}

const namesShown = 5;

/** The first of the smallest sets, its columns in table order. */
function smallest(table: TableDescription, keys: readonly (readonly string[])[]): readonly string[] | undefined {
  const [key] = keys.toSorted((a, b) => a.length - b.length);
  return key && table.columns.map((column) => column.name).filter((name) => key.includes(name));
}
