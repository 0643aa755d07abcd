import { readCheck } from '../checks/row-check.ts';
import type { TableCheck } from '../checks/table-check.ts';
import type { TableRules } from '../interface/data-source.ts';
import type { TableDescription } from '../tables/table-description.ts';

/** What tables refuse, by the names of their collections. */
export function rulesOf(
  tables: readonly TableDescription[],
  checks: readonly TableCheck[],
): ReadonlyMap<string, TableRules> {
  return new Map(
    tables.map((table) => {
      const { uniqueKeys, primaryKey } = table;
      return [
        table.name,
        {
          uniqueKeys: primaryKey.length > 0 ? [primaryKey, ...uniqueKeys] : uniqueKeys,
          checks: checks.filter((check) => isOf(check, table)).map(readCheck),
        },
      ];
    }),
  );
}

function isOf(check: TableCheck, { name, table }: TableDescription): boolean {
  if (check.table !== (table?.name ?? name)) return false;
  return check.schema === null || table?.schema === undefined || check.schema === table.schema;
}
