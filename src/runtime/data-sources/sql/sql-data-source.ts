import { DateTime } from 'luxon';
import type { Page, RecordData } from '../../query/record-query.ts';
import type { DataSource, QueryContext } from '../data-source.ts';
import type { SqlParameter } from './bind-context.ts';
import type { CatalogueCache } from './catalogue-cache.ts';
import { collectionsFromTables } from './collections-from-tables.ts';
import { readCatalogue } from './read-catalogue.ts';
import type { SqlEngine } from './sql-engine.ts';
import { createSqlStatements, type PreparedStatement, type SqlStatements } from './sql-statements.ts';

/** Parameters that one INSERT carries at most; every engine has a limit of its own, and none is lower. */
const maxParameters = 10_000;
const wholePage: Page = { skip: 0, limit: 0 };

interface DataSourceSettings {
  readonly cache?: CatalogueCache | undefined;
  /** Name under which native queries can be run; none when absent. */
  readonly nativeQueryConnection?: string | undefined;
}

/** A data source on an opened database: reads its catalogue once, then only binds values to compiled statements. */
export async function createDataSourceOn(
  engine: SqlEngine,
  { cache, nativeQueryConnection }: DataSourceSettings = {},
): Promise<DataSource> {
  const { tables, warnings } = await readCatalogue(engine, cache);
  const schemas = collectionsFromTables(tables, engine.dialect.operatorsOf);
  const collections = new Map(schemas.map((collection) => [collection.name, collection]));
  const statements = createSqlStatements({ dialect: engine.dialect, collections });

  return {
    collections: schemas,
    warnings,
    async list(query, context) {
      const statement = statements.list(query);
      const rows = await engine.read(statement.plan.sql, bind(statement, context, query.page), context);
      return rows.map(statement.plan.read);
    },
    async explain(query, context) {
      const { plan, values } = statements.list(query);
      const bound = bind({ plan, values }, context, query.page);
      const rows = await engine.read(`${engine.dialect.explain.prefix} ${plan.sql}`, bound, context);
      return { sql: plan.sql, steps: rows.map((row) => engine.dialect.explain.stepOf(row)) };
    },
    async count(collection, where, context) {
      const statement = statements.count(collection, where);
      const [row] = await engine.read(statement.plan.sql, bind(statement, context), context);
      return Number(row?.['count']);
    },
    async aggregate(query, context) {
      const statement = statements.aggregate(query);
      const page = { skip: 0, limit: query.limit ?? 0 };
      const rows = await engine.read(statement.plan.sql, bind(statement, context, page), context);
      return rows.map(statement.plan.read);
    },
    create: (collection, records, context) => insertAll(engine, statements, collection, records, context),
    async update(collection, where, patch, context) {
      const statement = statements.update(collection, where, patch);
      return statement ? write(engine, statement, context) : 0;
    },
    delete: (collection, where, context) => write(engine, statements.delete(collection, where), context),
    nativeQueryConnections: nativeQueryConnection === undefined ? [] : [nativeQueryConnection],
    nativeQuery: (sql, values, context) => engine.runReadOnly(sql, values, context),
    fingerprint: () => engine.fingerprint(),
    openConnections: () => engine.openConnections(),
    close: () => engine.close(),
  };
}

function bind({ plan, values }: PreparedStatement, context: QueryContext, page = wholePage): SqlParameter[] {
  const bindings = { values, page, now: () => DateTime.now().setZone(context.timezone) };
  return plan.parameters.map((parameter) => parameter(bindings));
}

function write(engine: SqlEngine, statement: PreparedStatement, context: QueryContext): Promise<number> {
  return engine.transaction((session) => session.run(statement.plan.sql, bind(statement, context)), context);
}

/** All of them or none, in one transaction; neighbours that give the same columns in one statement. */
function insertAll(
  engine: SqlEngine,
  statements: SqlStatements,
  collection: string,
  records: readonly RecordData[],
  context: QueryContext,
): Promise<RecordData[]> {
  return engine.transaction(async (session) => {
    const created: RecordData[] = [];
    for (const batch of batches(records, (record) =>
      statements.columnsOf(collection, record).map(({ name }) => name),
    )) {
      const statement = statements.insert(collection, batch);
      const rows = await session.all(statement.plan.sql, bind(statement, context));
      created.push(...rows.map(statement.plan.read));
    }
    return created;
  }, context);
}

function batches(records: readonly RecordData[], columnsOf: (record: RecordData) => readonly string[]): RecordData[][] {
  const all: { readonly key: string; readonly records: RecordData[] }[] = [];
  for (const record of records) {
    const columns = columnsOf(record);
    const key = JSON.stringify(columns);
    const last = all.at(-1);
    // A statement of default values makes one record.
    const hasRoom = columns.length > 0 && last && (last.records.length + 1) * columns.length <= maxParameters;
    if (last?.key === key && hasRoom) last.records.push(record);
    else all.push({ key, records: [record] });
  }
  return all.map((batch) => batch.records);
}
