import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import type { Slot } from '../bind-context.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { sqliteAggregate, sqliteAggregateDecoder, sqliteBucket } from './sqlite-aggregates.ts';
import { sqliteCondition, sqliteOperatorsOf } from './sqlite-conditions.ts';
import { encodeForSqlite, sqliteDecoder } from './sqlite-values.ts';
import { textVariant } from './text-conditions.ts';

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
  condition: sqliteCondition,
  decoderOf: sqliteDecoder,
  encode: encodeForSqlite,
  // SQLite itself puts nulls first and compares texts by their bytes.
  orderBy: (_column, reference, isAscending) => (isAscending ? sql`${reference} asc` : sql`${reference} desc`),
  aggregate: sqliteAggregate,
  aggregateRank: (operation, column, value) =>
    column?.isExact && (operation === 'Sum' || operation === 'Avg') ? sql`exact_rank(${value})` : value,
  aggregateDecoder: sqliteAggregateDecoder,
  bucket: sqliteBucket,
  insertDefaults: sql`default values`,
  explain: { prefix: 'explain query plan', stepOf: (row) => String(row['detail']) },
  returning: { insert: true, update: true },
  compile(query) {
    const compiled = query.compile(compiler);
    // Every parameter of ours is a slot: values never enter a statement before it runs.
    return {
      sql: compiled.sql,
      parameters: (compiled.parameters as readonly Slot[]).map((parameter) => parameter.bind),
    };
  },
};
