import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Slot } from '../bind-context.ts';
import type { SqlDialect } from '../sql-dialect.ts';
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
  compile(query) {
    const compiled = query.compile(compiler);
    // Every parameter of ours is a slot: values never enter a statement before it runs.
    return {
      sql: compiled.sql,
      parameters: (compiled.parameters as readonly Slot[]).map((parameter) => parameter.bind),
    };
  },
};
