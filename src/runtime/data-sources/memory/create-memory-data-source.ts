import { createHash } from 'node:crypto';
import { DateTime } from 'luxon';
import { interrupted } from '#node/database/database-errors';
import { aggregateRecords } from '../../query/aggregate-records.ts';
import type { CollectionSchema } from '../../query/collection-schema.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { type RecordPredicate, recordPredicate } from '../../query/evaluate-condition.ts';
import { Projection } from '../../query/projection.ts';
import type { RecordData } from '../../query/record-query.ts';
import { ownCopy, recordProjector } from '../../query/shape-record.ts';
import { pageOf, sortRecords } from '../../query/sort-records.ts';
import type { DataSource, QueryContext, RecordStore, TransactionalStore } from '../interface/data-source.ts';
import { collectionsFromTables } from '../tables/collections-from-tables.ts';
import { checkCollections } from './check-collections.ts';
import { type MemoryCollection, memoryOperatorsOf, tableOfMemory } from './memory-schema.ts';
import { changedRecord, checkReferences, checkTable, type MemoryTable, newRecord } from './memory-table.ts';
import { columnAt, conditionColumnAt, isToMany, joinRecords, tableNamed } from './record-joiner.ts';

type Tables = ReadonlyMap<string, MemoryTable>;

/**
 * A data source that keeps its records in this process: for small lookup tables and for tests. Every query reads whole
 * tables. Nothing is kept when the process ends.
 *
 * @throws `AGENT_OPTION_INVALID` for an invalid description of collections; `DATABASE_CONSTRAINT_VIOLATED` when the given
 * records break the rules of their schema.
 *
 * @example
 * agent.addDataSource(
 *   createMemoryDataSource([
 *     {
 *       name: 'countries',
 *       schema: { columns: [{ name: 'code', type: 'String' }, { name: 'label', type: 'String' }], primaryKey: ['code'] },
 *       records: [{ code: 'fr', label: 'France' }],
 *     },
 *   ]),
 * );
 */
export function createMemoryDataSource(collections: readonly MemoryCollection[]): DataSource {
  checkCollections(collections);
  const schemas = collectionsFromTables(collections.map(tableOfMemory), memoryOperatorsOf);
  const tables = openTables(collections, schemas);
  const inTurn = createTurns();
  const storeOn = (shown: Tables): TransactionalStore => {
    const store = createMemoryStore(shown);
    return {
      ...store,
      // A rollback would undo writes made beside the transaction too.
      create: (...request) => inTurn(() => store.create(...request)),
      update: (...request) => inTurn(() => store.update(...request)),
      delete: (...request) => inTurn(() => store.delete(...request)),
      transaction: (work) => inTurn(() => allOrNothing(tables, () => work(store))),
    };
  };

  return {
    ...storeOn(tables),
    collections: schemas,
    extendedBy: (extended) => storeOn(new Map(extended.map((schema) => [schema.name, tableAs(tables, schema)]))),
    operatorsOf: memoryOperatorsOf,
    fingerprint: async () =>
      createHash('sha256')
        .update(JSON.stringify(collections.map(tableOfMemory)))
        .digest('hex'),
    openConnections: () => 0,
    close: async () => undefined,
  };
}

/** The same table, seen with another schema. */
function tableAs(tables: Tables, schema: CollectionSchema): MemoryTable {
  const table = tableNamed(tables, schema.name);
  return {
    ...table,
    schema,
    get records() {
      return table.records;
    },
    set records(records) {
      table.records = records;
    },
  };
}

