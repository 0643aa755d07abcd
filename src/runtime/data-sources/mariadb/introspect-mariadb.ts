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
import { describeColumns, rightsOnColumn } from './mariadb-columns.ts';
import { flavourOf } from './mariadb-or-mysql.ts';
import { type MariadbRights, readRights } from './mariadb-rights.ts';
import { quotedNames } from './mariadb-violated-fields.ts';

type Query = (sql: string, parameters: readonly string[]) => Promise<readonly SqlRow[]>;

const tables = `
  select table_schema as \`schema\`, table_name as name, table_type as kind, table_comment as comment,
    version() as version,
    (select transactions from information_schema.engines where engines.engine = tables.engine) as transactions
  from information_schema.tables
  where table_schema in (?) and table_type in ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')
  order by table_schema, table_name`;

const columns = `
  select table_schema as \`schema\`, table_name as \`table\`, column_name as name, column_type as type,
    is_nullable as nullable, column_default as \`default\`, extra as extra, collation_name as collation,
    column_comment as comment, privileges as \`privileges\`
  from information_schema.columns
  where table_schema in (?)
  order by table_schema, table_name, ordinal_position`;

const uniqueKeys = `
  select table_schema as \`schema\`, table_name as \`table\`, index_name as name, column_name as \`column\`,
    sub_part as prefix
  from information_schema.statistics
  where table_schema in (?) and non_unique = 0
  order by table_schema, table_name, index_name, seq_in_index`;

const foreignKeys = `
  select table_schema as \`schema\`, table_name as \`table\`, constraint_name as name, column_name as \`column\`,
    referenced_table_schema as foreignSchema, referenced_table_name as foreignTable,
    referenced_column_name as foreignColumn
  from information_schema.key_column_usage
  where table_schema in (?) and referenced_table_name is not null
  order by table_schema, table_name, constraint_name, ordinal_position`;

const deletionRules = `
  select constraint_schema as \`schema\`, table_name as \`table\`, constraint_name as name, delete_rule as \`rule\`
  from information_schema.referential_constraints
  where constraint_schema in (?) and delete_rule in ('CASCADE', 'SET NULL', 'SET DEFAULT')`;

// MySQL does not say which table a check belongs to, and does not read the comment: it has a type for JSON.
const checks = `
  select constraint_schema as \`schema\`, /*M! table_name as \`table\`, */ check_clause as clause
  from information_schema.check_constraints
  where constraint_schema in (?)`;

const updateTriggers = `
  select distinct event_object_schema as \`schema\`, event_object_table as \`table\`
  from information_schema.triggers
  where event_object_schema in (?) and action_timing = 'BEFORE' and event_manipulation = 'UPDATE'`;

