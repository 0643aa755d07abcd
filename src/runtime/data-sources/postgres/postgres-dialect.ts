import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import type { CollectionSchema, ColumnSchema } from '../../query/collection-schema.ts';
import type { DocumentTree } from '../../query/document-change.ts';
import { isListType } from '../../query/operators.ts';
import type { Page } from '../../query/record-query.ts';
import { tableReference } from '../sql/related-tables.ts';
import type { Sql, SqlDialect } from '../sql/sql-dialect.ts';
import { boundPage, type Paging, type Slot, slot } from '../sql/statement-parameters.ts';
import { postgresAggregate, postgresAggregateDecoder, postgresBucket } from './postgres-aggregates.ts';
import { writeArray } from './postgres-arrays.ts';
import { asText, comparable, postgresCondition, postgresOperatorsOf } from './postgres-conditions.ts';
import { postgresExpressions } from './postgres-expressions.ts';
import { postgresIndexes, quotedTable } from './postgres-indexes.ts';
import { familyOf } from './postgres-native-type.ts';
import { postgresRefusalOf } from './postgres-refusals.ts';
import { encodeForPostgres, postgresDecoder, postgresVariantOf } from './postgres-values.ts';

const smallestBound = 16;

/**
 * A page within a bound that is in the text: the next power of two above its last row.
 *
 * PostgreSQL keeps the plan of a prepared statement when that plan is not expected to cost more than one made for the
 * values of a call. It takes a limit that it does not know for a tenth of the table, so it planned every page again, which
 * took as long as reading the page. Behind the bound it expects a tenth of some rows, and keeps the plan. The rows keep
 * their order: nothing stands between the two limits that could change it.
 */
const postgresPaging: Paging = {
  keyOf: (page) => (isOneRow(page) ? 'one' : String(boundOf(page))),
  pageOf: (select, page) =>
    isOneRow(page)
      ? sql`${select} limit 1`
      : sql`select * from (${select} limit ${sql.lit(boundOf(page))}) as ${sql.id('bounded')}${boundPage()}`,
  isBeforeJoins: () => true,
};

/** A record by its key, for the most part: no page follows. */
function isOneRow({ skip, limit }: Page): boolean {
  return skip === 0 && limit === 1;
}

function boundOf({ skip, limit }: Page): number {
  return Math.max(smallestBound, 2 ** Math.ceil(Math.log2(skip + limit)));
}

/** Kysely only writes SQL here; statements run on our own pool, prepared and named. */
const compiler = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * A row that is seen although its transaction has not ended is one of our own. The row may carry the number of a subtransaction,
 * that of a block of a trigger that catches errors; the number lacks its upper half, which counts the rounds.
 */
const isNew = sql`pg_xact_status((pg_current_xact_id()::text::int8 >> 32 << 32 | ${sql.id('t0', 'xmin')}::text::int8)::text::xid8) = 'in progress'`;

export const postgresDialect: SqlDialect = {
  operatorsOf: postgresOperatorsOf,
  variantOf: (_operator, value) => postgresVariantOf(value),
  condition: postgresCondition,
  decoderOf: postgresDecoder,
  encode: encodeForPostgres,
  refusalOf: postgresRefusalOf,
  assigned: assignedDocument,
  orderKey: sortKey,
  places: {
    textOf: (column, reference) => sql`${sortKey(column, reference)}::text`,
    valueOf: (column, text) => sql`${slot(text)}::${sql.raw(isSortedAsText(column) ? 'text' : column.nativeType)}`,
    ofIndex: (column) => (text) => sql`${slot(text)}::${sql.raw(column.nativeType)}`,
  },
  orderBy(column, reference, isAscending) {
    const direction = isAscending ? sql`asc` : sql`desc`;
    // PostgreSQL has nulls the other way round. Where there are none, nothing is said, so that every index serves.
    const nulls = column.isNullable ? (isAscending ? sql` nulls first` : sql` nulls last`) : sql``;
    return sql`${sortKey(column, reference)} ${direction}${nulls}`;
  },
  paging: postgresPaging,
  aggregate: postgresAggregate,
  aggregateDecoder: postgresAggregateDecoder,
  bucket: postgresBucket,
  expressions: postgresExpressions,
  changedDocument: changedPostgresDocument,
  insertDefaults: sql`default values`,
  givenNumbers: { clause: sql`overriding system value `, countOn },
  movedRows: {
    lastNumber: (collection, column) => sql`currval(${sequenceOf(collection, column)})`,
    isNew,
  },
  returnsCreated: true,
  rowLock: sql` for update`,
  returnsWritten: true,
  // The written form of money is that of the server's country.
  selection: (column, reference) => (isMoney(column) ? sql`${reference}::numeric` : reference),
  storedForm: (_column, reference) => sql`${reference}::text collate "C"`,
  groupKey,
  joined: (column, reference) => (column.type === 'Enum' ? comparable({ column, reference }) : reference),
  joinToOne,
  indexes: postgresIndexes,
  explain: { prefix: 'explain', stepOf: (row) => String(row['QUERY PLAN']) },
  compile(query) {
    const compiled = query.compile(compiler);
    // Every parameter of ours is a slot: values never enter a statement before it runs.
    return {
      sql: compiled.sql,
      parameters: (compiled.parameters as readonly Slot[]).map((parameter) => parameter.bind),
    };
  },
};

