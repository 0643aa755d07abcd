import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import type { SqlValue } from '#kernel/ports/sql-row';
import type { AggregateOperation, DateBucket } from '../../query/aggregation.ts';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { DocumentTree } from '../../query/document-change.ts';
import type { NativeSyntax } from '../sql/native-query.ts';
import type { Sql, SqlDialect } from '../sql/sql-dialect.ts';
import { jsonPathText } from '../sql/sql-expressions.ts';
import { plannedPaging, type Slot, slot } from '../sql/statement-parameters.ts';
import { exactTextType, isUntyped, scaleOf } from './sqlite-columns.ts';
import { byBytes, instant, isNullDocument, sqliteCondition, sqliteOperatorsOf } from './sqlite-conditions.ts';
import { sqliteExpressions } from './sqlite-expressions.ts';
import { decoderOfSqlite, encodeWithKept, sqliteSelection, storedOf } from './sqlite-kept-values.ts';
import { isTextPattern, textVariant } from './sqlite-text-conditions.ts';
import { sqliteDecoder } from './sqlite-values.ts';

/** Kysely only writes SQL here; statements run on our own connection, prepared and cached. */
const compiler = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

export const sqliteDialect: SqlDialect = {
  operatorsOf: sqliteOperatorsOf,
  variantOf(operator, value) {
    const isNull = value === null || value === undefined || (Array.isArray(value) && value.includes(null));
    return isNull ? 'null' : textVariant(operator, value);
  },
  looksIntoValue: isTextPattern,
  condition: sqliteCondition,
  decoderOf: decoderOfSqlite,
  encode: encodeWithKept,
  selection: sqliteSelection,
  keepsValues: true,
  assigned,
  orderKey,
  places: {
    textOf: (column, reference) => quoted(orderKey(column, reference)),
    valueOf: (_column, text) => slot((context) => storedOf(text(context)).value),
    // The column compares by its own collation, which its index has too.
    ofIndex: (column) =>
      column.type === 'String' && !isUntyped(column)
        ? (text) => slot((context) => storedOf(text(context)).value)
        : undefined,
  },
  // SQLite itself puts nulls first.
  orderBy(column, reference, isAscending) {
    const value = orderKey(column, reference);
    return isAscending ? sql`${value} asc` : sql`${value} desc`;
  },
  paging: plannedPaging,
  aggregate: sqliteAggregate,
  aggregateRank: (operation, column, value) => (isExactText(operation, column) ? sql`exact_rank(${value})` : value),
  aggregateDecoder: sqliteAggregateDecoder,
  bucket: sqliteBucket,
  // One instant may be stored in several forms; what is not an instant is a group by itself.
  groupKey: (column, reference) =>
    column.type === 'Date'
      ? sql`ifnull(${instant(reference, column.instantForm)}, ${reference})`
      : byBytes(column, reference),
  storedForm: (_column, reference) => quoted(reference),
  expressions: sqliteExpressions,
  changedDocument: changedSqliteDocument,
  insertDefaults: sql`default values`,
  indexes: {
    create: 'create index',
    listed: ({ table, name }) => sql`
      select l.name, x.name as "column", x.coll = 'BINARY' as "isByBytes"
      from pragma_index_list(${sql.lit(table?.name ?? name)}) l join pragma_index_xinfo(l.name) x
      where l.partial = 0 and x.key = 1 order by l.seq, x.seqno`,
    note: 'There is no estimate: SQLite plans with indexes that exist only.',
  },
  explain: { prefix: 'explain query plan', stepOf: (row) => String(row['detail']) },
  returnsCreated: true,
  rowLock: sql``,
  returnsWritten: true,
  rowsAtOnce: 5_000,
  compile(query) {
    const compiled = query.compile(compiler);
    // Every parameter of ours is a slot: values never enter a statement before it runs.
    return {
      sql: compiled.sql,
      parameters: (compiled.parameters as readonly Slot[]).map((parameter) => parameter.bind),
    };
  },
};