function createMemoryStore(tables: Tables): RecordStore {
  return {
    tellsKeys: true,
    async list({ collection, projection, where, sort = [], page }, context) {
      refuseAborted(context);
      const table = tableNamed(tables, collection);
      const paths = [...projection, ...sort.map(({ field }) => field)];
      const found = select(tables, table, where, paths, context);
      const sorted = sortRecords(found, sort, (path) => columnAt(tables, table, path));
      return pageOf(sorted, page).map(recordProjector(new Projection(...projection)));
    },
    async count(collection, where, context) {
      refuseAborted(context);
      return select(tables, tableNamed(tables, collection), where, [], context).length;
    },
    async aggregate({ collection, where, aggregation, limit }, context) {
      refuseAborted(context);
      const table = tableNamed(tables, collection);
      const { field, groups } = aggregation;
      const paths = [...(field === undefined ? [] : [field]), ...groups.map((group) => group.field)];
      const found = select(tables, table, where, paths, context);
      const columnOf = (path: string) => columnAt(tables, table, path);
      return aggregateRecords(found, aggregation, columnOf, context.timezone, limit);
    },
    async create(collection, records, context) {
      refuseAborted(context);
      const table = tableNamed(tables, collection);
      const created = records.map((record) => newRecord(table, record));
      replaceRecords(tables, table, [...table.records, ...created]);
      return created.map(copyOf);
    },
    async update(collection, where, patch, context, tell) {
      refuseAborted(context);
      const table = tableNamed(tables, collection);
      const isMeant = matcher(tables, table, where, context);
      const changes = table.records.map((record, index) =>
        isMeant[index] ? changedRecord(table, record, patch) : record,
      );
      replaceRecords(tables, table, changes);
      tell?.(changes.filter((_, index) => isMeant[index]).map(copyOf));
      return isMeant.filter(Boolean).length;
    },
    async delete(collection, where, context, tell) {
      refuseAborted(context);
      const table = tableNamed(tables, collection);
      const isMeant = matcher(tables, table, where, context);
      const deleted = table.records.filter((_, index) => isMeant[index]);
      const kept = table.records.filter((_, index) => !isMeant[index]);
      replaceRecords(tables, table, kept);
      tell?.(deleted);
      return deleted.length;
    },
  };
}

/** Writes and transactions wait for one another. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => undefined); // The caller gets the failure, and the next one runs all the same.
    return result;
  };
}

/** Records are replaced and never changed, so that keeping the lists is enough to go back to them. */
async function allOrNothing<Result>(tables: Tables, work: () => Promise<Result>): Promise<Result> {
  const before = [...tables.values()].map((table) => ({ table, records: table.records }));
  try {
    return await work();
  } catch (error) {
    for (const { table, records } of before) table.records = records;
    throw error;
  }
}

function openTables(collections: readonly MemoryCollection[], schemas: DataSource['collections']): Tables {
  const tables = new Map<string, MemoryTable>();
  for (const [index, schema] of schemas.entries()) {
    const definition = collections[index]?.schema ?? { columns: [], primaryKey: [] };
    tables.set(schema.name, { schema, definition, records: [], numbers: new Map() });
  }
  for (const { name, records } of collections) {
    const table = tableNamed(tables, name);
    table.records = records.map((record) => newRecord(table, { ...record }));
    checkTable(table, table.records);
  }
  // Tables may refer to one another in any order.
  for (const table of tables.values()) checkReferences(tables, table, table.records);
  return tables;
}

/** All of the change or, when it breaks a rule, none. */
function replaceRecords(tables: Tables, table: MemoryTable, records: readonly RecordData[]): void {
  checkTable(table, records);
  checkReferences(tables, table, records);
  table.records = records;
}

/** The records that fulfil `where`, joined as far as it and `paths` ask for. */
function select(
  tables: Tables,
  table: MemoryTable,
  where: ConditionTree | undefined,
  paths: readonly string[],
  context: QueryContext,
): readonly RecordData[] {
  for (const path of paths) columnAt(tables, table, path);
  const joined = joinRecords(tables, table, [...paths, ...fieldsOf(where)], nowIn(context));
  return joined.filter(predicateOf(tables, table, where, context));
}

/** Whether each record of the table fulfils `where`. */
function matcher(
  tables: Tables,
  table: MemoryTable,
  where: ConditionTree | undefined,
  context: QueryContext,
): readonly boolean[] {
  return joinRecords(tables, table, fieldsOf(where), nowIn(context)).map(predicateOf(tables, table, where, context));
}

function predicateOf(
  tables: Tables,
  table: MemoryTable,
  where: ConditionTree | undefined,
  context: QueryContext,
): RecordPredicate {
  return recordPredicate(
    where,
    (path) => conditionColumnAt(tables, table, path),
    nowIn(context),
    (relationPath) => isToMany(tables, table, relationPath),
  );
}

function fieldsOf(tree: ConditionTree | undefined): readonly string[] {
  if (!tree) return [];
  return isBranch(tree) ? tree.conditions.flatMap(fieldsOf) : [tree.field];
}

function copyOf(record: RecordData): RecordData {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, ownCopy(value)]));
}

function nowIn({ timezone }: QueryContext): DateTime {
  return DateTime.now().setZone(timezone);
}

function refuseAborted({ signal }: QueryContext): void {
  if (signal?.aborted) throw interrupted();
}
