import type { SqlRow } from '#kernel/ports/sql-row';

/**
 * A sentence for each foreign key that is no relation, but one in all for those that lead into one schema which is not
 * served.
 *
 * @param foreignKeys rows of `foreignKeysQuery`, by the id of their table.
 * @param names those of the collections, by the id of their table.
 */
export function foreignKeyWarnings(
  tables: readonly SqlRow[],
  foreignKeys: ReadonlyMap<string, readonly SqlRow[]>,
  names: ReadonlyMap<string, string>,
): string[] {
  const keys = tables.flatMap((table) =>
    (foreignKeys.get(String(table['id'])) ?? []).map((key) => ({
      key,
      nameOfKey: `"${key['name']}" of ${placeOf(table)}`,
    })),
  );
  const temporal = keys.filter(({ key }) => key['isTemporal'] === 't');
  const excluded = keys.filter(({ key }) => !names.has(String(key['foreignTableId'])) && key['isTemporal'] !== 't');
  const bySchema = Map.groupBy(excluded, ({ key }) => String(key['foreignSchema']));
  return [
    ...temporal.map(({ nameOfKey }) => `The foreign key ${nameOfKey} is no relation: it compares periods.`),
    ...[...bySchema].map(([schema, [first, ...others]]) => {
      const target = placeOf({ schema, name: first?.key['foreignName'] ?? null });
      return others.length === 0
        ? `The foreign key ${first?.nameOfKey} is no relation: ${target} is not included.`
        : `${others.length + 1} foreign keys are no relations, such as ${first?.nameOfKey}: they lead to tables of the schema "${schema}" that are not included.`;
    }),
  ];
}

/** A table as SQL names it. */
export function placeOf(row: SqlRow): string {
  return `"${row['schema']}"."${row['name']}"`;
}
