import { cloudError } from '#kernel/errors/cloud-error';
import { type CollectionSchema, type ColumnSchema, isNumberedKey } from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { DocumentChange } from '../../query/document-change.ts';
import { createPlanCache } from '../../query/plan-cache.ts';
import type { ListQuery, RecordData } from '../../query/record-query.ts';
import type { AggregateQuery, DeletedChoice } from '../interface/data-source.ts';
import { aggregationKey, type CompiledAggregate, compileAggregate } from './compile-aggregate.ts';
import {
  type CompileContext,
  type CompiledInsert,
  type CompiledPlaces,
  type CompiledRead,
  type CompiledStoredRead,
  compileCount,
  compileDelete,
  compileInsert,
  compileList,
  compileLockedList,
  compileMovedRow,
  compilePlaces,
  compileStoredList,
  compileUpdate,
  isStored,
} from './compile-statements.ts';
import { type ConditionShape, conditionShape } from './condition-shape.ts';
import type { CompiledSql, SqlDialect } from './sql-dialect.ts';

const maxPlans = 1000;

/** A compiled statement with the values of one query; the page and the time are bound when it runs. */
export interface PreparedStatement<Plan extends CompiledSql = CompiledSql> {
  readonly plan: Plan;
  readonly values: readonly unknown[];
}

/**
 * The statements of a data source, each shape compiled once and kept while it is in use. `shown` is what they are about where
 * deleted records are marked; by default those that are not deleted.
 */
export interface SqlStatements {
  list(query: ListQuery, shown?: DeletedChoice): PreparedStatement<CompiledRead>;
  listStored(
    collection: string,
    columns: readonly string[],
    where: ConditionTree | undefined,
    shown?: DeletedChoice,
  ): PreparedStatement<CompiledStoredRead>;
  listPlaces(
    collection: string,
    paths: readonly string[],
    where: ConditionTree | undefined,
    shown?: DeletedChoice,
  ): PreparedStatement<CompiledPlaces>;
  count(collection: string, where: ConditionTree | undefined, shown?: DeletedChoice): PreparedStatement;
  aggregate(query: AggregateQuery, shown?: DeletedChoice): PreparedStatement<CompiledAggregate>;
  /** One statement for all `records`, which must give the same columns. */
  insert(collection: string, records: readonly RecordData[]): PreparedStatement<CompiledInsert>;
  /** The row that the transaction has just made of a record, by its key; `undefined` where nothing tells that key. */
  movedRow(collection: string, record: RecordData): PreparedStatement<CompiledRead> | undefined;
  /** Columns of records that the transaction is about to write. */
  listLocked(
    collection: string,
    columns: readonly string[],
    where: ConditionTree | undefined,
    shown?: DeletedChoice,
  ): PreparedStatement<CompiledRead>;
  /** `undefined` when the patch changes no column. With `isTold` it returns keys, where the engine can. */
  update(
    collection: string,
    where: ConditionTree | undefined,
    patch: RecordData,
    shown: DeletedChoice | undefined,
    isTold: boolean,
  ): PreparedStatement<CompiledRead> | undefined;
  /** With `isTold` it returns keys, where the engine can. */
  delete(
    collection: string,
    where: ConditionTree | undefined,
    shown: DeletedChoice | undefined,
    isTold: boolean,
  ): PreparedStatement<CompiledRead>;
  readonly dialect: SqlDialect;
  collection(name: string): CollectionSchema;
  /** The columns that a record gives, in table order. */
  columnsOf(collection: string, record: RecordData): readonly ColumnSchema[];
}

export function createSqlStatements(context: CompileContext): SqlStatements {
  const lists = createPlanCache<CompiledRead>(maxPlans);
  const aggregates = createPlanCache<CompiledAggregate>(maxPlans);
  const stored = createPlanCache<CompiledStoredRead>(maxPlans);
  const places = createPlanCache<CompiledPlaces>(maxPlans);
  const counts = createPlanCache<CompiledSql>(maxPlans);
  const shapeOf = (where: ConditionTree | undefined) =>
    where ? conditionShape(where, context.dialect) : unconditional;
  const schemaOf = (name: string) => collectionNamed(context.collections, name);
  const columnsOf = (collection: string, record: RecordData) => givenColumns(schemaOf(collection), record);

  return {
    dialect: context.dialect,
    collection: schemaOf,
    columnsOf,
    list(query, shown) {
      const { key, values } = shapeOf(query.where);
      const from = `${JSON.stringify(query.collection)} ${query.page ? (context.dialect.paging.keyOf?.(query.page) ?? 'page') : ''}`;
      const name = `${from} ${JSON.stringify([query.projection, query.sort ?? [], shown])} ${key}`;
      return { plan: lists.memo(name, { context: () => compileList(query, shown, context) }), values };
    },
    listStored(collection, columns, where, shown) {
      const { key, values } = shapeOf(where);
      const plan = stored.memo(`${JSON.stringify([collection, columns, shown])} ${key}`, {
        context: () => compileStoredList(collection, columns, where, shown, context),
      });
      return { plan, values };
    },
    listPlaces(collection, paths, where, shown) {
      const { key, values } = shapeOf(where);
      const plan = places.memo(`${JSON.stringify([collection, paths, shown])} ${key}`, {
        context: () => compilePlaces(collection, paths, where, shown, context),
      });
      return { plan, values };
    },
    count(collection, where, shown) {
      const { key, values } = shapeOf(where);
      const plan = counts.memo(`${JSON.stringify([collection, shown])} ${key}`, {
        context: () => compileCount(collection, where, shown, context),
      });
      return { plan, values };
    },
    aggregate(query, shown) {
      const { key, values } = shapeOf(query.where);
      const aggregation = aggregationKey(query.aggregation, query.limit !== undefined);
      const name = `${JSON.stringify([query.collection, shown])} ${aggregation} ${key}`;
      return { plan: aggregates.memo(name, { context: () => compileAggregate(query, shown, context) }), values };
    },
    ...createWriteStatements(context, { shapeOf, schemaOf, columnsOf }),
  };
}

