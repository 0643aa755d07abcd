import { DummyDriver, Kysely, MysqlAdapter, MysqlIntrospector, MysqlQueryCompiler, sql } from 'kysely';
import type { SqlRow } from '#kernel/ports/sql-row';
import type { Slot } from '../sql/binding.ts';
import type { SqlDialect, WriteStatements } from '../sql/sql-dialect.ts';
import type { SqlCatalogue } from '../sql/sql-engine.ts';
import { comparableColumn, inReferredCollation, mariadbStoredForm, storedText } from './column-expressions.ts';
import { mariadbAggregate, mariadbAggregateDecoder, mariadbBucket, mariadbGroupKey } from './mariadb-aggregates.ts';
import { mariadbCondition, mariadbOperatorsOf, mariadbVariantOf } from './mariadb-conditions.ts';
import { changedMariadbDocument } from './mariadb-documents.ts';
import { mariadbExpressions } from './mariadb-expressions.ts';
import { mariadbPaging } from './mariadb-paging.ts';
import { encodeForMariadb, mariadbDecoder } from './mariadb-values.ts';
import { mysqlKeyRules } from './mysql-key-rules.ts';
import { storageOf } from './native-type.ts';
import { flavourTraits, type ServerFlavour } from './server-flavour.ts';

/** Kysely only writes SQL here; statements run on our own pool, prepared and cached. */
const compiler = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new MysqlAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new MysqlIntrospector(database),
    createQueryCompiler: () => new MysqlQueryCompiler(),
  },
});

/** The forms for several tables: MariaDB takes an alias in a DELETE, and the table itself behind a relation, only so. */
const mariadbWrites: WriteStatements = {
  update(from, assignments, where) {
    const set = assignments.map(({ column, value }) => sql`${sql.id('t0')}.${column} = ${value}`);
    return sql`update ${from} set ${sql.join(set)}${where}`;
  },
  delete: (from, where) => sql`delete ${sql.id('t0')} from ${from}${where}`,
};

/** SQL that MariaDB and MySQL both read, but for RETURNING and the type UUID, which only MariaDB has. */
export const mariadbDialect: SqlDialect = {
  operatorsOf: mariadbOperatorsOf,
  variantOf: mariadbVariantOf,
  condition: mariadbCondition,
  decoderOf: mariadbDecoder,
  encode: encodeForMariadb,
  stored: storedText,
  orderBy(column, reference, isAscending) {
    // Nulls are below every value here too.
    const value = comparableColumn(column, reference);
    return isAscending ? sql`${value} asc` : sql`${value} desc`;
  },
  paging: mariadbPaging,
  aggregate: mariadbAggregate,
  aggregateDecoder: mariadbAggregateDecoder,
  bucket: mariadbBucket,
  expressions: mariadbExpressions,
  changedDocument: changedMariadbDocument,
  storedForm: mariadbStoredForm,
  groupKey: mariadbGroupKey,
  referring: inReferredCollation,
  selection: (column, reference) => (storageOf(column) === 'geometry' ? sql`st_asgeojson(${reference})` : reference),
  insertDefaults: sql`() values ()`,
  returnsCreated: flavourTraits.mariadb.returnsCreated,
  returnsWritten: false,
  writeStatements: mariadbWrites,
  // MySQL would answer with a tree.
  explain: { prefix: 'explain format=traditional', stepOf: planStep },
  compile(query) {
    const compiled = query.compile(compiler);
    // Every parameter of ours is a slot: values never enter a statement before it runs.
    return {
      sql: compiled.sql,
      parameters: (compiled.parameters as readonly Slot[]).map((parameter) => parameter.bind),
    };
  },
};

export const mysqlDialect: SqlDialect = {
  ...mariadbDialect,
  returnsCreated: flavourTraits.mysql.returnsCreated,
  keyRules: mysqlKeyRules,
  writeStatements: {
    ...mariadbWrites,
    // It leaves out what a constant decides, and then mistakes the sub-queries in it for a use of the written table (error 1093).
    guarded: (condition) => sql`coalesce(${condition}, false)`,
  },
};

/** The dialect of the server that a catalogue was read from. */
export function dialectOfServer({ server }: SqlCatalogue): SqlDialect | undefined {
  const dialects: Readonly<Record<ServerFlavour, SqlDialect>> = { mariadb: mariadbDialect, mysql: mysqlDialect };
  return server === undefined ? undefined : dialects[server as ServerFlavour];
}

/** `t0: ref by orders_customer, 12 rows. Using where`. */
function planStep(row: SqlRow): string {
  const key = row['key'] === null ? '' : ` by ${row['key']}`;
  return `${row['table'] ?? '-'}: ${row['type'] ?? '-'}${key}, ${row['rows'] ?? '?'} rows. ${row['Extra'] ?? ''}`.trim();
}
