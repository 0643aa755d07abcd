import { DateTime } from 'luxon';
import { CloudError } from '#kernel/errors/cloud-error';
import type { SqliteConnection, SqlValue } from '#kernel/ports/sqlite-connection';
import { createPlanCache } from '../../query/plan-cache.ts';
import type { NativeQuery, Page, RecordData } from '../../query/record-query.ts';
import type { CollectionSchema, ColumnSchema } from '../collection-schema.ts';
import type { DataSource, QueryContext } from '../data-source.ts';
import type { BindContext } from './bind-context.ts';
import {
  type CompileContext,
  compileCount,
  compileDelete,
  compileInsert,
  compileList,
  compileUpdate,
} from './compile-statements.ts';
import { conditionShape } from './condition-shape.ts';
import type { CompiledSql, SqlDialect } from './sql-dialect.ts';

export interface SqlDataSourceParts {
  readonly dialect: SqlDialect;
  readonly reader: SqliteConnection;
  readonly writer: SqliteConnection;
  readonly collections: readonly CollectionSchema[];
  readonly warnings: readonly string[];
  fingerprint(): string;
}

const maxPlans = 1000;
const wholePage: Page = { skip: 0, limit: 0 };

/** A data source that compiles each shape of query once and then only binds values. */
export function createDataSourceOn(parts: SqlDataSourceParts): DataSource {
  const { dialect, reader, writer } = parts;
  const collections = new Map(parts.collections.map((collection) => [collection.name, collection]));
  const compileContext: CompileContext = { dialect, collections };
  const plans = createPlanCache(maxPlans);
  let openConnections = 2;

  return {
    collections: parts.collections,
    warnings: parts.warnings,
    async list(query, context) {
      refuseAborted(context);
      const shape = conditionShape(query.where, dialect);
      const plan = plans.getOrMake(listKey(query, shape.key), () => compileList(query, compileContext));
      const bound = bind(plan, { values: shape.values, page: query.page ?? wholePage, now: () => nowIn(context) });
      return reader.all(plan.sql, bound).map(plan.read);
    },
    async count(collection, where, context) {
      refuseAborted(context);
      const shape = conditionShape(where, dialect);
      const key = `count ${JSON.stringify(collection)} ${shape.key}`;
      const plan = plans.getOrMake(key, () => compileCount(collection, where, compileContext));
      const bound = bind(plan, { values: shape.values, page: wholePage, now: () => nowIn(context) });
      return Number(reader.all(plan.sql, bound)[0]?.['count']);
    },
    async create(collection, records, context) {
      refuseAborted(context);
      const schema = named(collections, collection);
      return writer.transaction(() => records.map((record) => insertOne(schema, record, context)));
    },
    async update(collection, where, patch, context) {
      refuseAborted(context);
      const schema = named(collections, collection);
      const columns = columnsOf(schema, patch);
      if (columns.length === 0) return 0;
      const shape = conditionShape(where, dialect);
      const names = columns.map((column) => column.name);
      const key = `update ${JSON.stringify([collection, names])} ${shape.key}`;
      const plan = plans.getOrMake(key, () =>
        compileUpdate(schema, columns, where, shape.values.length, compileContext),
      );
      const values = [...shape.values, ...columns.map((column) => patch[column.name])];
      return writer.run(plan.sql, bind(plan, { values, page: wholePage, now: () => nowIn(context) })).changes;
    },
    async delete(collection, where, context) {
      refuseAborted(context);
      const schema = named(collections, collection);
      const shape = conditionShape(where, dialect);
      const key = `delete ${JSON.stringify(collection)} ${shape.key}`;
      const plan = plans.getOrMake(key, () => compileDelete(schema, where, compileContext));
      return writer.run(plan.sql, bind(plan, { values: shape.values, page: wholePage, now: () => nowIn(context) }))
        .changes;
    },
    fingerprint: async () => parts.fingerprint(),
    openConnections: () => openConnections,
    async close() {
      if (openConnections === 0) return;
      openConnections = 0;
      reader.close();
      writer.close();
    },
  };

  function insertOne(schema: CollectionSchema, record: RecordData, context: QueryContext): RecordData {
    const columns = columnsOf(schema, record);
    const key = `insert ${JSON.stringify([schema.name, columns.map((column) => column.name)])}`;
    const plan = plans.getOrMake(key, () => compileInsert(schema, columns, compileContext));
    const values = columns.map((column) => record[column.name]);
    const [row] = writer.all(plan.sql, bind(plan, { values, page: wholePage, now: () => nowIn(context) }));
    return plan.read(row ?? {});
  }
}

function bind(plan: CompiledSql, context: BindContext): SqlValue[] {
  return plan.parameters.map((parameter) => parameter(context));
}

function listKey(query: NativeQuery, where: string): string {
  return `list ${JSON.stringify([query.collection, query.projection, query.sort ?? [], query.page !== undefined])} ${where}`;
}

function nowIn(context: QueryContext): DateTime {
  return DateTime.now().setZone(context.timezone);
}

function columnsOf(schema: CollectionSchema, record: RecordData): ColumnSchema[] {
  return [...schema.fields.values()].flatMap((field) =>
    field.kind === 'column' && Object.hasOwn(record, field.name) && record[field.name] !== undefined ? [field] : [],
  );
}

function named(collections: ReadonlyMap<string, CollectionSchema>, name: string): CollectionSchema {
  const collection = collections.get(name);
  if (collection) return collection;
  throw new CloudError({
    code: 'INTERNAL_BUG',
    message: `The data source was asked for "${name}", which it does not have.`,
  });
}

function refuseAborted(context: QueryContext): void {
  if (!context.signal?.aborted) return;
  throw new CloudError({
    code: 'INTERRUPTED',
    message: 'The client went away before the query was done.',
    nextSteps: ['Send the request again.'],
  });
}
