import { createHash } from 'node:crypto';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlRow } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { SqlCatalogue } from '../sql/sql-engine.ts';
import {
  type ColumnDescription,
  deletionRuleOf,
  type ForeignKeyDescription,
  keyWarnings,
  type TableDescription,
} from '../tables/table-description.ts';
import { describeColumns, makesNumbers, sampledInstants } from './sqlite-columns.ts';

const tables = `
  select s.name, s.type, s.sql, l.type as kind, l.strict
  from sqlite_schema s join pragma_table_list l on l.name = s.name and l.schema = 'main'
  where l.type in ('table', 'view', 'virtual') and s.type in ('table', 'view') and s.name not like 'sqlite\\_%' escape '\\'
  order by s.rowid`;

const columns = `
  select s.name as "table", x.cid, x.name, x.type, x."notnull", x.dflt_value, x.pk, x.hidden
  from sqlite_schema s join pragma_table_xinfo(s.name) x
  where s.type = ? and s.name = coalesce(?, s.name) and x.hidden <> 1
  order by s.rowid, x.cid`;

const foreignKeys = `
  select s.name as "table", f.id, f.seq, f."table" as target, f."from", f."to", f.on_delete as "onDelete"
  from sqlite_schema s join pragma_foreign_key_list(s.name) f
  where s.type = 'table'
  order by s.rowid, f.id desc, f.seq`;

const uniqueKeys = `
  select s.name as "table", i.name as "index", c.name as "column"
  from sqlite_schema s join pragma_index_list(s.name) i join pragma_index_info(i.name) c
  where s.type = 'table' and i."unique" = 1 and i.partial = 0 and i.origin <> 'pk'
  order by s.rowid, i.seq desc, c.seqno`;

const triggers = `select tbl_name as "table", sql from sqlite_schema where type = 'trigger'`;

/** Describe every table and view of a SQLite database in six statements and one for each column of instants, in the order they were created. */
export function introspectSqlite(connection: SqliteConnection): SqlCatalogue {
  const found = connection.all(tables);
  const named = found.filter((row) => row['kind'] !== 'virtual');
  const views = readViewColumns(connection, named);
  const columnsOf = groupBy([...connection.all(columns, ['table', null]), ...views.rows], 'table');
  const foreignKeysOf = groupBy(connection.all(foreignKeys), 'table');
  const uniqueKeysOf = groupBy(connection.all(uniqueKeys), 'table');
  const triggersOf = groupBy(connection.all(triggers), 'table');
  const loose: { readonly name: string; readonly column: ColumnDescription }[] = [];
  const described = named.map((row): TableDescription => {
    const name = String(row['name']);
    const isView = row['type'] === 'view';
    const rows = columnsOf.get(name) ?? [];
    const read = describeColumns(rows, String(row['sql']), isView);
    const columns = isView ? read : withInstantForms(connection, name, read);
    if (row['strict'] === 0 && !isView) loose.push(...columns.filter(makesNumbers).map((column) => ({ name, column })));
    return {
      name,
      isView,
      columns,
      ...(columns.some((column) => isKeyOf(rows, column) && hasSeveralForms(column)) ? { hasLooseKey: true } : {}),
      ...describeTriggers(triggersOf.get(name) ?? []),
      rowAddress: isView ? undefined : rowAddressBeside(columns),
      primaryKey: rows.filter((column) => column['pk'] !== 0).map((column) => String(column['name'])),
      foreignKeys: describeForeignKeys(foreignKeysOf.get(name) ?? []),
      uniqueKeys: describeUniqueKeys(uniqueKeysOf.get(name) ?? []),
    };
  });
  const warnings = [
    ...(found.length === 0 ? ['The database has no table yet.'] : []),
    ...found.filter((row) => row['kind'] === 'virtual').map((row) => `The virtual table "${row['name']}" is left out.`),
    ...looseWarning(loose),
    ...views.broken.map((name) => `The view "${name}" is left out: what it selects from does not exist.`),
  ];
  const keyOf = (table: string) => declaredKey(columnsOf.get(table) ?? []);
  const related = described
    .filter((table) => !views.broken.includes(table.name))
    .map((table) => ({ ...table, foreignKeys: resolveForeignKeys(table, described, keyOf, warnings) }));
  return { tables: related, warnings: [...warnings, ...keyWarnings(related)] };
}

const sampleSize = 100;

/** Applications keep instants as numbers of several kinds, and the declared type says nothing of it. */
function withInstantForms(
  connection: SqliteConnection,
  table: string,
  columns: readonly ColumnDescription[],
): readonly ColumnDescription[] {
  return columns.map((column) => {
    if (column.type !== 'Date') return column;
    const [name, from] = [column.name, table].map((each) => `"${each.replaceAll('"', '""')}"`);
    const sample = connection.all(`select ${name} as v from ${from} where ${name} is not null limit ${sampleSize}`);
    return { ...column, ...sampledInstants(sample.map(({ v }) => v)) };
  });
}

function looseWarning(loose: readonly { readonly name: string; readonly column: ColumnDescription }[]): string[] {
  if (loose.length === 0) return [];
  const places = loose.map(({ name, column }) => `${name}.${column.name} (${column.nativeType})`);
  return [
    `SQLite makes numbers of texts in these columns, so that 007 becomes 7: ${someOf(places)}. Declare them TEXT.`,
  ];
}

const placesShown = 5;

function someOf(places: readonly string[]): string {
  const more = places.length > placesShown ? ` and ${places.length - placesShown} more` : '';
  return `${places.slice(0, placesShown).join(', ')}${more}`;
}

