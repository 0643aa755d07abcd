import { sql } from 'kysely';
import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';
import type { AggregateRow, Aggregation, AggregationGroup } from '../../query/aggregation.ts';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { AggregateQuery, DeletedChoice } from '../interface/data-source.ts';
import { shownValue } from './compile-expression.ts';
import { type CompileContext, whereClause } from './compile-statements.ts';
import type { JoinedColumn } from './condition-shape.ts';
import { createJoinPlan, type JoinPlan } from './join-plan.ts';
import type { CompiledSql, Sql, SqlDialect } from './sql-dialect.ts';
import { slot } from './statement-parameters.ts';

export interface CompiledAggregate extends CompiledSql {
  read(row: SqlRow): AggregateRow;
}

interface PlannedGroup {
  readonly field: string;
  readonly alias: string;
  readonly selected: Sql;
  /** Its number in the selection. */
  readonly position: Sql;
  readonly order: Sql;
  readonly decode: (stored: SqlValue) => unknown;
}

/** One statement that groups, aggregates, orders and cuts in the database. */
export function compileAggregate(
  query: AggregateQuery,
  shown: DeletedChoice | undefined,
  { dialect, collections }: CompileContext,
): CompiledAggregate {
  const { operation, field, groups, shownWhere } = query.aggregation;
  const joins = createJoinPlan(collections, query.collection, dialect);
  const target = field === undefined ? undefined : shownColumn(field, shownWhere, joins, dialect);
  // An expression with parameters is not the same expression a second time. An outer query orders by its alias instead.
  const paths = [...groups.map((group) => group.field), ...(field === undefined ? [] : [field])];
  const isDerived =
    [query.aggregation, ...groups].some((part) => part.shownWhere !== undefined) ||
    paths.some((path) => joins.columnAt(path).column.expression !== undefined);
  const planned = groups.map((group, index) => planGroup(group, index, joins, dialect, isDerived));
  const where = whereClause(query.where, shown, joins, dialect);
  const value = dialect.aggregate(operation, target?.column, target?.reference);
  const selection = [value, ...planned.map((group) => group.selected)].map(
    (selected, index) => sql`${selected} as ${sql.id(index === 0 ? 'value' : `g${index - 1}`)}`,
  );
  // Group by position, because an expression with a parameter is not the same expression a second time.
  const groupBy = planned.length > 0 ? sql` group by ${sql.join(planned.map((group) => group.position))}` : sql``;
  const ranked = isDerived ? sql.id('value') : value;
  const rank = dialect.aggregateRank?.(operation, target?.column, ranked) ?? ranked;
  // Null values come last whatever the engine thinks of nulls.
  const order = [sql`${rank} is null`, sql`${rank} desc`, ...planned.map((group) => group.order)];
  const limit = query.limit === undefined ? sql`` : sql` limit ${slot((context) => context.page.limit)}`;
  const grouped = sql`select ${sql.join(selection)} from ${joins.from()}${where}${groupBy}`;
  const source = isDerived ? sql`select * from (${grouped}) as ${sql.id('grouped')}` : grouped;
  const compiled = dialect.compile(sql`${source} order by ${sql.join(order)}${limit}`);
  const decodeValue = dialect.aggregateDecoder(operation, target?.column);
  return {
    ...compiled,
    read: (row) => ({ value: decoded(row['value'], decodeValue), group: readGroup(planned, row) }),
  };
}

/** The text of the aggregation that decides the statement, for the plan cache. */
export function aggregationKey({ operation, field, shownWhere, groups }: Aggregation, hasLimit: boolean): string {
  return JSON.stringify([
    operation,
    field ?? null,
    shownWhere ?? null,
    groups.map((group) => [group.field, group.bucket ?? null, group.shownWhere ?? null]),
    hasLimit,
  ]);
}

function planGroup(
  { field, bucket, shownWhere }: AggregationGroup,
  index: number,
  joins: JoinPlan,
  dialect: SqlDialect,
  isDerived: boolean,
): PlannedGroup {
  const { column, reference } = shownColumn(field, shownWhere, joins, dialect);
  const position = sql.lit(index + 2);
  const selected =
    bucket === undefined ? groupKeyOf(column, reference, dialect) : dialect.bucket(column, reference, bucket);
  const alias = `g${index}`;
  // Groups by days, or by instants to the millisecond, are not the column itself.
  const isColumn = bucket === undefined && column.type !== 'Date';
  const ordered = isDerived ? sql.id(alias) : isColumn ? reference : position;
  return {
    field,
    alias,
    selected,
    position,
    order: dialect.orderBy(bucket === undefined ? column : { ...column, type: 'Dateonly' }, ordered, true),
    decode: bucket === undefined ? dialect.decoderOf(column) : String,
  };
}

function shownColumn(
  path: string,
  shownWhere: ConditionTree | undefined,
  joins: JoinPlan,
  dialect: SqlDialect,
): JoinedColumn {
  const found = joins.columnAt(path);
  if (!shownWhere) return found;
  return {
    column: { ...found.column, isNullable: true },
    reference: shownValue(found.reference, shownWhere, joins, dialect),
  };
}

function groupKeyOf(column: ColumnSchema, reference: Sql, dialect: SqlDialect): Sql {
  return dialect.groupKey?.(column, reference) ?? reference;
}

function readGroup(planned: readonly PlannedGroup[], row: SqlRow): Record<string, unknown> {
  return Object.fromEntries(planned.map(({ field, alias, decode }) => [field, decoded(row[alias], decode)]));
}

function decoded(stored: SqlValue | undefined, decode: (stored: SqlValue) => unknown): unknown {
  return stored === null || stored === undefined ? null : decode(stored);
}
