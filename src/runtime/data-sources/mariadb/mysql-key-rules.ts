import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';
import type { CollectionSchema, ColumnSchema } from '../../query/collection-schema.ts';
import type { RecordData } from '../../query/record-query.ts';
import { createdKeyUnknown } from '../sql/insert-and-read.ts';
import type { KeyRules, SqlTransaction } from '../sql/sql-dialect.ts';
import { literalDefault, unescaped } from './mariadb-columns.ts';
import { digitsOf, fractionDigitsOf, nativeTypeOf } from './mariadb-native-type.ts';
import type { ServerFlavour } from './mariadb-or-mysql.ts';
import { encodeForMariadb, mariadbDecoder } from './mariadb-values.ts';

/** What the server says of a table in one statement. The parts of a union need one collation. */
const facts = `
  select 'table' as kind, '' as name, convert(e.transactions using utf8mb4) as extra, null as text
  from information_schema.tables t join information_schema.engines e on e.engine = t.engine
  where t.table_schema = coalesce(?, database()) and t.table_name = ?
  union all
  select 'column', convert(column_name using utf8mb4), convert(extra using utf8mb4), convert(column_default using utf8mb4)
  from information_schema.columns
  where table_schema = coalesce(?, database()) and table_name = ?
  union all
  select 'trigger', convert(trigger_name using utf8mb4), '', convert(action_statement using utf8mb4)
  from information_schema.triggers
  where event_object_schema = coalesce(?, database()) and event_object_table = ?
    and event_manipulation = 'INSERT' and action_timing = 'BEFORE'`;

/**
 * How a table comes to its keys where no `INSERT … RETURNING` tells them: MySQL has none, and that of MariaDB asks for the right to
 * insert every column that it returns. The server tells of a number that it counted or
 * that a trigger gave. The value of a default is worked out before, and given as if the client had sent it. What else a trigger
 * gives cannot be known before.
 */
export async function mysqlKeyRules(
  transaction: SqlTransaction,
  collection: CollectionSchema,
  flavour: ServerFlavour = 'mysql',
): Promise<KeyRules> {
  const { schema = null, name = collection.name } = collection.table ?? {};
  const rows = await transaction.all(facts, [schema, name, schema, name, schema, name]);
  const isUndone = rows.some((row) => row['kind'] === 'table' && row['extra'] === 'YES');
  const bodies = rows.filter((row) => row['kind'] === 'trigger').map((row) => String(row['text']));
  const columns = collection.primaryKey.map((key) => ({
    column: collection.fields.get(key) as ColumnSchema,
    row: rows.find((row) => row['kind'] === 'column' && row['name'] === key),
    isTriggered: bodies.some((body) => assigns(body, key)),
  }));
  const isCounted = (row: SqlRow | undefined) => /\bauto_increment\b/i.test(String(row?.['extra']));
  const mayChange = columns.some(({ isTriggered, row }) => isTriggered && !isCounted(row));
  const unknown = (cause?: unknown) => createdKeyUnknown(collection, { isWritten: false, cause });

  return {
    isUndone,
    mayChange,
    counted(number) {
      const column = columns.find(({ row }) => isCounted(row))?.column;
      return column && number !== null ? { [column.name]: numberOf(column, number) } : {};
    },
    async withKey(record) {
      // What was written would stay if its key turned out to be another.
      if (mayChange && !isUndone) throw unknown();
      const keyed: Record<string, unknown> = { ...record };
      for (const { column, row, isTriggered } of columns) {
        if (record[column.name] !== undefined && record[column.name] !== null) continue;
        delete keyed[column.name];
        if (isCounted(row)) continue;
        // One that is gone makes the server itself say so, before anything is written.
        if (!row) await transaction.all(`select ${quoted(column.name)} from ${tableIn(schema, name)} limit 0`, []);
        if (isTriggered || !row) throw unknown();
        const value = await defaultOf(transaction, column, row, flavour, unknown);
        if (value !== undefined) keyed[column.name] = value;
      }
      return keyed;
    },
    async stored(key) {
      const kept: Record<string, unknown> = {};
      for (const { column } of columns) kept[column.name] = await storedValue(transaction, column, key[column.name]);
      return kept;
    },
  };
}