function isKeyOf(rows: readonly SqlRow[], { name }: ColumnDescription): boolean {
  return rows.some((row) => row['name'] === name && row['pk'] !== 0);
}

/** SQLite keeps one value of these types in several forms, and takes them for different keys. */
function hasSeveralForms({ type, nativeType }: ColumnDescription): boolean {
  return nativeType === '' || type === 'Date' || type === 'Dateonly' || type === 'Boolean' || type === 'Uuid';
}

/** The beginning of the text that made a trigger, which is all that SQLite keeps: its name, when it runs, and at what. */
const triggerText =
  /^\s*create\s+trigger\s+(?:if\s+not\s+exists\s+)?(?:"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|'[^']*'|\S+)\s+(before\s+|after\s+|instead\s+of\s+)?(insert|update|delete)\b/i;

/** A trigger that does not say when it runs does so before. */
function describeTriggers(rows: readonly SqlRow[]) {
  const kinds = rows.map((row) => {
    const [, time = 'before', event = ''] = triggerText.exec(String(row['sql'])) ?? [];
    return `${time.trim()} ${event}`.toLowerCase();
  });
  const isOneOf = (...wanted: readonly string[]) => kinds.some((kind) => wanted.includes(kind));
  return {
    ...(isOneOf('after insert') ? { hasInsertTriggers: true } : {}),
    ...(isOneOf('before delete') ? { hasDeleteTriggers: true } : {}),
    ...(isOneOf('before update', 'before delete') ? { hasWriteTriggers: true } : {}),
  };
}

/** The number of a row, under the first of its names that is not a column. A table without such numbers has a key. */
function rowAddressBeside(columns: readonly ColumnDescription[]): ColumnDescription | undefined {
  const taken = new Set(columns.map((column) => column.name.toLowerCase()));
  const name = ['rowid', '_rowid_', 'oid'].find((candidate) => !taken.has(candidate));
  if (name === undefined) return undefined;
  return {
    name,
    nativeType: 'INTEGER',
    type: 'Number',
    isExact: false,
    isNullable: false,
    isGenerated: true,
    isAutoIncrement: false,
    hasDefault: true,
  };
}

/** A view may outlive the tables it selects from, and then fails whatever statement touches it. */
function readViewColumns(
  connection: SqliteConnection,
  named: readonly SqlRow[],
): { readonly rows: readonly SqlRow[]; readonly broken: readonly string[] } {
  try {
    return { rows: connection.all(columns, ['view', null]), broken: [] };
  } catch (error) {
    if (!isCloudError(error) || error.code !== 'DATABASE_QUERY_FAILED') throw error;
  }
  const rows: SqlRow[] = [];
  const broken: string[] = [];
  for (const row of named.filter((candidate) => candidate['type'] === 'view')) {
    const name = String(row['name']);
    try {
      rows.push(...connection.all(columns, ['view', name]));
    } catch (error) {
      if (!isCloudError(error) || error.code !== 'DATABASE_QUERY_FAILED') throw error;
      broken.push(name);
    }
  }
  return { rows, broken };
}

function describeForeignKeys(rows: readonly SqlRow[]): ForeignKeyDescription[] {
  return [...groupBy(rows, 'id').values()].map((parts) => ({
    columns: parts.map((part) => String(part['from'])),
    foreignTable: String(parts[0]?.['target']),
    // Without a target column the key refers to the primary key, which is filled in when all tables are known.
    foreignColumns: parts.flatMap((part) => (part['to'] === null ? [] : [String(part['to'])])),
    onDelete: deletionRuleOf(parts[0]?.['onDelete']),
  }));
}

function describeUniqueKeys(rows: readonly SqlRow[]): string[][] {
  return [...groupBy(rows, 'index').values()]
    .filter((parts) => parts.every((part) => part['column'] !== null))
    .map((parts) => parts.map((part) => String(part['column'])));
}

/** The columns of the primary key in the order in which a foreign key without targets means them, which need not be that of the table. */
function declaredKey(rows: readonly SqlRow[]): string[] {
  const inKey = rows.filter((column) => column['pk'] !== 0);
  return inKey.toSorted((a, b) => Number(a['pk']) - Number(b['pk'])).map((column) => String(column['name']));
}

/** SQLite compares names without case and lets a key refer to a table that does not exist. */
function resolveForeignKeys(
  { name: owner, foreignKeys }: TableDescription,
  all: readonly TableDescription[],
  keyOf: (table: string) => readonly string[],
  warnings: string[],
): ForeignKeyDescription[] {
  return foreignKeys.flatMap((key) => {
    const target = all.find((table) => isSameName(table.name, key.foreignTable));
    const wanted = key.foreignColumns.length > 0 ? key.foreignColumns : target ? keyOf(target.name) : [];
    const found = wanted.flatMap((name) => target?.columns.find((column) => isSameName(column.name, name))?.name ?? []);
    if (target && found.length === key.columns.length) {
      return [{ ...key, foreignTable: target.name, foreignColumns: found }];
    }
    const names = key.columns.map((name) => `"${name}"`).join(', ');
    warnings.push(
      `The foreign key ${names} of "${owner}" is not a relation: it leads to no key of a table "${key.foreignTable}".`,
    );
    return [];
  });
}

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function groupBy(rows: readonly SqlRow[], column: string): Map<string, SqlRow[]> {
  return Map.groupBy(rows, (row) => String(row[column]));
}

/** Text that changes with the tables, views and indexes. */
export function catalogueFingerprint(connection: SqliteConnection): string {
  const rows = connection.all('select type, name, tbl_name, sql from sqlite_schema order by type, name');
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}
