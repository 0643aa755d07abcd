import type { Clock } from '#kernel/ports/clock';
import { systemClock } from '#node/system/system-clock';
import type { CollectionSchema } from '../../query/collection-schema.ts';
import type { DataSource, TransactionalStore } from '../interface/data-source.ts';
import { collectionsFromTables } from '../tables/collections-from-tables.ts';
import { type KeptColumnSettings, withKeptColumns } from '../tables/kept-column-settings.ts';
import { suggestedSettings } from '../tables/suggested-settings.ts';
import { withAddressableColumns } from './addressable-columns.ts';
import { answeringTheRest } from './answer-the-rest.ts';
import { bindParameters } from './binding.ts';
import type { CatalogueCache } from './catalogue-cache.ts';
import { type CatalogueWatch, watchCatalogue } from './catalogue-watch.ts';
import { withComparableKeys } from './comparable-keys.ts';
import { createNotices, type Notices } from './notices.ts';
import { readCatalogue } from './read-catalogue.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlEngine } from './sql-engine.ts';
import { createSqlRecordStore, runnerOf } from './sql-record-store.ts';
import { createSqlStatements } from './sql-statements.ts';
import { rulesOf } from './table-rules.ts';
import { watchedStore } from './watched-store.ts';
import { zoneWarning } from './zone-warning.ts';

/** `Date.now` is looked up at each call, because a test may replace it. */
const recordClock: Clock = { ...systemClock, now: () => Date.now() };

interface DataSourceSettings {
  readonly cache?: CatalogueCache | undefined;
  /** How long the start tries again to reach the database, in milliseconds. Default 10 000. */
  readonly startupTimeoutMs?: number | undefined;
  /** Name under which native queries can be run; none when absent. */
  readonly nativeQueryConnection?: string | undefined;
  readonly keptColumns?: KeptColumnSettings | undefined;
  /** The clock for soft deletes and timestamps. Default: the date that user code reads, also where a test fixes it. */
  readonly clock?: Clock | undefined;
}

/** A data source on an opened database: reads its catalogue once, then only binds values to compiled statements. */
export async function createDataSourceOn(
  engine: SqlEngine,
  { cache, startupTimeoutMs, nativeQueryConnection, keptColumns = {}, clock = recordClock }: DataSourceSettings = {},
): Promise<DataSource> {
  const read = await readCatalogue(engine, { cache, startupTimeoutMs });
  const { tables, warnings } = withComparableKeys(withAddressableColumns(read));
  const dialect = engine.dialectFor?.(read) ?? engine.dialect;
  const found = collectionsFromTables(tables, dialect.operatorsOf);
  const schemas = withKeptColumns(found, keptColumns);
  const notices = createNotices();
  const watch = watchCatalogue(engine, read, notices.tell);

  return {
    ...createSqlStore(watch, dialect, schemas, notices, clock),
    collections: schemas,
    warnings,
    suggestedSettings: suggestedSettings(found, keptColumns),
    extendedBy: (extended) => createSqlStore(watch, dialect, extended, notices, clock),
    operatorsOf: dialect.operatorsOf,
    nativeQueryConnections: nativeQueryConnection === undefined ? [] : [nativeQueryConnection],
    nativeQuery: (sql, values, context) => engine.runReadOnly(sql, values, context),
    rules: async () => rulesOf(tables, (await engine.checks?.()) ?? []),
    fingerprint: () => engine.fingerprint(),
    onNotice: notices.onNotice,
    zoneWarning: () => zoneWarning(engine, new Date()),
    openConnections: () => engine.openConnections(),
    close: () => engine.close(),
  };
}

function createSqlStore(
  watch: CatalogueWatch,
  dialect: SqlDialect,
  schemas: readonly CollectionSchema[],
  { tell }: Notices,
  clock: Clock,
): TransactionalStore {
  const { watchedEngine: engine } = watch;
  const collections = new Map(schemas.map((collection) => [collection.name, collection]));
  const statements = createSqlStatements({ dialect, collections });
  const store: TransactionalStore = {
    ...createSqlRecordStore(engine, statements, clock),
    transaction: (work, context) =>
      engine.transaction((session) => work(createSqlRecordStore(runnerOf(session), statements, clock)), context),
    async explain(query, context) {
      const statement = statements.list(query, context.deleted);
      const bound = bindParameters(statement.plan.parameters, statement.values, context, query.page);
      const { sql } = statement.plan;
      const rows = await engine.read(`${dialect.explain.prefix} ${sql}`, bound, context);
      const steps = rows.map((row) => dialect.explain.stepOf(row));
      return { sql: engine.completed?.(sql) ?? sql, steps };
    },
  };
  return watchedStore(answeringTheRest(store, collections, tell), watch);
}
