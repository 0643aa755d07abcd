import type { SqlCatalogue } from './sql-engine.ts';

/** In a path, a colon stands between a relation and a field behind it. */
const pathSign = ':';

/**
 * The catalogue without the columns that no path can name, and without the keys that need them; a warning tells of each.
 * A table that loses its primary key by that can only be read.
 */
export function withAddressableColumns(catalogue: SqlCatalogue): SqlCatalogue {
  const warnings = catalogue.tables.flatMap((table) =>
    table.columns
      .filter(({ name }) => !isAddressable(name))
      .map(({ name }) => `The column "${name}" of "${table.name}" is left out: no path can name it, for its colon.`),
  );
  if (warnings.length === 0) return catalogue;
  const tables = catalogue.tables.map((table) => ({
    ...table,
    columns: table.columns.filter(({ name }) => isAddressable(name)),
    primaryKey: table.primaryKey.every(isAddressable) ? table.primaryKey : [],
    foreignKeys: table.foreignKeys.filter((key) => [...key.columns, ...key.foreignColumns].every(isAddressable)),
    uniqueKeys: table.uniqueKeys.filter((key) => key.every(isAddressable)),
  }));
  return { tables, warnings: [...warnings, ...catalogue.warnings] };
}

function isAddressable(name: string): boolean {
  return !name.includes(pathSign);
}
