import { sql } from 'kysely';
import type { SqlRow } from '#kernel/ports/sql-row';
import {
  type CollectionSchema,
  type ColumnSchema,
  type FieldSchema,
  isNumberedKey,
} from '../../query/collection-schema.ts';
import { type ConditionLeaf, type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { DocumentChange, documentTree } from '../../query/document-change.ts';
import type { ListQuery, RecordData, SortClause } from '../../query/record-query.ts';
import { StoredForm, StoredPlace } from '../../query/stored-form.ts';
import type { DeletedChoice, StoredRecord } from '../interface/data-source.ts';
import { compileConditions } from './compile-conditions.ts';
import { shownValue } from './compile-expression.ts';
import { createJoinPlan, type JoinPlan } from './join-plan.ts';
import { tableReference } from './related-tables.ts';
import { createRowReader } from './row-reader.ts';
import type { CompiledSql, Sql, SqlDialect } from './sql-dialect.ts';
import { slot } from './statement-parameters.ts';

/** The dialect and the collections that statements are compiled for. */
export interface CompileContext {
  readonly dialect: SqlDialect;
  readonly collections: ReadonlyMap<string, CollectionSchema>;
}

export interface CompiledRead extends CompiledSql {
  read(row: SqlRow): RecordData;
}

export interface CompiledInsert extends CompiledRead {
  /** To be carried out afterwards, where the records give numbers that the database counts. Takes no parameters. */
  readonly countOn?: string;
}

/**
 * A list, in one of two forms. Joins come before the page, unless the root alone decides which rows the page has: then these
 * rows are found first, and the joins and the order stand around them.
 */
export function compileList(
  query: ListQuery,
  shown: DeletedChoice | undefined,
  { dialect, collections }: CompileContext,
): CompiledRead {
  const { paging } = dialect;
  const joins = createJoinPlan(collections, query.collection, dialect);
  const where = whereClause(query.where, shown, joins, dialect);
  const order = orderClause(query.sort ?? [], joins, dialect);
  // The projection adds joins of its own below.
  const isFoundInOneTable = !joins.hasJoins();
  const table = joins.from();
  const { selection, read } = createRowReader(query.projection, joins, dialect);
  const { page } = query;
  const compiled = (select: Sql) => ({ ...dialect.compile(select), read });
  if (!page) return compiled(sql`select ${selection} from ${joins.from()}${where}${order}`);
  const isPageFirst = isFoundInOneTable && joins.hasJoins() && joins.hasOneRowEach() && paging.isBeforeJoins?.(page);
  if (!isPageFirst) return compiled(paging.pageOf(sql`select ${selection} from ${joins.from()}${where}${order}`, page));
  const rows = paging.pageOf(sql`select ${sql.join(joins.rootColumns())} from ${table}${where}${order}`, page);
  return compiled(sql`select ${selection} from ${joins.from(sql`(${rows}) as ${sql.id('t0')}`)}${order}`);
}

export interface CompiledStoredRead extends CompiledSql {
  read(row: SqlRow): StoredRecord;
}

/** Columns of records, each with the form in which it is stored. */
export function compileStoredList(
  collection: string,
  columns: readonly string[],
  tree: ConditionTree | undefined,
  shown: DeletedChoice | undefined,
  { dialect, collections }: CompileContext,
): CompiledStoredRead {
  const joins = createJoinPlan(collections, collection, dialect);
  const { selection, read } = createRowReader(columns, joins, dialect);
  const aliases = columns.map((_, index) => `s${index}`);
  const forms = columns.map((name, index) => {
    const { column, reference } = joins.columnAt(name);
    return sql`${dialect.storedForm(column, reference)} as ${sql.id(aliases[index] ?? '')}`;
  });
  const where = whereClause(tree, shown, joins, dialect);
  const formOf = (stored: SqlRow[string]) => (stored === null ? undefined : new StoredForm(String(stored)));
  return {
    ...dialect.compile(sql`select ${sql.join([selection, ...forms])} from ${joins.from()}${where}`),
    read: (row) => ({ record: read(row), forms: aliases.map((alias) => formOf(row[alias] ?? null)) }),
  };
}

export interface CompiledPlaces extends CompiledSql {
  read(row: SqlRow): StoredPlace[];
}

/** Where rows stand in the orders of columns. */
export function compilePlaces(
  collection: string,
  paths: readonly string[],
  tree: ConditionTree | undefined,
  shown: DeletedChoice | undefined,
  { dialect, collections }: CompileContext,
): CompiledPlaces {
  const joins = createJoinPlan(collections, collection, dialect);
  const aliases = paths.map((_, index) => `s${index}`);
  const texts = paths.map((path, index) => {
    const { column, reference } = joins.columnAt(path);
    return sql`${dialect.places.textOf(column, reference)} as ${sql.id(aliases[index] ?? '')}`;
  });
  const where = whereClause(tree, shown, joins, dialect);
  const placeOf = (stored: SqlRow[string]) => new StoredPlace(stored === null ? undefined : String(stored));
  return {
    ...dialect.compile(sql`select ${sql.join(texts)} from ${joins.from()}${where}`),
    read: (row) => aliases.map((alias) => placeOf(row[alias] ?? null)),
  };
}

/** Columns of the rows that a condition is true of, which stay as they are until the transaction ends. */
export function compileLockedList(
  collection: CollectionSchema,
  columns: readonly string[],
  tree: ConditionTree | undefined,
  shown: DeletedChoice | undefined,
  { dialect, collections }: CompileContext,
): CompiledRead {
  const joins = createJoinPlan(collections, collection.name, dialect);
  const reader = createRowReader(columns, joins, dialect);
  const where = whereClause(tree, shown, joins, dialect);
  const compiled = dialect.compile(sql`select ${reader.selection} from ${joins.from()}${where}${dialect.rowLock}`);
  return { ...compiled, read: reader.read };
}

export function compileCount(
  collection: string,
  tree: ConditionTree | undefined,
  shown: DeletedChoice | undefined,
  { dialect, collections }: CompileContext,
): CompiledSql {
  const joins = createJoinPlan(collections, collection, dialect);
  const where = whereClause(tree, shown, joins, dialect);
  return dialect.compile(sql`select count(*) as ${sql.id('count')} from ${joins.from()}${where}`);
}

/**
 * `rows` records that give the same `columns`; their values follow one another in `BindContext.values`, record by record.
 * Where the engine cannot return what it wrote, the rows are read again by their keys.
 */
export function compileInsert(
  collection: CollectionSchema,
  columns: readonly ColumnSchema[],
  rows: number,
  { dialect, collections }: CompileContext,
): CompiledInsert {
  const everyColumn = [...collection.fields.values()].flatMap((field) => (isStored(field) ? [field.name] : []));
  const reader = createRowReader(
    everyColumn,
    unqualified(createJoinPlan(collections, collection.name, dialect)),
    dialect,
  );
  const names = sql.join(columns.map((column) => sql.id(column.name)));
  const tuple = (row: number) =>
    sql`(${sql.join(columns.map((column, index) => encodedSlot(column, row * columns.length + index, dialect)))})`;
  const numbered = columns.find(isNumberedKey);
  const numbers = numbered && dialect.givenNumbers;
  const given =
    columns.length > 0
      ? sql`(${names}) ${numbers?.clause ?? sql``}values ${sql.join(Array.from({ length: rows }, (_, row) => tuple(row)))}`
      : dialect.insertDefaults;
  const returning = dialect.returnsCreated && !collection.hidesCreated ? sql` returning ${reader.selection}` : sql``;
  const compiled = dialect.compile(sql`insert into ${tableReference(collection)} ${given}${returning}`);
  const counting = numbers && { countOn: dialect.compile(numbers.countOn(collection, numbered.name)).sql };
  return { ...compiled, read: reader.read, ...counting };
}

/** The row that this transaction has made: by the parts of its key that are given, and the numbers that the others got. */
export function compileMovedRow(
  collection: CollectionSchema,
  given: ConditionTree,
  numbered: readonly string[],
  { lastNumber, isNew }: NonNullable<SqlDialect['movedRows']>,
  { dialect, collections }: CompileContext,
): CompiledRead {
  const joins = createJoinPlan(collections, collection.name, dialect);
  const columns = [...collection.fields.values()].flatMap((field) => (isStored(field) ? [field.name] : []));
  const { selection, read } = createRowReader(columns, joins, dialect);
  const key = compileConditions(given, joins, dialect);
  const numbers = numbered.map((name) => sql`${sql.id('t0', name)} = ${lastNumber(collection, name)}`);
  const where = sql.join([...(key ? [key] : []), ...numbers, isNew], sql` and `);
  return { ...dialect.compile(sql`select ${selection} from ${joins.from()} where ${where} limit 1`), read };
}

/** The values of the conditions come first in `BindContext.values`, then those of `columns`, whose shape `patch` has. */
export function compileUpdate(
  collection: CollectionSchema,
  columns: readonly ColumnSchema[],
  patch: RecordData,
  tree: ConditionTree | undefined,
  shown: DeletedChoice | undefined,
  leafCount: number,
  isTold: boolean,
  context: CompileContext,
): CompiledRead {
  const { dialect, collections } = context;
  const assignments = columns.map((column, index) => ({
    column: sql.id(column.name),
    value: assignedValue(column, patch[column.name], leafCount + index, dialect),
  }));
  const joins = createJoinPlan(collections, collection.name, dialect);
  const where = whereOfWrite(tree, shown, joins, dialect);
  const own = compileConditions(leadingConditions(tree, collection), joins, dialect);
  if (dialect.writeStatements) {
    const joined = joinedRows(collection, joins, where, own);
    return written(dialect.writeStatements.update(joined.from, assignments, joined.where), collection, isTold, context);
  }
  const set = assignments.map(({ column, value }) => sql`${column} = ${value}`);
  const reached = reachedRows(collection, joins, where, own);
  const update = sql`update ${tableReference(collection)} as ${sql.id('t0')} set ${sql.join(set)}${reached}`;
  return written(update, collection, isTold, context);
}

export function compileDelete(
  collection: CollectionSchema,
  tree: ConditionTree | undefined,
  shown: DeletedChoice | undefined,
  isTold: boolean,
  context: CompileContext,
): CompiledRead {
  const { dialect, collections } = context;
  const joins = createJoinPlan(collections, collection.name, dialect);
  const where = whereOfWrite(tree, shown, joins, dialect);
  const own = compileConditions(leadingConditions(tree, collection), joins, dialect);
  if (dialect.writeStatements) {
    const joined = joinedRows(collection, joins, where, own);
    return written(dialect.writeStatements.delete(joined.from, joined.where), collection, isTold, context);
  }
  const reached = reachedRows(collection, joins, where, own);
  const remove = sql`delete from ${tableReference(collection)} as ${sql.id('t0')}${reached}`;
  return written(remove, collection, isTold, context);
}

/** A write that returns the keys of its rows where somebody is reported for them and the engine can; `read` reads one. */
function written(
  statement: Sql,
  collection: CollectionSchema,
  isTold: boolean,
  { dialect, collections }: CompileContext,
): CompiledRead {
  const joins = unqualified(createJoinPlan(collections, collection.name, dialect));
  const reader = createRowReader(collection.primaryKey, joins, dialect);
  const returning = isTold && dialect.returnsWritten ? sql` returning ${reader.selection}` : sql``;
  return { ...dialect.compile(sql`${statement}${returning}`), read: reader.read };
}

/** Standard writes have no joins: conditions behind a relation become a sub-query of keys. */
function reachedRows(collection: CollectionSchema, joins: JoinPlan, where: Sql, own: Sql | undefined): Sql {
  if (!joins.hasJoins()) return where;
  const key = sql.join(collection.primaryKey.map((name) => sql.id('t0', name)));
  const repeated = own ? sql` and ${own}` : sql``;
  return sql` where (${key}) in (select ${key} from ${joins.from()}${where})${repeated}`;
}

/**
 * The conditions on columns of the row itself that a condition begins with. A write waits for a transaction that is changing its
 * row, then looks at its own conditions again, and not at those inside a sub-query: these are repeated beside it. They begin the
 * whole condition, so that they are numbered, and take their values, as there.
 */
function leadingConditions(tree: ConditionTree | undefined, { fields }: CollectionSchema): ConditionTree | undefined {
  if (!tree || !isBranch(tree) || tree.aggregator !== 'And') return undefined;
  const isOwn = (node: ConditionTree): boolean => {
    if (isBranch(node)) return node.conditions.every(isOwn);
    const field = fields.get(node.field);
    return field !== undefined && isStored(field);
  };
  const end = tree.conditions.findIndex((node) => !isOwn(node));
  const conditions = end === -1 ? tree.conditions : tree.conditions.slice(0, end);
  return conditions.length > 0 ? { aggregator: 'And', conditions } : undefined;
}

/**
 * The rows of a write that takes joins. No sub-query of it may read the table that it changes, so conditions on related records
 * are answered first, by a table of keys. `distinct` keeps the engine from dissolving that table into the write.
 */
function joinedRows(
  collection: CollectionSchema,
  joins: JoinPlan,
  where: Sql,
  own: Sql | undefined,
): { readonly from: Sql; readonly where: Sql } {
  if (!joins.hasSubQueries()) return { from: joins.from(), where };
  const { primaryKey } = collection;
  const keys = sql.join(primaryKey.map((name) => sql.id('t0', name)));
  const reached = sql`select distinct ${keys} from ${joins.from()}${where}`;
  const on = primaryKey.map((name) => sql`${sql.id('t0', name)} = ${sql.id('reached', name)}`);
  const table = sql`${tableReference(collection)} as ${sql.id('t0')}`;
  return {
    from: sql`${table} inner join (${reached}) as ${sql.id('reached')} on ${sql.join(on, sql` and `)}`,
    where: own ? sql` where ${own}` : sql``,
  };
}

/** The same as for a read, but that an engine may need a form of its own where computed columns meet related records. */
function whereOfWrite(
  tree: ConditionTree | undefined,
  shown: DeletedChoice | undefined,
  joins: JoinPlan,
  dialect: SqlDialect,
): Sql {
  const guard = dialect.writeStatements?.guarded;
  const isComputed = ({ field }: ConditionLeaf) =>
    joins.toManyPart(field) === '' && joins.columnAt(field).column.expression !== undefined;
  return guard && leavesOf(tree).some(isComputed)
    ? whereClause(tree, shown, joins, dialect, guard)
    : whereClause(tree, shown, joins, dialect);
}

function leavesOf(tree: ConditionTree | undefined): ConditionLeaf[] {
  if (!tree) return [];
  return isBranch(tree) ? tree.conditions.flatMap(leavesOf) : [tree];
}

/** Whether it is a column of a table. */
export function isStored(field: FieldSchema): field is ColumnSchema {
  return field.kind === 'column' && field.expression === undefined;
}

/** RETURNING knows the columns of the table by their bare names only. */
function unqualified(joins: JoinPlan): JoinPlan {
  return {
    ...joins,
    columnAt: (path) => {
      const { column } = joins.columnAt(path);
      return { column, reference: sql.id(column.name) };
    },
  };
}

function assignedValue(column: ColumnSchema, value: unknown, index: number, dialect: SqlDialect): Sql {
  if (!(value instanceof DocumentChange)) {
    const encoded = encodedSlot(column, index, dialect);
    return dialect.assigned?.(column, sql.id('t0', column.name), encoded) ?? encoded;
  }
  const valueAt = (position: number) =>
    sql`${slot(({ values }) => JSON.stringify((values[index] as DocumentChange).values[position]?.value ?? null))}`;
  return dialect.changedDocument(column, sql.id('t0', column.name), documentTree(value), valueAt);
}

function encodedSlot(column: ColumnSchema, index: number, dialect: SqlDialect): Sql {
  const parameter = slot(({ values }) => dialect.encode(column, values[index]));
  return dialect.stored?.(column, parameter) ?? parameter;
}

/** The condition of a query on the records that it shows of its root; nothing where all of them are meant. */
export function whereClause(
  tree: ConditionTree | undefined,
  shown: DeletedChoice | undefined,
  joins: JoinPlan,
  dialect: SqlDialect,
  guard: (condition: Sql) => Sql = (condition) => condition,
): Sql {
  const asked = compileConditions(tree, joins, dialect);
  const conditions = [...(asked ? [guard(asked)] : []), ...joins.shownCondition(shown)];
  return conditions.length > 0 ? sql` where ${sql.join(conditions, sql` and `)}` : sql``;
}

function orderClause(sort: readonly SortClause[], joins: JoinPlan, dialect: SqlDialect): Sql {
  if (sort.length === 0) return sql``;
  const clauses = sort.map(({ field, ascending, order, shownWhere }) => {
    const { column, reference } = joins.columnAt(field);
    if (shownWhere) return dialect.orderBy(column, shownValue(reference, shownWhere, joins, dialect), ascending);
    // The order by code point has no index where the column has another collation: the whole table would be sorted.
    const isOfIndex = order === 'index' ? dialect.places.ofIndex(column) !== undefined : order === 'any';
    if (isOfIndex && !column.expression) return ascending ? sql`${reference} asc` : sql`${reference} desc`;
    return dialect.orderBy(column, reference, ascending);
  });
  return sql` order by ${sql.join(clauses)}`;
}
