import { sql } from 'kysely';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { CollectionSchema, JoinPairs, RelationSchema } from '../../query/collection-schema.ts';
import type { DeletedChoice } from '../interface/data-source.ts';
import type { Sql, SqlDialect } from './sql-dialect.ts';

/** A table of a statement. */
export interface JoinedTable {
  readonly alias: string;
  readonly collection: CollectionSchema;
}

/** The tables that a path goes through, in a sub-query of their own. */
export interface RelatedTables {
  /** `"order_tags" as "r0" inner join "tags" as "r1" on …` */
  readonly from: Sql;
  /** The join to the record that is queried. */
  readonly correlation: Sql;
  /** The table at the end of the path. */
  readonly last: JoinedTable;
  /** How many aliases are taken. */
  readonly size: number;
}

interface Hop {
  readonly collection: string;
  readonly join: JoinPairs;
  readonly referred: ReferredSide;
}

/** The side of a join that the columns of the other side refer to. */
type ReferredSide = 'local' | 'foreign';

/** The tables from `start`, which the statement around has, to the end of `relationPath`, through relations of any kind. */
export function relatedTables(
  collections: ReadonlyMap<string, CollectionSchema>,
  start: JoinedTable,
  relationPath: string,
  dialect: SqlDialect,
): RelatedTables {
  const parts: Sql[] = [];
  let [last, correlation] = [start, sql`1 = 1`];
  for (const step of relationPath.split(':')) {
    for (const hop of hopsOf(last.collection, step)) {
      const table = { alias: `r${parts.length}`, collection: collectionNamed(collections, hop.collection) };
      const named = sql`${tableReference(table.collection)} as ${sql.id(table.alias)}`;
      const on = joinCondition(last, table, hop, dialect);
      if (parts.length === 0) correlation = on;
      parts.push(parts.length === 0 ? named : sql` inner join ${named} on ${on}`);
      last = table;
    }
  }
  return { from: sql.join(parts, sql``), correlation, last, size: parts.length };
}

/** The part of a path up to its last to-many relation; empty when it leads to one record. */
export function toManyPart(
  collections: ReadonlyMap<string, CollectionSchema>,
  root: CollectionSchema,
  path: string,
): string {
  const steps = path.split(':').slice(0, -1);
  let collection = root;
  let length = 0;
  for (const [index, step] of steps.entries()) {
    const relation = collection.fields.get(step);
    if (!relation || relation.kind === 'column') throw unplanned(path);
    if (relation.kind === 'OneToMany' || relation.kind === 'ManyToMany') length = index + 1;
    collection = collectionNamed(collections, relation.foreignCollection);
  }
  return steps.slice(0, length).join(':');
}

/**
 * `"t1"."id" = "t0"."customer_id"`, for every part of the key. The column that is referred to stands first, in either direction:
 * SQLite compares texts as its first operand does. A relation does not lead to deleted records.
 */
export function joinCondition(
  local: JoinedTable,
  foreign: JoinedTable,
  { join, referred }: Pick<Hop, 'join' | 'referred'>,
  dialect: Pick<SqlDialect, 'joined' | 'referring'>,
): Sql {
  const on = join.map((pair) => {
    const [here, there] = [columnOf(local, pair.local, dialect), columnOf(foreign, pair.foreign, dialect)];
    const [key, other] = referred === 'local' ? [here, there] : [there, here];
    const referring = key.column && other.column && dialect.referring?.(other.column, other.reference, key.column);
    return sql`${key.reference} = ${referring ?? other.reference}`;
  });
  return sql.join([...on, ...shownCondition(foreign, undefined)], sql` and `);
}

function columnOf({ alias, collection }: JoinedTable, name: string, dialect: Pick<SqlDialect, 'joined'>) {
  const field = collection.fields.get(name);
  const reference = sql.id(alias, name);
  if (field?.kind !== 'column') return { column: undefined, reference };
  return { column: field, reference: dialect.joined?.(field, reference) ?? reference };
}

export function referredSide({ kind }: Pick<RelationSchema, 'kind'>): ReferredSide {
  return kind === 'ManyToOne' ? 'foreign' : 'local';
}

/** `"t0"."deleted_at" is null`, for a table whose deleted records are marked; nothing for another one. */
export function shownCondition({ alias, collection }: JoinedTable, choice: DeletedChoice | undefined): Sql[] {
  if (!collection.softDelete || choice === 'with') return [];
  const mark = sql.id(alias, collection.softDelete.column);
  return [choice === 'only' ? sql`${mark} is not null` : sql`${mark} is null`];
}

/** The table of a collection, with its schema where it has one. */
export function tableReference({ name, table }: CollectionSchema): Sql {
  if (!table) return sql.id(name);
  return table.schema === undefined ? sql.id(table.name) : sql.id(table.schema, table.name);
}

export function collectionNamed(collections: ReadonlyMap<string, CollectionSchema>, name: string): CollectionSchema {
  const collection = collections.get(name);
  if (!collection) throw unplanned(name);
  return collection;
}

/** The planner checks every path before it asks a data source. */
export function unplanned(path: string): CloudError {
  return cloudError('INTERNAL_BUG', `The data source was asked for "${path}", which it does not have.`);
}

function hopsOf(collection: CollectionSchema, step: string): readonly Hop[] {
  const relation = collection.fields.get(step);
  if (!relation || relation.kind === 'column') throw unplanned(step);
  const { foreignCollection } = relation;
  if (relation.kind !== 'ManyToMany') {
    return [{ collection: foreignCollection, join: relation.join, referred: referredSide(relation) }];
  }
  return [
    { collection: relation.throughCollection, join: relation.originJoin, referred: 'local' },
    { collection: foreignCollection, join: relation.foreignJoin, referred: 'foreign' },
  ];
}
