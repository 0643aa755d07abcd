import type { PostgresPool, PostgresSession } from '#kernel/ports/postgres-pool';
import type { SqlRow } from '#kernel/ports/sql-row';
import { emptySchemaWarnings } from '../sql/read-catalogue.ts';
import type { SqlCatalogue } from '../sql/sql-engine.ts';
import { collectionNames } from '../tables/collections-from-tables.ts';
import {
  type ColumnDescription,
  deletionRuleOf,
  deniedByRights,
  type ForeignKeyDescription,
  keyWarnings,
  type TableDescription,
  unreadableWarning,
} from '../tables/table-description.ts';
import {
  columnsQuery,
  foreignKeysQuery,
  readOnlyQuery,
  tablesQuery,
  uniqueKeysQuery,
} from './postgres-catalogue-queries.ts';
import { describePostgresColumn } from './postgres-columns.ts';

/** Describe every table, view, materialised view and foreign table of some schemas, in eight round trips. */
export async function introspectPostgres(pool: PostgresPool, schemas: readonly string[]): Promise<SqlCatalogue> {
  return pool.transaction((transaction) => readCatalogue(transaction, schemas), { isReadOnly: true });
}

/** Names of types and columns come with their schemas, and in quotes only where they need them, whatever the database is set to. */
export const plainNames = `select pg_catalog.set_config('search_path', '', true),
  pg_catalog.set_config('quote_all_identifiers', 'off', true)`;

async function readCatalogue(transaction: PostgresSession, schemas: readonly string[]): Promise<SqlCatalogue> {
  await transaction.all(plainNames);
  const tableRows = await transaction.all(tablesQuery, [schemas]);
  const names = new Map(
    [...collectionNames(tableRows.filter(isReadable), schemas)].map(([row, name]) => [String(row['id']), name]),
  );
  const columnRows = await transaction.all(columnsQuery, [schemas]);
  const columns = groupByTable(columnRows.filter(isReadable));
  const unreadable = groupByTable(columnRows.filter((row) => !isReadable(row) && names.has(String(row['tableId']))));
  const isKnown = (tableId: SqlRow[string] | undefined, names: SqlRow[string] | undefined) =>
    !unreadable.get(String(tableId))?.some((row) => namesIn(names).includes(String(row['name'])));
  const uniqueKeyRows = await transaction.all(uniqueKeysQuery, [schemas]);
  const uniqueKeys = groupByTable(uniqueKeyRows.filter((key) => isKnown(key['tableId'], key['columns'])));
  const foreignKeyRows = await transaction.all(foreignKeysQuery, [schemas]);
  const foreignKeys = groupByTable(
    foreignKeyRows.filter(
      (key) => isKnown(key['tableId'], key['columns']) && isKnown(key['foreignTableId'], key['foreignColumns']),
    ),
  );
  const shut = tableRows.filter((row) => !isReadable(row)).map(placeOf);
  const shutColumns: string[] = [];
  const tables = tableRows.flatMap((row): TableDescription[] => {
    const id = String(row['id']);
    const name = names.get(id);
    if (name === undefined) return [];
    const described = (columns.get(id) ?? []).map(describePostgresColumn);
    const keys = uniqueKeys.get(id) ?? [];
    const primary = keys.filter((key) => key['isPrimary'] === 't').flatMap((key) => namesIn(key['columns']));
    shutColumns.push(...(unreadable.get(id) ?? []).map((column) => `${placeOf(row)}."${column['name']}"`));
    return [
      {
        name,
        table: { schema: String(row['schema']), name: String(row['name']) },
        ...(typeof row['comment'] === 'string' ? { comment: row['comment'] } : {}),
        // Foreign tables are another server's: read-only, like views, and addressed like them.
        isView: row['kind'] !== 'r' && row['kind'] !== 'p',
        columns: described,
        ...deniedByRights({
          add: row['mayAdd'] === 't',
          edit: row['mayEdit'] === 't',
          delete: row['mayDelete'] === 't',
        }),
        ...(row['hasChildTables'] === 't' ? { hasChildTables: true, hasLooseKey: true, hasWriteTriggers: true } : {}),
        ...(row['hasDeleteTriggers'] === 't' ? { hasDeleteTriggers: true } : {}),
        ...(row['hasInsertTriggers'] === 't' ? { hasInsertTriggers: true } : {}),
        ...(row['hasRowAddress'] === 't' ? { rowAddress } : {}),
        primaryKey: described.map((column) => column.name).filter((column) => primary.includes(column)),
        foreignKeys: describeForeignKeys(foreignKeys.get(id) ?? [], names),
        uniqueKeys: keys.filter((key) => key['isPrimary'] !== 't').map((key) => namesIn(key['columns'])),
      },
    ];
  });
  const [{ reason } = {}] = await transaction.all(readOnlyQuery);
  const served = tableRows.filter((row) => names.has(String(row['id'])));
  return {
    tables,
    warnings: [
      ...emptySchemaWarnings(schemas, tableRows, emptySchema),
      ...(reason ? [`The database only reads at the moment, and refuses every write: ${reason}.`] : []),
      ...unreadableWarning('table', shut),
      ...unreadableWarning('column', shutColumns),
      ...foreignKeyWarnings(served, foreignKeys, names),
      ...opaqueTypeWarnings(tables),
      ...keyWarnings(tables),
    ],
  };
}

