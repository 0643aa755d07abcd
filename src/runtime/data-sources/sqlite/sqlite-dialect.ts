import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import type { AggregateOperation } from '../../query/aggregation.ts';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { Slot } from '../sql/binding.ts';
import { boundPaging } from '../sql/binding.ts';
import type { SqlDialect } from '../sql/sql-dialect.ts';
import { exactTextType } from './column-type-of.ts';
import { sqliteAggregate, sqliteAggregateDecoder, sqliteBucket } from './sqlite-aggregates.ts';
import { byBytes, instant, sqliteCondition, sqliteOperatorsOf } from './sqlite-conditions.ts';
import { changedSqliteDocument } from './sqlite-documents.ts';
import { sqliteExpressions } from './sqlite-expressions.ts';
import { encodeForSqlite, sqliteDecoder } from './sqlite-values.ts';
import { isTextPattern, textVariant } from './text-conditions.ts';

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
  decoderOf: sqliteDecoder,
  encode: encodeForSqlite,
  // SQLite itself puts nulls first.
  orderBy(column, reference, isAscending) {
    const value = column.nativeType === exactTextType ? sql`exact_rank(${reference})` : byBytes(column, reference);
    return isAscending ? sql`${value} asc` : sql`${value} desc`;
  },
  paging: boundPaging,
  aggregate: sqliteAggregate,
  aggregateRank: (operation, column, value) => (isExactText(operation, column) ? sql`exact_rank(${value})` : value),
  aggregateDecoder: sqliteAggregateDecoder,
  bucket: sqliteBucket,
  // One instant may be stored in several forms; what is no instant is a group by itself.
  groupKey: (column, reference) =>
    column.type === 'Date' ? sql`ifnull(${instant(reference)}, ${reference})` : byBytes(column, reference),
  storedForm: (_column, reference) => sql`iif(${reference} is null, null, quote(${reference}))`,
  expressions: sqliteExpressions,
  changedDocument: changedSqliteDocument,
  insertDefaults: sql`default values`,
  explain: { prefix: 'explain query plan', stepOf: (row) => String(row['detail']) },
  returnsCreated: true,
  returnsWritten: true,
  compile(query) {
    const compiled = query.compile(compiler);
    // Every parameter of ours is a slot: values never enter a statement before it runs.
    return {
      sql: compiled.sql,
      parameters: (compiled.parameters as readonly Slot[]).map((parameter) => parameter.bind),
    };
  },
};

function isExactText(operation: AggregateOperation, column: ColumnSchema | undefined): boolean {
  if (operation === 'Count' || !column?.isExact) return false;
  return operation === 'Sum' || operation === 'Avg' || column.nativeType === exactTextType;
}