/** Describe the tables and views of `schemas` that the user may read, in nine statements. */
export async function introspectMariadb(query: Query, schemas: readonly string[]): Promise<SqlCatalogue> {
  const ask = (text: string) => query(text.replace('(?)', `(${schemas.map(() => '?').join(', ')})`), schemas);
  const found = await ask(tables);
  const { columnsOf, shutColumns, isReadable, isKnownPart } = readableParts(await ask(columns));
  const keysOf = byTable(await ask(uniqueKeys));
  const foreignKeysOf = byTable(await ask(foreignKeys));
  const rulesOf = byTable(await ask(deletionRules));
  const jsonColumnsOf = jsonChecks(await ask(checks));
  const triggersOf = byTable(await ask(updateTriggers));
  const rights = await readRights(query);
  const flavour = flavourOf(String(found[0]?.['version']));
  const readable = found.filter(isReadable);
  const names = new Map([...collectionNames(readable, schemas)].map(([row, name]) => [keyOf(row), name]));
  const warnings: string[] = [];
  const unknownTypes: string[] = [];
  const described = readable.flatMap((row): TableDescription[] => {
    const key = keyOf(row);
    const name = names.get(key) ?? '';
    const rows = columnsOf.get(key) ?? [];
    const isView = row['kind'] === 'VIEW';
    if (isBroken(row, rows)) {
      warnings.push(`The view "${name}" is left out: what it selects from does not exist.`);
      return [];
    }
    const of = describeColumns(rows, jsonColumnsOf.get(key) ?? new Set(), flavour);
    unknownTypes.push(...of.unknownTypes);
    const keys = keyColumns(keysOf.get(key) ?? [], of.columns);
    const primary = keys.get('PRIMARY') ?? [];
    const keyRows = withRules(foreignKeysOf.get(key) ?? [], rulesOf.get(key) ?? []);
    const leading = describeForeignKeys(keyRows, names, name, warnings);
    return [
      {
        name,
        ...placeAndComment(row, schemas),
        isView,
        ...rightsOn(row, rows, rights),
        ...(triggersOf.has(key) ? { hasWriteTriggers: true } : {}),
        ...(isView || row['transactions'] === 'YES' ? {} : { hasNoTransactions: true }),
        columns: of.columns,
        primaryKey: of.columns.map((column) => column.name).filter((column) => primary.includes(column)),
        foreignKeys: leading.filter(({ parts }) => parts.every(isKnownPart)).map(({ foreignKey }) => foreignKey),
        uniqueKeys: [...keys].filter(([index]) => index !== 'PRIMARY').map(([, of]) => of),
      },
    ];
  });
  return {
    tables: described,
    ...(found.length > 0 ? { server: flavour } : {}),
    warnings: [
      ...emptySchemaWarnings(schemas, found, (schema) => emptyDatabase(schema, schema === schemas[0])),
      ...rights.warnings,
      ...unreadableWarning('table', found.filter((row) => !isReadable(row)).map(nameOf)),
      ...unreadableWarning('column', readable.flatMap(shutColumns)),
      ...warnings,
      ...unknownTypeWarnings(unknownTypes),
      ...transactionWarnings(described),
      ...keyWarnings(described),
    ],
  };
}

/** The server refuses a connection to a database that does not exist, and says nothing of a further one. */
function emptyDatabase(database: string, isConnected: boolean): string {
  const empty = `The database "${database}" has no table that its user may see`;
  return isConnected
    ? `${empty}. Create its tables, give the user the right to read them, or name another database in the address.`
    : `${empty}, or does not exist. Name further databases behind the address: ?schema=<name>,<name>`;
}

/**
 * What the user may read. Servers hide the tables and the columns on which somebody has no right at all, so that only those are known
 * which the user may write and not read.
 */
function readableParts(rows: readonly SqlRow[]) {
  const columnsOf = byTable(rows.filter((row) => rightsOnColumn(row).read));
  const shut = byTable(rows.filter((row) => !rightsOnColumn(row).read));
  const isKnown = (key: string, column: unknown) => columnsOf.get(key)?.some(({ name }) => name === column) === true;
  return {
    /** Of a foreign key. */
    isKnownPart: (part: SqlRow) =>
      isKnown(place(part['schema'], part['table']), part['column']) &&
      isKnown(place(part['foreignSchema'], part['foreignTable']), part['foreignColumn']),
    columnsOf,
    /** By the names that SQL has for them. */
    shutColumns: (table: SqlRow) => (shut.get(keyOf(table)) ?? []).map(({ name }) => `${nameOf(table)}.\`${name}\``),
    /** A view without columns may be one that is broken. */
    isReadable: (table: SqlRow) => columnsOf.has(keyOf(table)) || (table['kind'] === 'VIEW' && !shut.has(keyOf(table))),
  };
}

function placeAndComment(row: SqlRow, schemas: readonly string[]): Pick<TableDescription, 'table' | 'comment'> {
  const comment = row['kind'] === 'VIEW' ? '' : String(row['comment'] ?? '');
  return {
    ...(row['schema'] === schemas[0] ? {} : { table: { schema: String(row['schema']), name: String(row['name']) } }),
    ...(comment === '' ? {} : { comment }),
  };
}

function rightsOn(table: SqlRow, columnRows: readonly SqlRow[], rights: MariadbRights) {
  const ofColumns = columnRows.map(rightsOnColumn);
  const add = ofColumns.some((column) => column.add);
  return {
    ...deniedByRights({
      add,
      edit: ofColumns.some((column) => column.edit),
      delete: rights.mayDelete(String(table['schema']), String(table['name'])),
    }),
    ...(add && !ofColumns.every((column) => column.add) ? { hidesCreated: true } : {}),
  };
}

