import { type FSWatcher, rmSync, statSync, watch } from 'node:fs';
import type { ErrorCode } from '#kernel/errors/catalogue';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { SqlParameter, SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { closed, interrupted } from '#node/database/database-errors';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { bindNativeQuery, nativeQueryRefused } from '../sql/native-query.ts';
import type { ExplainFailure, SqlEngine } from '../sql/sql-engine.ts';
import { catalogueFingerprint, introspectSqlite } from './introspect-sqlite.ts';
import {
  createTableSizes,
  largeTableRowsOf,
  type RowsOfPage,
  rowsOfPageOf,
  type ScanPlan,
  scanPlan,
} from './scan-plan.ts';
import { createScanReaders } from './scan-thread-pool.ts';
import { readSqliteChecks } from './sqlite-columns.ts';
import { isQuery, sqliteDialect, sqliteSyntax } from './sqlite-dialect.ts';
import { defineSqliteFunctions } from './sqlite-functions.ts';
import { createWriteQueue } from './sqlite-write-queue.ts';

export interface SqliteEngineOptions extends RouteOptions {
  /** Connections at most, but never less than the one that writes, the one that reads and one that scans. Default 4. */
  readonly poolSize?: number | undefined;
  /** How long a statement that scans may take, in milliseconds. Default 30 000; `0` means no limit. */
  readonly statementTimeoutMs?: number | undefined;
  /** How long a transaction waits for the writer of another process, in milliseconds. Default 5000. */
  readonly busyTimeoutMs?: number | undefined;
}

const defaultPoolSize = 4;
const defaultStatementTimeoutMs = 30_000;
const defaultBusyTimeoutMs = 5000;

/** Open a SQLite file for the agent, and whatever file takes its place. */
export function openSqliteEngine(path: string, options: SqliteEngineOptions = {}): Promise<SqlEngine> {
  return followFile(path, () => openFileEngine(path, options));
}

/** The connections to one file. */
interface FileEngine extends SqlEngine {
  explainFailures(explain: ExplainFailure): void;
  /** Whether the log beside the file may hold changes that the file lacks. */
  hasOpenLog(): boolean;
}

/**
 * The engine of the file that is at `path` now. A seed, a backup or another branch of a repository may put another file there. SQLite
 * itself goes on with the one that it has opened, which nobody finds any more.
 */
async function followFile(path: string, open: () => Promise<FileEngine>): Promise<SqlEngine> {
  const file = new FollowedFile(path, open);
  const { dialect } = await file.engine();
  return {
    dialect,
    introspect: async () => (await file.engine()).introspect(),
    checks: async () => (await (await file.engine()).checks?.()) ?? [],
    fingerprint: async () => (await file.engine()).fingerprint(),
    explainFailures: (explain) => file.explainFailures(explain),
    async read(sql, parameters, context) {
      const engine = file.engineAtHand() ?? (await file.engine());
      try {
        return await engine.read(sql, parameters, context);
      } catch (error) {
        if (file.hasLeft(engine)) return (await file.engine()).read(sql, parameters, context);
        throw file.noted(error);
      }
    },
    async runReadOnly(sql, values, context) {
      const engine = await file.engine();
      return engine.runReadOnly(sql, values, context).catch((error: unknown) => {
        throw file.noted(error);
      });
    },
    async transaction(work, context) {
      const engine = await file.engine();
      let result: Awaited<ReturnType<typeof work>>;
      try {
        result = await engine.transaction(work, context);
      } catch (error) {
        throw file.hasLeft(engine) ? replaced(path, error) : file.noted(error);
      }
      if (file.hasLeft(engine)) throw replaced(path);
      return result;
    },
    openConnections: () => file.openConnections(),
    close: () => file.close(),
  };
}

interface OpenedFile {
  readonly engine: FileEngine;
  readonly identity: string | undefined;
  readonly watcher: FSWatcher | undefined;
}

/** How old the last look at the file may be for a read, in milliseconds. */
const lookMs = 250;

class FollowedFile {
  readonly #path: string;
  readonly #open: () => Promise<FileEngine>;
  #explain: ExplainFailure | undefined;
  #opened: OpenedFile | undefined;
  #opening: Promise<FileEngine> | undefined;
  #leaving: Promise<void> = Promise.resolve();
  #lookedAt = 0;
  #isClosed = false;

  constructor(path: string, open: () => Promise<FileEngine>) {
    this.#path = path;
    this.#open = open;
  }

  /** The engine of the file, as far as the last look tells. `undefined` where it must be opened first. */
  engineAtHand(): FileEngine | undefined {
    return performance.now() - this.#lookedAt < lookMs ? this.#opened?.engine : this.engineNow();
  }

  engineNow(): FileEngine | undefined {
    this.#look();
    return this.#opened?.engine;
  }

  /** Opens the file where that has to be done. Rejects with why it cannot be opened; the next call tries again. */
  async engine(): Promise<FileEngine> {
    const engine = this.engineNow();
    if (engine) return engine;
    this.#opening ??= this.#openAgain().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  explainFailures(explain: ExplainFailure): void {
    this.#explain = explain;
    this.#opened?.engine.explainFailures(explain);
  }

  /** Whether another file is there now, or none. */
  hasLeft(engine: FileEngine): boolean {
    return !this.#isClosed && this.engineNow() !== engine;
  }

  /** The same error. Somebody may have written over the file, whose pages then do not fit to each other: it is opened again. */
  noted(error: unknown): unknown {
    if (isDamage(error)) this.#leave();
    return error;
  }

  openConnections(): number {
    return this.#opened?.engine.openConnections() ?? 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => undefined);
    this.#leave();
    await this.#leaving;
  }

  async #openAgain(): Promise<FileEngine> {
    // Connections to two files must not share the memory beside them.
    await this.#leaving;
    if (this.#isClosed) throw closed();
    const identity = identityOf(this.#path);
    const engine = await this.#open();
    if (this.#explain) engine.explainFailures(this.#explain);
    this.#opened = { engine, identity, watcher: watchFile(this.#path, () => this.#look()) };
    return engine;
  }

  #look(): void {
    this.#lookedAt = performance.now();
    if (this.#opened && this.#opened.identity !== identityOf(this.#path)) this.#leave();
  }

  #leave(): void {
    const left = this.#opened;
    this.#opened = undefined;
    if (!left) return;
    this.#leaving = this.#leaving.then(() => this.#closeFile(left));
    // The next opening rejects with it.
    this.#leaving.catch(() => undefined);
  }

  async #closeFile({ engine, identity, watcher }: OpenedFile): Promise<void> {
    watcher?.close();
    const isReplaced = identity !== identityOf(this.#path);
    const hasLog = engine.hasOpenLog();
    await engine.close();
    // SQLite leaves its log there, and whoever opens the other file would take that for its log.
    if (isReplaced && hasLog) for (const end of ['-wal', '-shm']) rmSync(this.#path + end, { force: true });
  }
}

/** `undefined` while there is no file. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/** Not every file system tells of changes. There, reads and writes look by themselves. */
function watchFile(path: string, look: () => void): FSWatcher | undefined {
  try {
    return watch(path, { persistent: false }, look).on('error', look);
  } catch {
    return undefined;
  }
}

function isDamage(error: unknown): boolean {
  return isCloudError(error) && /^SQLITE_(?:CORRUPT|NOTADB)/.test(String(error.safeDetails['sqliteCode']));
}

function replaced(path: string, cause?: unknown): CloudError {
  return cloudError(
    'DATABASE_UNREACHABLE',
    `Another file took the place of ${path} during the write, which went to the one before.`,
    'Look whether the change is there before it is made again.',
    { cause },
  );
}

/**
 * One connection writes, and one only reads and never waits for the writer. Readers for statements that take long run in threads of their
 * own. Only what such a reader carries out has a deadline.
 */
async function openFileEngine(path: string, options: SqliteEngineOptions): Promise<FileEngine> {
  const { writer, reader } = await openConnections(path);
  const routes = createStatementRoutes(reader, options);
  const scans = createScanReaders({
    path,
    size: Math.max(1, (options.poolSize ?? defaultPoolSize) - 2),
    statementTimeoutMs: options.statementTimeoutMs ?? defaultStatementTimeoutMs,
  });
  const writes = createWriteQueue(writer, options.busyTimeoutMs ?? defaultBusyTimeoutMs);
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
    transaction: writes.transaction,
    hasOpenLog: writes.hasOpenLog,
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
      writes.end();
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

/** Lists go in as JSON here. */
function plain(parameters: readonly SqlParameter[]): SqlValue[] {
  return parameters as SqlValue[];
}

/** A statement of ours that reads. An explanation reads nothing. */
function isOurQuery(sql: string): boolean {
  return !sql.startsWith(sqliteDialect.explain.prefix);
}

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

const maxRoutes = 1000;
const keptMs = 1_000;

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
