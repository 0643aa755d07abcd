import { DummyDriver, Kysely, MysqlAdapter, MysqlIntrospector, MysqlQueryCompiler, sql } from 'kysely';
import type { SqlRow } from '#kernel/ports/sql-row';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { DocumentTree } from '../../query/document-change.ts';
import type { Page } from '../../query/record-query.ts';
import type { NativeSyntax } from '../sql/native-query.ts';
import type { Sql, SqlDialect, WriteStatements } from '../sql/sql-dialect.ts';
import type { SqlCatalogue } from '../sql/sql-engine.ts';
import { jsonPathText } from '../sql/sql-expressions.ts';
import { boundPaging, type Paging, type Slot, slot } from '../sql/statement-parameters.ts';
import { mariadbAggregate, mariadbAggregateDecoder, mariadbBucket, mariadbGroupKey } from './mariadb-aggregates.ts';
import { comparableColumn, inReferredCollation, mariadbStoredForm, storedText } from './mariadb-column-expressions.ts';
import { mariadbCondition, mariadbOperatorsOf, mariadbPlaces, mariadbVariantOf } from './mariadb-conditions.ts';
import { mariadbExpressions } from './mariadb-expressions.ts';
import { storageOf } from './mariadb-native-type.ts';
import { flavourTraits, type ServerFlavour } from './mariadb-or-mysql.ts';
import { encodeForMariadb, mariadbDecoder } from './mariadb-values.ts';
import { isDocument } from './mariadb-zero-dates.ts';
import { mysqlKeyRules } from './mysql-key-rules.ts';

/**
 * From this many skipped rows on, a page is found before the records that it refers to. MariaDB keeps it in a table of its
 * own, which takes as long as to look up the related records of 50 to 100 rows.
 */
const deepSkip = 100;

const mariadbPaging: Paging = {
  ...boundPaging,
  keyOf: (page) => (isDeep(page) ? 'deep' : 'page'),
  isBeforeJoins: isDeep,
};

function isDeep({ skip }: Page): boolean {
  return skip >= deepSkip;
}

/** An index holds the beginning of a long text. This many characters fit on every row format. */
const prefixOfTexts = 191;

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

/** SQL that MariaDB and MySQL both read, except for RETURNING and the type UUID, which only MariaDB has. */
export const mariadbDialect: SqlDialect = {
  operatorsOf: mariadbOperatorsOf,
  variantOf: mariadbVariantOf,
  condition: mariadbCondition,
  decoderOf: mariadbDecoder,
  encode: encodeForMariadb,
  stored: storedText,
  // The document `null` is shown as null. Saved again it stays what it is.
  assigned: (column, reference, value) =>
    isDocument(column)
      ? sql`case when ${value} is null and json_type(${reference}) = 'NULL' then ${reference} else ${value} end`
      : value,
  orderKey: comparableColumn,
  places: mariadbPlaces,
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
  keyRules: async (transaction, collection) =>
    collection.hidesCreated ? mysqlKeyRules(transaction, collection, 'mariadb') : undefined,
  rowLock: sql` for update`,
  returnsWritten: false,
  writeStatements: mariadbWrites,
  indexes: {
    create: 'create index',
    prefixLength: (column) =>
      /^(?:tiny|medium|long)?(?:text|blob)\b/.test(column.nativeType) ? prefixOfTexts : undefined,
    listed: ({ table, name }) => sql`
      select index_name as name, column_name as ${sql.id('column')}, 0 as ${sql.id('isByBytes')}
      from information_schema.statistics
      where table_schema = ${table?.schema === undefined ? sql`database()` : sql.lit(table.schema)}
        and table_name = ${sql.lit(table?.name ?? name)}
      order by index_name, seq_in_index`,
    note: 'There is no estimate: MariaDB and MySQL plan with indexes that exist only.',
  },
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
  keyRules: (transaction, collection) => mysqlKeyRules(transaction, collection),
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

/** Every object on the way is the one that is there, or a new one; its other keys stay. */
function changedMariadbDocument(
  _column: ColumnSchema,
  document: Sql,
  tree: DocumentTree,
  valueAt: (position: number) => Sql,
): Sql {
  const change = (node: DocumentTree, path: readonly string[]): Sql => {
    const inner = sql`json_extract(${document}, ${slot(() => jsonPathText(path))})`;
    const object = sql`case when json_type(${inner}) = 'OBJECT' then ${inner} else '{}' end`;
    const values = [...node].map(([key, below]) => {
      // A parameter is a text until it is taken for JSON.
      const value =
        typeof below === 'number' ? sql`json_extract(${valueAt(below)}, '$')` : change(below, [...path, key]);
      return sql`${slot(() => jsonPathText([key]))}, ${value}`;
    });
    return sql`json_set(${object}, ${sql.join(values)})`;
  };
  return change(tree, []);
}

/**
 * Texts in either quote, with backslash escapes; names in backticks; comments, where two dashes begin one only before a blank;
 * and words, which may hold a `$`. Every connection of ours sets its own SQL mode, which neither turns backslash escapes off
 * nor makes double quotes those of names.
 */
export const mysqlSyntax: NativeSyntax = {
  parts:
    /'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*(?:'|\\?$)|"[^"\\]*(?:(?:\\[\s\S]|"")[^"\\]*)*(?:"|\\?$)|`[^`]*(?:`|$)|--(?=\s|$)[^\n]*|#[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(?<name>[A-Za-z_]\w*)|[\p{L}_][\p{L}\p{N}_$]*/gu,
  placeholders: 'question marks',
};
