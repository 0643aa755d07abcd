import { sql } from 'kysely';
import type { CollectionSchema, JoinPairs, ToOneRelation } from '../../query/collection-schema.ts';
import type { DeletedChoice } from '../interface/data-source.ts';
import { compileExpressionColumn } from './compile-expression.ts';
import type { ConditionColumns, JoinedColumn, RelatedRecords } from './condition-shape.ts';
import {
  collectionNamed,
  type JoinedTable,
  joinCondition,
  referredSide,
  relatedTables,
  shownCondition,
  tableReference,
  toManyPart,
  unplanned,
} from './related-tables.ts';
import type { Sql, SqlDialect } from './sql-dialect.ts';

/** The tables of one statement: the root, and one left join for each to-one relation that a path goes through. */
export interface JoinPlan extends ConditionColumns {
  /** A column that is null exactly when the relation at `path` leads nowhere. */
  markerOf(relationPath: string): Sql;
  /** `"orders" as "t0" left join …`, of every path asked for so far. `root` may replace the table. */
  from(root?: Sql): Sql;
  hasJoins(): boolean;
  /** Whether every join leads to a primary key, so that no row of the root comes more than once. */
  hasOneRowEach(): boolean;
  /** The columns of the root that were asked for so far, or that a join needs. */
  rootColumns(): readonly Sql[];
  /** The condition that hides records of the root: deleted ones, or by `choice` those that are not deleted. */
  shownCondition(choice: DeletedChoice | undefined): readonly Sql[];
  /** Whether related records were asked for, and so a sub-query reads further tables, or the root again. */
  hasSubQueries(): boolean;
}

interface Start {
  readonly table: JoinedTable;
  readonly from: Sql;
  /** The aliases of joined tables: a letter, and the first free number. */
  readonly letter: string;
  readonly number: number;
}

type Collections = ReadonlyMap<string, CollectionSchema>;

export function createJoinPlan(collections: Collections, root: string, dialect: SqlDialect): JoinPlan {
  const table = { alias: 't0', collection: collectionNamed(collections, root) };
  const from = sql`${tableReference(table.collection)} as ${sql.id(table.alias)}`;
  return joinPlanFrom(collections, { table, from, letter: 't', number: 1 }, dialect);
}

function joinPlanFrom(collections: Collections, start: Start, dialect: SqlDialect): JoinPlan {
  const tables = new Map<string, JoinedTable>([['', start.table]]);
  const joins: Sql[] = [];
  const markers = new Map<string, Sql>();
  const rootColumns = new Set<string>();
  let hasOneRowEach = true;
  let hasSubQueries = false;

  function tableAt(path: string): JoinedTable {
    const known = tables.get(path);
    if (known) return known;
    const split = path.lastIndexOf(':');
    const parent = tableAt(split === -1 ? '' : path.slice(0, split));
    const relation = toOneRelation(parent.collection, path.slice(split + 1));
    const alias = `${start.letter}${start.number + joins.length}`;
    const table = { alias, collection: collectionNamed(collections, relation.foreignCollection) };
    tables.set(path, table);
    const on = joinCondition(parent, table, { join: relation.join, referred: referredSide(relation) }, dialect);
    if (parent === start.table) for (const { local } of relation.join) rootColumns.add(local);
    hasOneRowEach &&= isOnPrimaryKey(relation.join, table.collection);
    joins.push(joinToOne(table, on, dialect));
    markers.set(path, sql.id(alias, relation.join[0]?.foreign ?? ''));
    return table;
  }

  function from(root = start.from): Sql {
    return joins.length > 0 ? sql`${root}${sql.join(joins, sql``)}` : root;
  }

  function columnAt(path: string): JoinedColumn {
    const split = path.lastIndexOf(':');
    const prefix = split === -1 ? '' : path.slice(0, split);
    const table = tableAt(prefix);
    const column = table.collection.fields.get(path.slice(split + 1));
    if (column?.kind !== 'column') throw unplanned(path);
    if (column.expression) {
      const fromOwner = (inner: string) => columnAt(prefix === '' ? inner : `${prefix}:${inner}`);
      return compileExpressionColumn(
        column,
        column.expression,
        fromOwner,
        dialect,
        prefix === '' ? undefined : markerOf(prefix),
      );
    }
    if (table === start.table) rootColumns.add(column.name);
    // Behind a relation anything may be null: the relation may lead nowhere.
    const found = split === -1 || column.isNullable ? column : { ...column, isNullable: true };
    return { column: found, reference: sql.id(table.alias, column.name) };
  }

  function markerOf(relationPath: string): Sql {
    tableAt(relationPath);
    const marker = markers.get(relationPath);
    if (!marker) throw unplanned(relationPath);
    return marker;
  }

  return {
    columnAt,
    markerOf,
    toManyPart: (path) => toManyPart(collections, start.table.collection, path),
    related(relationPath) {
      hasSubQueries = true;
      return relatedRecords(collections, start.table, relationPath, dialect);
    },
    from,
    hasJoins: () => joins.length > 0,
    hasOneRowEach: () => hasOneRowEach,
    rootColumns: () => [...rootColumns].map((name) => sql.id(start.table.alias, name)),
    shownCondition: (choice) => shownCondition(start.table, choice),
    hasSubQueries: () => hasSubQueries,
  };
}

function joinToOne({ alias, collection }: JoinedTable, on: Sql, dialect: SqlDialect): Sql {
  if (collection.hasChildTables && dialect.joinToOne) return dialect.joinToOne(collection, alias, on);
  return sql` left join ${tableReference(collection)} as ${sql.id(alias)} on ${on}`;
}

function relatedRecords(
  collections: Collections,
  table: JoinedTable,
  relationPath: string,
  dialect: SqlDialect,
): RelatedRecords {
  const { from, correlation, last, size } = relatedTables(collections, table, relationPath, dialect);
  const joins = joinPlanFrom(collections, { table: last, from, letter: 'r', number: size }, dialect);
  return {
    joins,
    exists: (condition) => sql`exists (select 1 from ${joins.from()} where ${correlation} and ${condition})`,
  };
}

function isOnPrimaryKey(pairs: JoinPairs, { primaryKey }: CollectionSchema): boolean {
  return primaryKey.length > 0 && primaryKey.every((name) => pairs.some(({ foreign }) => foreign === name));
}

function toOneRelation(collection: CollectionSchema, name: string): ToOneRelation {
  const relation = collection.fields.get(name);
  if (relation?.kind !== 'ManyToOne' && relation?.kind !== 'OneToOne') throw unplanned(name);
  return relation;
}