/** The row of the table itself comes first: a foreign key refers to that one, whatever child tables hold. */
function joinToOne(collection: CollectionSchema, alias: string, on: Sql): Sql {
  const table = tableReference(collection);
  const isOwn = sql`${sql.id(alias, 'tableoid')} = ${sql.lit(quotedTable(collection))}::regclass`;
  const rows = sql`select ${sql.id(alias)}.* from ${table} as ${sql.id(alias)} where ${on}`;
  return sql` left join lateral (${rows} order by ${isOwn} desc limit 1) as ${sql.id(alias)} on true`;
}

/** Never back, and nothing where no sequence belongs to the column or the user may not change it. */
function countOn(collection: CollectionSchema, column: string): Sql {
  const sequence = sequenceOf(collection, column);
  const highest = sql`max(${sql.id(column)})`;
  const last = sql`coalesce(pg_sequence_last_value(${sequence}), 0)`;
  const counted = sql`case when has_sequence_privilege(${sequence}, 'UPDATE') then setval(${sequence}, greatest(${highest}, ${last})) end`;
  return sql`select ${counted} from ${tableReference(collection)} having ${highest} > 0`;
}

/** The sequence that counts a column; null if there is none. */
function sequenceOf(collection: CollectionSchema, column: string): Sql {
  return sql`pg_get_serial_sequence(${sql.lit(quotedTable(collection))}, ${sql.lit(column)})::regclass`;
}

/** Instants to the millisecond, as records show them, except for keys, which are shown in full. */
function groupKey(column: ColumnSchema, reference: Sql): Sql {
  if (column.type === 'Date' && !column.isPrimaryKey) return sql`date_trunc('milliseconds', ${reference})`;
  return familyOf(column) === 'citext' ? sql`${reference}::text` : reference;
}

function isMoney(column: ColumnSchema): boolean {
  return typeof column.type === 'string' && familyOf(column) === 'money';
}

/** Texts by code point; values of an enumeration by their text too, not by their place in it. */
function sortKey(column: ColumnSchema, reference: Sql): Sql {
  return isSortedAsText(column) ? sql`${asText({ column, reference })} collate "C"` : reference;
}

function isSortedAsText({ type }: ColumnSchema): boolean {
  return type === 'String' || type === 'Enum';
}

/** The document `null` is shown as null. Saved again it stays what it is. */
function assignedDocument(column: ColumnSchema, reference: Sql, value: Sql): Sql {
  if (isListType(column.type) && column.type[0] === 'Json') return assignedDocuments(column, reference, value);
  if (column.type !== 'Json') return value;
  const isKept = sql`${value}::text is null and ${reference}::jsonb = 'null'`;
  return sql`case when ${isKept} then ${reference} else ${value}::${sql.raw(column.nativeType)} end`;
}

/** The same for each place of a list, where NULL and the document `null` are both shown as null. */
function assignedDocuments(column: ColumnSchema, reference: Sql, value: Sql): Sql {
  const type = sql.raw(column.nativeType);
  const stored = sql`(${reference})[place + array_lower(${reference}, 1) - 1]`;
  const kept = sql`case when item is null and ${stored}::jsonb = 'null' then ${stored} else item end`;
  const items = sql`unnest(${value}::${type}) with ordinality as given (item, place)`;
  return sql`coalesce((select array_agg(${kept} order by place) from ${items}), ${value}::${type})`;
}

/** Every object on the way is the one that is there, or a new one; its other keys stay. */
function changedPostgresDocument(
  column: ColumnSchema,
  document: Sql,
  tree: DocumentTree,
  valueAt: (position: number) => Sql,
): Sql {
  const change = (node: DocumentTree, path: readonly string[]): Sql => {
    const inner = sql`(${document}::jsonb #> ${slot(() => writeArray(path))}::text[])`;
    const object = sql`case jsonb_typeof(${inner}) when 'object' then ${inner} else '{}'::jsonb end`;
    const values = [...node].map(([key, below]) => {
      const value = typeof below === 'number' ? sql`${valueAt(below)}::jsonb` : change(below, [...path, key]);
      return sql`${slot(() => key)}::text, ${value}`;
    });
    return sql`(${object} || jsonb_build_object(${sql.join(values)}))`;
  };
  return sql`${change(tree, [])}::${sql.raw(column.nativeType)}`;
}