function keyOf(table: SqlRow): string {
  return place(table['schema'], table['name']);
}

/** A table as SQL names it. */
function nameOf(table: SqlRow): string {
  return `\`${table['schema']}\`.\`${table['name']}\``;
}

function place(schema: unknown, table: unknown): string {
  return JSON.stringify([schema, table]);
}

function byTable(rows: readonly SqlRow[]): Map<string, SqlRow[]> {
  return Map.groupBy(rows, (row) => place(row['schema'], row['table']));
}

/** The server tells of a view that it cannot open in the comment of the view, and lists no columns of it or all of type null. */
function isBroken(row: SqlRow, columnRows: readonly SqlRow[]): boolean {
  return row['kind'] === 'VIEW' && (columnRows.length === 0 || /references invalid/i.test(String(row['comment'])));
}

/**
 * Keys of whole columns that are known, by name: one of the first characters of a column, or of an expression, makes nothing unique.
 */
function keyColumns(rows: readonly SqlRow[], columns: readonly ColumnDescription[]): Map<string, string[]> {
  const known = new Set<unknown>(columns.map(({ name }) => name));
  const keys = new Map<string, string[]>();
  for (const [name, parts] of Map.groupBy(rows, (row) => String(row['name']))) {
    const isWhole = parts.every((part) => part['prefix'] === null && known.has(part['column']));
    if (isWhole)
      keys.set(
        name,
        parts.map((part) => String(part['column'])),
      );
  }
  return keys;
}

function withRules(keys: readonly SqlRow[], rules: readonly SqlRow[]): SqlRow[] {
  const byName = new Map(rules.map(({ name, rule }) => [name, rule]));
  return keys.map((key) => ({ ...key, rule: byName.get(key['name']) ?? null }));
}

function describeForeignKeys(
  rows: readonly SqlRow[],
  names: ReadonlyMap<string, string>,
  table: string,
  warnings: string[],
): readonly { readonly foreignKey: ForeignKeyDescription; readonly parts: readonly SqlRow[] }[] {
  return [...Map.groupBy(rows, (row) => String(row['name']))].flatMap(([key, parts]) => {
    const [first] = parts;
    const foreignTable = names.get(place(first?.['foreignSchema'], first?.['foreignTable']));
    if (foreignTable === undefined) {
      const target = `${first?.['foreignSchema']}.${first?.['foreignTable']}`;
      warnings.push(`The foreign key "${key}" of "${table}" makes no relation: "${target}" is not among the tables.`);
      return [];
    }
    const foreignKey = {
      columns: parts.map((part) => String(part['column'])),
      foreignTable,
      foreignColumns: parts.map((part) => String(part['foreignColumn'])),
      onDelete: deletionRuleOf(first?.['rule']),
    };
    return [{ foreignKey, parts }];
  });
}

/** MariaDB keeps a column of type JSON as a text with this check, and tells its type in no other way. */
function jsonChecks(rows: readonly SqlRow[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const row of rows) {
    const clause = String(row['clause']);
    const [column] = /^\s*json_valid\(`(?:[^`]|``)+`\)\s*$/i.test(clause) ? quotedNames(clause) : [];
    if (column === undefined) continue;
    const key = place(row['schema'], row['table']);
    found.set(key, (found.get(key) ?? new Set()).add(column));
  }
  return found;
}

/** Nothing of a write to such a table can be taken back. */
function transactionWarnings(tables: readonly TableDescription[]): string[] {
  const names = tables.filter(({ hasNoTransactions }) => hasNoTransactions).map(({ name }) => name);
  if (names.length === 0) return [];
  return [`Tables whose engine has no transactions keep what a failed write has done so far: ${names.join(', ')}.`];
}

function unknownTypeWarnings(types: readonly string[]): string[] {
  return [...Map.groupBy(types, (type) => type)].map(
    ([type, columns]) =>
      `${columns.length} column${columns.length === 1 ? '' : 's'} of the type "${type}" can only be read.`,
  );
}
