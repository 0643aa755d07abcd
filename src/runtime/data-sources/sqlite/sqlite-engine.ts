import { createHash } from 'node:crypto';
import type { ErrorCode } from '#kernel/errors/catalogue';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlParameter, SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { interrupted } from '#node/database/database-errors';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { bindNativeQuery, type NativeSyntax, nativeQueryRefused } from '../sql/native-query.ts';
import type { ExplainFailure, SqlEngine } from '../sql/sql-engine.ts';
import { introspectSqlite } from './introspect-sqlite.ts';
import { createTableSizes, type ScanPlan, scanPlan } from './scan-plan.ts';
import { createScanReaders } from './scan-thread-pool.ts';
import { readSqliteChecks } from './sqlite-columns.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { defineSqliteFunctions } from './sqlite-functions.ts';
import { createWriteQueue } from './sqlite-write-queue.ts';

export interface SqliteEngineOptions extends RouteOptions {
  /** Connections at most, but never less than the one that writes, the one that reads and one that scans. Default 4. */
  readonly poolSize?: number | undefined;
  /** How long a statement that scans may take, in milliseconds. Default 30 000; `0` is no limit. */
  readonly statementTimeoutMs?: number | undefined;
  /** How long a transaction waits for the writer of another process, in milliseconds. Default 5000. */
  readonly busyTimeoutMs?: number | undefined;
}

const defaultPoolSize = 4;
const defaultStatementTimeoutMs = 30_000;
const defaultBusyTimeoutMs = 5000;

/**
 * Open a SQLite file for the agent. One connection writes, and one only reads and never waits for the writer. Readers for
 * statements that take long run in threads of their own. Only what such a reader carries out has a deadline.
 */
export async function openSqliteEngine(path: string, options: SqliteEngineOptions = {}): Promise<SqlEngine> {
  const { writer, reader } = await openConnections(path);
  const routes = createStatementRoutes(reader, options);
  const scans = createScanReaders({
    path,
    size: Math.max(1, (options.poolSize ?? defaultPoolSize) - 2),
    statementTimeoutMs: options.statementTimeoutMs ?? defaultStatementTimeoutMs,
  });
  let isClosed = false;
  let explain: ExplainFailure = async (_sql, error) => error;
  return {
    dialect: sqliteDialect,
    introspect: async () => introspectSqlite(reader),
    checks: async () => readSqliteChecks(reader),
    fingerprint: async () => catalogueFingerprint(reader),
    async read(sql, parameters, { signal }) {
      if (signal?.aborted) throw interrupted();
      const values = plain(parameters);
      try {
        const isScan = isOurQuery(sql) && routes.isLong(sql, values);
        return isScan ? await scans.all(sql, values, signal) : reader.all(sql, values);
      } catch (error) {
        throw await explain(sql, error);
      }
    },
    explainFailures: (given) => {
      explain = given;
    },
    transaction: createWriteQueue(writer, options.busyTimeoutMs ?? defaultBusyTimeoutMs),
    async runReadOnly(sql, values, { signal }) {
      if (signal?.aborted) throw interrupted();
      const native = bindNativeQuery(sql, values, sqliteSyntax);
      if (!isQuery(native.sql)) throw nativeQueryRefused(undefined);
      try {
        const isLong = routes.mayBeLong(native.sql, native.parameters);
        return await (isLong
          ? scans.all(native.sql, native.parameters, signal)
          : reader.all(native.sql, native.parameters));
      } catch (error) {
        throw isCloudError(error) && notTheQuery.has(error.code) ? error : nativeQueryRefused(error);
      }
    },
    openConnections: () => (isClosed ? 0 : 2 + scans.count()),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await scans.close();
      reader.close();
      writer.close();
    },
  };
}

/** Failures that any query can meet, whatever it says. */
const notTheQuery: ReadonlySet<ErrorCode> = new Set([
  'DATABASE_BUSY',
  'DATABASE_TIMEOUT',
  'DATABASE_UNREACHABLE',
  'INTERRUPTED',
]);

async function openConnections(path: string) {
  const writer = await openSqlite(path, { mustExist: true });
  try {
    const reader = await openSqlite(path, { isReadOnly: true });
    defineSqliteFunctions(reader);
    defineSqliteFunctions(writer);
    // The driver would hold up the thread while it waits for the lock: transactions wait for it themselves.
    writer.execute('pragma busy_timeout = 0');
    return { writer, reader };
  } catch (error) {
    writer.close();
    throw error;
  }
}

function catalogueFingerprint(connection: SqliteConnection): string {
  const rows = connection.all('select type, name, tbl_name, sql from sqlite_schema order by type, name');
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}

/** Lists go in as JSON here. */
function plain(parameters: readonly SqlParameter[]): SqlValue[] {
  return parameters as SqlValue[];
}

/** A connection that cannot write still obeys a PRAGMA, which is no query. */
function isQuery(sql: string): boolean {
  return /^(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:select|with|values)\b/i.test(sql);
}

/** A statement of ours that reads. An explanation reads nothing. */
function isOurQuery(sql: string): boolean {
  return !sql.startsWith(sqliteDialect.explain.prefix);
}

