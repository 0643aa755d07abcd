import { sql } from 'kysely';
import { CloudError } from '#kernel/errors/cloud-error';
import type { CollectionSchema, ColumnSchema, ToOneRelation } from '../collection-schema.ts';
import type { Sql } from './sql-dialect.ts';

export interface JoinedColumn {
  readonly column: ColumnSchema;
  readonly reference: Sql;
}

interface JoinedTable {
  readonly alias: string;
  readonly collection: CollectionSchema;
}

/** The tables of one statement: the root, and one left join for each to-one relation that a path goes through. */
export interface JoinPlan {
  /** The column at the end of `column` or `relation:column`; joins what lies between. */
  columnAt(path: string): JoinedColumn;
  /** A column that is null exactly when the relation at `path` leads nowhere. */
  markerOf(relationPath: string): Sql;
  /** `"orders" as "t0" left join …`, of every path asked for so far. */
  from(): Sql;
  hasJoins(): boolean;
}

export function createJoinPlan(collections: ReadonlyMap<string, CollectionSchema>, root: string): JoinPlan {
  const tables = new Map<string, JoinedTable>([['', { alias: 't0', collection: collectionNamed(collections, root) }]]);
  const joins: Sql[] = [];
  const markers = new Map<string, Sql>();

  function tableAt(path: string): JoinedTable {
    const known = tables.get(path);
    if (known) return known;
    const split = path.lastIndexOf(':');
    const parent = tableAt(split === -1 ? '' : path.slice(0, split));
    const relation = toOneRelation(parent.collection, path.slice(split + 1));
    const table = { alias: `t${tables.size}`, collection: collectionNamed(collections, relation.foreignCollection) };
    tables.set(path, table);
    const on = relation.join.map(
      (pair) => sql`${sql.id(table.alias, pair.foreign)} = ${sql.id(parent.alias, pair.local)}`,
    );
    joins.push(
      sql` left join ${tableReference(table.collection)} as ${sql.id(table.alias)} on ${sql.join(on, sql` and `)}`,
    );
    markers.set(path, sql.id(table.alias, relation.join[0]?.foreign ?? ''));
    return table;
  }

  return {
    columnAt(path) {
      const split = path.lastIndexOf(':');
      const table = tableAt(split === -1 ? '' : path.slice(0, split));
      const column = table.collection.fields.get(path.slice(split + 1));
      if (column?.kind !== 'column') throw unplanned(path);
      // Behind a relation anything may be null: the relation may lead nowhere.
      const found = split === -1 || column.isNullable ? column : { ...column, isNullable: true };
      return { column: found, reference: sql.id(table.alias, column.name) };
    },
    markerOf(relationPath) {
      tableAt(relationPath);
      const marker = markers.get(relationPath);
      if (!marker) throw unplanned(relationPath);
      return marker;
    },
    from: () =>
      sql`${tableReference(collectionNamed(collections, root))} as ${sql.id('t0')}${joins.length > 0 ? sql.join(joins, sql``) : sql``}`,
    hasJoins: () => joins.length > 0,
  };
}

/** The table of a collection, with its schema where it has one. */
export function tableReference({ name, table }: CollectionSchema): Sql {
  if (!table) return sql.id(name);
  return table.schema === undefined ? sql.id(table.name) : sql.id(table.schema, table.name);
}

function toOneRelation(collection: CollectionSchema, name: string): ToOneRelation {
  const relation = collection.fields.get(name);
  if (relation?.kind !== 'ManyToOne' && relation?.kind !== 'OneToOne') throw unplanned(name);
  return relation;
}

function collectionNamed(collections: ReadonlyMap<string, CollectionSchema>, name: string): CollectionSchema {
  const collection = collections.get(name);
  if (!collection) throw unplanned(name);
  return collection;
}

/** The planner checks every path before it asks a data source. */
function unplanned(path: string): CloudError {
  return new CloudError({
    code: 'INTERNAL_BUG',
    message: `The data source was asked for "${path}", which it does not have.`,
  });
}