function tableIn(schema: string | null, name: string): string {
  return schema === null ? quoted(name) : `${quoted(schema)}.${quoted(name)}`;
}

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

async function storedValue(transaction: SqlTransaction, column: ColumnSchema, value: unknown): Promise<unknown> {
  const form = storedFormOf(column);
  if (form === undefined || value === undefined || value === null) return value;
  const [row] = await transaction.all(`select ${form} as value`, [encodeForMariadb(column, value)]);
  return mariadbDecoder(column)(row?.['value'] ?? null);
}

/** What a column makes of a bound value that it takes without an error; `undefined` where that is the value itself. */
function storedFormOf(column: ColumnSchema): string | undefined {
  const { name, numbers } = nativeTypeOf(column);
  const { whole, scale } = digitsOf(column);
  switch (name) {
    case 'char':
      return 'rtrim(?)';
    case 'binary':
      return `cast(? as binary(${numbers[0] ?? 1}))`;
    case 'decimal':
      return `cast(? as decimal(${whole + scale}, ${scale}))`;
    case 'datetime':
    case 'timestamp':
      return `cast(concat(?) as datetime(${fractionDigitsOf(column)}))`;
    case 'time':
      return `cast(concat(?) as time(${fractionDigitsOf(column)}))`;
    default:
      return undefined;
  }
}

/** The driver reads every number as one with a sign. */
function numberOf(column: ColumnSchema, number: SqlValue): SqlValue {
  return nativeTypeOf(column).isUnsigned ? String(BigInt.asUintN(64, BigInt(String(number)))) : number;
}

/**
 * Whether a trigger may set the column of the new row. It can do so by this name only: in an assignment, or as an argument of a
 * procedure. A comment may hide either, so that a body with comments that names the column counts as one that sets it.
 */
function assigns(body: string, column: string): boolean {
  const text = body
    .toLowerCase()
    .replaceAll('`', '')
    .replaceAll(/\s*\.\s*/g, '.');
  const isUnclear = /--|#|\/\*|\bcall\b/.test(text);
  const parts = text.split(`new.${column.toLowerCase().replaceAll('`', '')}`);
  return parts.slice(1).some((after, index) => {
    // The name may be the beginning of a longer one.
    if (/^[\p{L}\p{N}_$]/u.test(after)) return false;
    return isUnclear || (/(?:\bset|,)\s*$/.test(parts[index] ?? '') && /^\s*:?=/.test(after));
  });
}

/** The value that the server would take for the column. Without a default there is none, and the server says so. */
async function defaultOf(
  transaction: SqlTransaction,
  column: ColumnSchema,
  row: SqlRow,
  flavour: ServerFlavour,
  unknown: (cause?: unknown) => Error,
): Promise<RecordData[string]> {
  const { text = null, extra } = row;
  if (/\bgenerated\b/i.test(String(extra))) throw unknown();
  if (text === null) return undefined;
  const literal = String(text);
  // MariaDB writes every default as SQL.
  if (flavour === 'mariadb') return evaluated(transaction, column, literal, unknown);
  // The catalogue escapes the quotes and backslashes of an expression.
  if (/\bdefault_generated\b/i.test(String(extra))) return evaluated(transaction, column, unescaped(literal), unknown);
  if (column.type === 'Binary') return evaluated(transaction, column, literal, unknown);
  return literalDefault(literal, column.type, column.isExact, 'mysql');
}

async function evaluated(
  transaction: SqlTransaction,
  column: ColumnSchema,
  sql: string,
  unknown: (cause?: unknown) => Error,
): Promise<RecordData[string]> {
  try {
    const [row] = await transaction.all(`select (${sql}) as value`, []);
    const value: SqlValue = row?.['value'] ?? null;
    return value === null ? undefined : mariadbDecoder(column)(value);
  } catch (error) {
    // It refers to another column of the row, or is not an expression of a query.
    if (isCloudError(error) && error.code === 'DATABASE_QUERY_FAILED') throw unknown(error);
    throw error;
  }
}