interface StatementParts {
  shapeOf(where: ConditionTree | undefined): ConditionShape;
  schemaOf(collection: string): CollectionSchema;
  readonly columnsOf: SqlStatements['columnsOf'];
}

function createWriteStatements(
  context: CompileContext,
  { shapeOf, schemaOf, columnsOf }: StatementParts,
): Pick<SqlStatements, 'insert' | 'movedRow' | 'listLocked' | 'update' | 'delete'> {
  const inserts = createPlanCache<CompiledInsert>(maxPlans);
  const writes = createPlanCache<CompiledRead>(maxPlans);
  return {
    insert(collection, records) {
      const columns = columnsOf(collection, records[0] ?? {});
      const name = JSON.stringify([collection, columns.map((column) => column.name), records.length]);
      const plan = inserts.memo(name, {
        context: () => compileInsert(schemaOf(collection), columns, records.length, context),
      });
      return { plan, values: records.flatMap((record) => columns.map((column) => record[column.name])) };
    },
    movedRow(collection, record) {
      const { movedRows } = context.dialect;
      const known = movedRows && knownKey(schemaOf(collection), record);
      if (!known) return undefined;
      const { key, numbered } = known;
      const shape = shapeOf(key);
      const plan = writes.memo(`moved ${JSON.stringify(collection)} ${shape.key}`, {
        context: () => compileMovedRow(schemaOf(collection), key, numbered, movedRows, context),
      });
      return { plan, values: shape.values };
    },
    listLocked(collection, columns, where, shown) {
      const { key, values } = shapeOf(where);
      const name = `locked ${JSON.stringify([collection, columns, shown])} ${key}`;
      const plan = writes.memo(name, {
        context: () => compileLockedList(schemaOf(collection), columns, where, shown, context),
      });
      return { plan, values };
    },
    update(collection, where, patch, shown, isTold) {
      const columns = columnsOf(collection, patch);
      if (columns.length === 0) return undefined;
      const { key, values } = shapeOf(where);
      const shape = columns.map(({ name }) => [name, changedPaths(patch[name])]);
      const name = `update ${JSON.stringify([collection, shape, shown, isTold])} ${key}`;
      const plan = writes.memo(name, {
        context: () =>
          compileUpdate(schemaOf(collection), columns, patch, where, shown, values.length, isTold, context),
      });
      return { plan, values: [...values, ...columns.map((column) => patch[column.name])] };
    },
    delete(collection, where, shown, isTold) {
      const { key, values } = shapeOf(where);
      const name = `delete ${JSON.stringify([collection, shown, isTold])} ${key}`;
      const plan = writes.memo(name, {
        context: () => compileDelete(schemaOf(collection), where, shown, isTold, context),
      });
      return { plan, values };
    },
  };
}

/** The parts of a key that a record gives, and those that the database has numbered; `undefined` where one is neither. */
function knownKey(
  { primaryKey, fields }: CollectionSchema,
  record: RecordData,
): { readonly key: ConditionTree; readonly numbered: readonly string[] } | undefined {
  const given = primaryKey.filter((name) => (record[name] ?? null) !== null);
  const numbered = primaryKey.filter((name) => !given.includes(name));
  const isNumbered = (name: string) => {
    const field = fields.get(name);
    return field?.kind === 'column' && isNumberedKey(field);
  };
  if (!numbered.every(isNumbered)) return undefined;
  const conditions = given.map((field) => ({ field, operator: 'Equal' as const, value: record[field] }));
  return { key: { aggregator: 'And', conditions }, numbered };
}

const unconditional: ConditionShape = { key: '', values: [] };

/** The values of a document that change; `null` when the whole document is written. */
function changedPaths(value: unknown): unknown {
  return value instanceof DocumentChange ? value.values.map(({ path }) => path) : null;
}

function givenColumns(schema: CollectionSchema, record: RecordData): ColumnSchema[] {
  return [...schema.fields.values()].flatMap((field) =>
    isStored(field) && Object.hasOwn(record, field.name) && record[field.name] !== undefined ? [field] : [],
  );
}

function collectionNamed(collections: ReadonlyMap<string, CollectionSchema>, name: string): CollectionSchema {
  const collection = collections.get(name);
  if (collection) return collection;
  throw cloudError('INTERNAL_BUG', `The data source was asked for "${name}", which it does not have.`);
}
