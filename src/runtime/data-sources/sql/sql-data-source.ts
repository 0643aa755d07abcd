import type { Clock } from '#kernel/ports/clock';
import { systemClock } from '#node/system/system-clock';
import type { CollectionSchema } from '../../query/collection-schema.ts';
import { readCheck } from '../checks/row-check.ts';
import type { TableCheck } from '../checks/table-check.ts';
import type { DataSource, TableRules, TransactionalStore } from '../interface/data-source.ts';
import { type ReplicaStatus, replicaInWords } from '../interface/read-session.ts';
import { collectionsFromTables } from '../tables/collections-from-tables.ts';
import type { TableDescription } from '../tables/table-description.ts';
import {
  instantWarning,
  type KeptColumnSettings,
  suggestedSettings,
  withKeptColumns,
} from '../tables/timestamp-and-soft-delete-settings.ts';
import { adviseIndex } from './advise-index.ts';
import type { CatalogueCache } from './catalogue-cache.ts';
import { type CatalogueWatch, watchCatalogue, watchedStore } from './catalogue-watch.ts';
import { withComparableKeys } from './comparable-keys.ts';
import { withFieldFailures } from './field-failures.ts';
import { readCatalogue } from './read-catalogue.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlCatalogue, SqlEngine } from './sql-engine.ts';
import { createSqlRecordStore, runnerOf } from './sql-record-store.ts';
import { createSqlStatements } from './sql-statements.ts';
import { bindParameters } from './statement-parameters.ts';
import { zoneWarning } from './zone-offsets.ts';

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
  const suggested = suggestedSettings(found, keptColumns);
  const notices = createNotices();
  const watch = watchCatalogue(engine, read, notices.tell);

  return {
    ...createSqlStore(watch, dialect, schemas, notices, clock),
    collections: schemas,
    warnings: [...warnings, ...instantWarning(suggested)],
    suggestedSettings: suggested,
    extendedBy: (extended) => createSqlStore(watch, dialect, extended, notices, clock),
    operatorsOf: dialect.operatorsOf,
    ...(dialect.keepsValues ? { keepsValues: true } : {}),
    nativeQueryConnections: nativeQueryConnection === undefined ? [] : [nativeQueryConnection],
    nativeQuery: (sql, values, context) => engine.runReadOnly(sql, values, context),
    rules: async () => rulesOf(tables, (await engine.checks?.()) ?? []),
    fingerprint: () => engine.fingerprint(),
    onNotice: notices.onNotice,
    zoneWarning: () => zoneWarning(engine, new Date()),
    ...(engine.replicas ? { replicas: engine.replicas } : {}),
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
  const explain: NonNullable<TransactionalStore['explain']> = async (query, context) => {
    const statement = statements.list(query, context.deleted);
    const bound = bindParameters(statement.plan.parameters, statement.values, context, query.page);
    const { sql } = statement.plan;
    const rows = await engine.read(`${dialect.explain.prefix} ${sql}`, bound, context);
    const steps = rows.map((row) => dialect.explain.stepOf(row));
    const servers = engine.replicas && serversInWords(await engine.replicas.look());
    return { sql: engine.completed?.(sql) ?? sql, steps, ...(servers ? { servers } : {}) };
  };
  const store: TransactionalStore = {
    ...createSqlRecordStore(engine, statements, clock),
    transaction: (work, context) =>
      engine.transaction(
        (transaction) => work(createSqlRecordStore(runnerOf(transaction), statements, clock)),
        context,
      ),
    explain,
    adviseIndex: (query, context) =>
      adviseIndex(query, { engine, statements, explained: (asked) => explain(asked, context), context }),
  };
  return watchedStore(withFieldFailures(store, collections, tell), watch);
}

function serversInWords(replicas: readonly ReplicaStatus[]): readonly string[] {
  return ['The primary answers whatever no replica shows in time.', ...replicas.map(replicaInWords)];
}

/** In a path, a colon stands between a relation and a field behind it. */
const pathSign = ':';

/**
 * The catalogue without the columns that no path can name, and without the keys that need them; a warning tells of each.
 * A table that loses its primary key by that can only be read.
 */
function withAddressableColumns(catalogue: SqlCatalogue): SqlCatalogue {
  const warnings = catalogue.tables.flatMap((table) =>
    table.columns
      .filter(({ name }) => !isAddressable(name))
      .map(({ name }) => `The column "${name}" of "${table.name}" is left out: no path can name it, for its colon.`),
  );
  if (warnings.length === 0) return catalogue;
  const tables = catalogue.tables.map((table) => ({
    ...table,
    columns: table.columns.filter(({ name }) => isAddressable(name)),
    primaryKey: table.primaryKey.every(isAddressable) ? table.primaryKey : [],
    foreignKeys: table.foreignKeys.filter((key) => [...key.columns, ...key.foreignColumns].every(isAddressable)),
    uniqueKeys: table.uniqueKeys.filter((key) => key.every(isAddressable)),
  }));
  return { tables, warnings: [...warnings, ...catalogue.warnings] };
}

function isAddressable(name: string): boolean {
  return !name.includes(pathSign);
}

/** What tables refuse, by the names of their collections. */
function rulesOf(tables: readonly TableDescription[], checks: readonly TableCheck[]): ReadonlyMap<string, TableRules> {
  return new Map(
    tables.map((table) => {
      const { uniqueKeys, primaryKey } = table;
      return [
        table.name,
        {
          uniqueKeys: primaryKey.length > 0 ? [primaryKey, ...uniqueKeys] : uniqueKeys,
          checks: checks.filter((check) => isOf(check, table)).map(readCheck),
        },
      ];
    }),
  );
}

function isOf(check: TableCheck, { name, table }: TableDescription): boolean {
  if (check.table !== (table?.name ?? name)) return false;
  return check.schema === null || table?.schema === undefined || check.schema === table.schema;
}

/** What a data source has to say in the log while it runs: each sentence once. */
interface Notices {
  tell(sentence: string): void;
  /** `listener` gets what is reported from now on, and what was told before anybody listened. */
  onNotice(listener: (sentence: string) => void): void;
}

/** Of more sentences than that the oldest is forgotten, and told again where it still holds. */
const mostKept = 1000;

function createNotices(): Notices {
  const told = new Set<string>();
  const listeners: ((sentence: string) => void)[] = [];
  return {
    tell(sentence) {
      if (told.has(sentence)) return;
      const [oldest] = told;
      if (told.size >= mostKept && oldest !== undefined) told.delete(oldest);
      told.add(sentence);
      for (const listener of listeners) listener(sentence);
    },
    onNotice(listener) {
      if (listeners.length === 0) for (const sentence of told) listener(sentence);
      listeners.push(listener);
    },
  };
}
