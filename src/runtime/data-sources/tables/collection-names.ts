import type { SqlRow } from '#kernel/ports/sql-row';

/**
 * The collections of tables, rows with `schema` and `name`: a table of the first schema is named by its name alone, one of
 * a further schema `schema.table`, whether or not names collide, so that adding a table renames no other.
 */
export function collectionNames(tables: readonly SqlRow[], schemas: readonly string[]): ReadonlyMap<SqlRow, string> {
  const taken = new Set<string>();
  const names = new Map<SqlRow, string>();
  const placeOf = (row: SqlRow) => schemas.indexOf(String(row['schema']));
  for (const row of tables.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const wanted = row['schema'] === schemas[0] ? String(row['name']) : `${row['schema']}.${row['name']}`;
    let name = wanted;
    // A table may be called like another one with its schema.
    for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
    taken.add(name);
    names.set(row, name);
  }
  return names;
}