/** Texts, names in one of three kinds of quotes, comments, and words, which may hold a dollar sign. */
export const sqliteSyntax: NativeSyntax = {
  parts:
    /'[^']*(?:''[^']*)*(?:'|$)|"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\[[^\]]*(?:\]|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(?<name>[A-Za-z_]\w*)|[\p{L}_][\p{L}\p{N}_$]*/gu,
  placeholders: 'question marks',
};

/** Tells statements that are done in a moment from those that the agent must not wait for. */
interface StatementRoutes {
  /** Whether one of our statements goes through a large table. */
  isLong(sql: string, parameters: readonly SqlValue[]): boolean;
  /** Whether somebody else's statement may: any loop can be long, a join of small tables for instance. */
  mayBeLong(sql: string, parameters: readonly SqlValue[]): boolean;
}

interface RouteOptions {
  /** A table of more rows is large. By default that depends on the statement. */
  readonly largeTableRows?: number | undefined;
}

/** The rows that SQLite reads in some 5 ms: 20 million rows a second. */
const largeTableRows = 100_000;

/** What is done with each row. A function of ours and a comparison with a pattern take as long as six rows. */
const costlySteps = /\b(?:simple_lower|matches_like|first_day|exact_\w+)\(|\b(?:like|glob) /g;
const rowsOfCostlyStep = 6;

/** The number of rows from which a table is large for a statement; a power of two, so that few numbers are looked up. */
function largeTableRowsOf(sql: string): number {
  const steps = sql.match(costlySteps)?.length ?? 0;
  if (steps === 0) return largeTableRows;
  return 2 ** Math.floor(Math.log2(largeTableRows / (1 + steps * rowsOfCostlyStep)));
}

const pageOfAll = /^(?!.* where ).* limit (\?|\d+) offset \?$/s;

const maxRoutes = 1000;
const keptMs = 1_000;

type RowsOfPage = (parameters: readonly SqlValue[]) => number;

interface Route extends ScanPlan {
  /** The number of rows from which a table is large for it. */
  readonly rows: number;
  /** How many rows it goes through until its page ends; absent when it does not end there. */
  readonly rowsOfPage?: RowsOfPage | undefined;
  isLong: boolean;
  checkedAtMs: number;
}

/** Plans are looked up on `reader` once and kept until the schema changes. */
export function createStatementRoutes(reader: SqliteConnection, options: RouteOptions = {}): StatementRoutes {
  const sizes = createTableSizes(reader);
  let schema = readSchema(reader);
  let checkedAtMs = performance.now();

  function routeOf(sql: string, parameters: readonly SqlValue[], now: number): Route {
    if (now - checkedAtMs > keptMs) {
      checkedAtMs = now;
      if (schemaVersion(reader) !== schema.version) schema = readSchema(reader);
    }
    const { routes, tableOfRoot } = schema;
    const known = routes.get(sql);
    if (known) return known;
    const plan = scanPlan(reader, sql, parameters, tableOfRoot);
    const rows = options.largeTableRows ?? largeTableRowsOf(sql);
    const rowsOfPage = plan.isGathering ? undefined : rowsOfPageOf(sql);
    const route = { ...plan, rows, rowsOfPage, isLong: false, checkedAtMs: Number.NEGATIVE_INFINITY };
    routes.set(sql, route);
    if (routes.size > maxRoutes) routes.delete(routes.keys().next().value ?? sql);
    return route;
  }

  return {
    isLong(sql, parameters) {
      const now = performance.now();
      const route = routeOf(sql, parameters, now);
      if (route.tables.length === 0) return false;
      if (route.rowsOfPage && route.rowsOfPage(parameters) <= route.rows) return false;
      if (now - route.checkedAtMs > keptMs) {
        route.checkedAtMs = now;
        route.isLong = route.tables.some((table) => sizes.isLarger(table, route.rows));
      }
      return route.isLong;
    },
    mayBeLong: (sql, parameters) => routeOf(sql, parameters, performance.now()).hasLoop,
  };
}

/** Facts that hold until the schema changes. */
interface KnownSchema {
  readonly version: unknown;
  readonly tableOfRoot: ReadonlyMap<number, string>;
  readonly routes: Map<string, Route>;
}

function readSchema(reader: SqliteConnection): KnownSchema {
  const rows = reader.all('select rootpage, tbl_name from sqlite_schema where rootpage > 0');
  const tableOfRoot = new Map(rows.map((row) => [Number(row['rootpage']), String(row['tbl_name'])]));
  return { version: schemaVersion(reader), tableOfRoot, routes: new Map() };
}

function schemaVersion(reader: SqliteConnection): unknown {
  return reader.all('pragma main.schema_version')[0]?.['schema_version'];
}

/** The rows that a page of all records of a table goes through, as `plannedPaging` writes it. */
function rowsOfPageOf(sql: string): RowsOfPage | undefined {
  const [, limit] = pageOfAll.exec(sql) ?? [];
  if (limit === undefined) return undefined;
  return (parameters) => Number(parameters.at(-1)) + Number(limit === '?' ? parameters.at(-2) : limit);
}