function emptySchema(schema: string): string {
  return `The schema "${schema}" has no table, or does not exist. Name the right ones behind the address: ?schema=<name>,<name>`;
}

/** The address of a row in its table. It changes when the row does. */
const rowAddress: ColumnDescription = {
  name: 'ctid',
  nativeType: 'tid',
  type: 'String',
  isExact: false,
  isNullable: false,
  isGenerated: true,
  isAutoIncrement: false,
  hasDefault: true,
  isOpaque: true,
};

function isReadable(row: SqlRow): boolean {
  return row['isReadable'] === 't';
}

function describeForeignKeys(rows: readonly SqlRow[], names: ReadonlyMap<string, string>): ForeignKeyDescription[] {
  return rows
    .filter((row) => row['isTemporal'] !== 't')
    .flatMap((row) => {
      const foreignTable = names.get(String(row['foreignTableId']));
      if (foreignTable === undefined) return [];
      const foreignColumns = namesIn(row['foreignColumns']);
      return [
        { columns: namesIn(row['columns']), foreignTable, foreignColumns, onDelete: deletionRuleOf(row['onDelete']) },
      ];
    });
}

function groupByTable(rows: readonly SqlRow[]): ReadonlyMap<string, readonly SqlRow[]> {
  return Map.groupBy(rows, (row) => String(row['tableId']));
}

function namesIn(json: SqlRow[string] | undefined): string[] {
  return typeof json === 'string' ? JSON.parse(json) : [];
}

/** One sentence for each type that is kept, but only shown. */
function opaqueTypeWarnings(tables: readonly TableDescription[]): string[] {
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

/**
 * A sentence for each foreign key that is not a relation, but one in all for those that lead into one schema which is not
 * served.
 *
 * @param foreignKeys rows of `foreignKeysQuery`, by the id of their table.
 * @param names those of the collections, by the id of their table.
 */
function foreignKeyWarnings(
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
    ...temporal.map(({ nameOfKey }) => `The foreign key ${nameOfKey} is not a relation: it compares periods.`),
    ...[...bySchema].map(([schema, [first, ...others]]) => {
      const target = placeOf({ schema, name: first?.key['foreignName'] ?? null });
      return others.length === 0
        ? `The foreign key ${first?.nameOfKey} is not a relation: ${target} is not included.`
        : `${others.length + 1} foreign keys are not relations, such as ${first?.nameOfKey}: they lead to tables of the schema "${schema}" that are not included.`;
    }),
  ];
}

/** A table as SQL names it. */
function placeOf(row: SqlRow): string {
  return `"${row['schema']}"."${row['name']}"`;
}