/** The document `null` is shown as null. Saved again it stays what it is, and so does a value of a column that has no type. */
function assigned(column: ColumnSchema, reference: Sql, value: Sql): Sql {
  if (column.type === 'Json')
    return sql`iif(${value} is null and ${isNullDocument(reference)}, ${reference}, ${value})`;
  return isUntyped(column) ? sql`kept_form(${reference}, ${value})` : value;
}

function orderKey(column: ColumnSchema, reference: Sql): Sql {
  return column.nativeType === exactTextType ? sql`exact_rank(${reference})` : byBytes(column, reference);
}

/** A value as a literal of SQL, which tells its type and every digit. */
function quoted(value: Sql): Sql {
  return sql`iif(${value} is null, null, quote(${value}))`;
}

function isExactText(operation: AggregateOperation, column: ColumnSchema | undefined): boolean {
  if (operation === 'Count' || !column?.isExact) return false;
  return operation === 'Sum' || operation === 'Avg' || column.nativeType === exactTextType;
}

/** Every object on the way is the one that is there, or a new one: what SQLite would leave alone is replaced. */
function changedSqliteDocument(
  _column: ColumnSchema,
  document: Sql,
  tree: DocumentTree,
  valueAt: (position: number) => Sql,
): Sql {
  const valid = sql`case when json_valid(${document}) then ${document} end`;
  const change = (node: DocumentTree, path: readonly string[]): Sql => {
    const at = slot(() => jsonPathText(path));
    const object = sql`case json_type(${valid}, ${at}) when 'object' then json_extract(${document}, ${at}) else '{}' end`;
    const values = [...node].map(([key, below]) => {
      const value = typeof below === 'number' ? valueAt(below) : change(below, [...path, key]);
      return sql`${slot(() => jsonPathText([key]))}, json(${value})`;
    });
    return sql`json_set(${object}, ${sql.join(values)})`;
  };
  return change(tree, []);
}

function sqliteAggregate(
  operation: AggregateOperation,
  column: ColumnSchema | undefined,
  reference: Sql | undefined,
): Sql {
  if (!column || !reference) return sql`count(*)`;
  const scale = sql.lit(scaleOf(column.nativeType) ?? 0);
  const isText = column.nativeType === exactTextType;
  switch (operation) {
    case 'Count':
      return sql`count(${reference})`;
    case 'Sum':
      // Whole numbers are added up as such, and refused beyond 64 bits.
      return column.isExact ? sql`exact_sum(${reference}, ${scale})` : sql`sum(cast(${reference} as real))`;
    case 'Avg':
      return column.isExact ? sql`exact_avg(${reference}, ${scale})` : sql`avg(${reference})`;
    case 'Min':
      return sql`${isText ? sql`exact_min` : sql`min`}(${comparable(column, reference)})`;
    case 'Max':
      return sql`${isText ? sql`exact_max` : sql`max`}(${comparable(column, reference)})`;
  }
}

function sqliteAggregateDecoder(
  operation: AggregateOperation,
  column: ColumnSchema | undefined,
): (stored: SqlValue) => unknown {
  if (operation === 'Count' || !column) return Number;
  if (operation === 'Min' || operation === 'Max') return sqliteDecoder(column);
  return column.isExact ? String : Number;
}

function sqliteBucket(column: ColumnSchema, reference: Sql, bucket: DateBucket): Sql {
  const zone = slot(({ now }) => now().zoneName ?? 'UTC');
  return sql`first_day(${comparable(column, reference)}, ${sql.lit(bucket.toLowerCase())}, ${zone})`;
}

function comparable(column: ColumnSchema, reference: Sql): Sql {
  return column.type === 'Date' ? instant(reference, column.instantForm) : byBytes(column, reference);
}

/** A connection that cannot write still obeys a PRAGMA, which is not a query. */
export function isQuery(sql: string): boolean {
  return /^(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:select|with|values)\b/i.test(sql);
}

/** Texts, names in one of three kinds of quotes, comments, and words, which may hold a dollar sign. */
export const sqliteSyntax: NativeSyntax = {
  parts:
    /'[^']*(?:''[^']*)*(?:'|$)|"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\[[^\]]*(?:\]|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(?<name>[A-Za-z_]\w*)|[\p{L}_][\p{L}\p{N}_$]*/gu,
  placeholders: 'question marks',
};
