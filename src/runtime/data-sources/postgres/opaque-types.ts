import type { TableDescription } from '../tables/table-description.ts';

/** One sentence for each type that is kept, but only shown. */
export function opaqueTypeWarnings(tables: readonly TableDescription[]): string[] {
  const columns = tables.flatMap((table) =>
    table.columns
      .filter((column) => column.isOpaque)
      .map((column) => ({ type: column.nativeType, place: `${table.name}.${column.name}` })),
  );
  return [...Map.groupBy(columns, (column) => column.type)].map(([type, found]) => {
    const others = found.length > 1 ? ` and ${found.length - 1} more` : '';
    return `Columns of the type "${type}" are shown, but not written or filtered: ${found[0]?.place}${others}.`;
  });
}
