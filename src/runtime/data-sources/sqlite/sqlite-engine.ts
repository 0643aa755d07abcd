import { createHash } from 'node:crypto';
import type { ErrorCode } from '#kernel/errors/catalogue';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlParameter, SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { interrupted } from '#node/database/database-errors';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { insideBrackets, isSign, isWord, sqlTokens } from '../checks/sql-tokens.ts';
import type { TableCheck } from '../checks/table-check.ts';
import { bindNativeQuery, type NativeSyntax, nativeQueryRefused } from '../sql/native-query.ts';
import type { ExplainFailure, SqlEngine } from '../sql/sql-engine.ts';
import { introspectSqlite } from './introspect-sqlite.ts';
import { createScanReaders } from './scan-readers.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { defineSqliteFunctions } from './sqlite-functions.ts';
import { createStatementRoutes, type RouteOptions } from './statement-routes.ts';
import { createWriteQueue } from './write-queue.ts';

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
 * Open a SQLite file for the agent: one connection that writes, one that only reads and never waits for it, and, in
 * threads of their own, readers for statements that take long. Only what such a reader carries out has a deadline.
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

/** SQLite keeps the text that made a table, and its checks nowhere else. */
function readSqliteChecks(connection: SqliteConnection): readonly TableCheck[] {
  const tables = connection.all("select name, sql from sqlite_schema where type = 'table' and sql is not null");
  return tables.flatMap((row) =>
    checksIn(String(row['sql'])).map((text) => ({
      schema: null,
      table: String(row['name']),
      text,
      hasBracketNames: true,
    })),
  );
}

function checksIn(createTable: string): readonly string[] {
  const tokens = sqlTokens(createTable);
  return tokens.flatMap((token, index) => {
    const open = tokens[index + 1];
    if (!isWord(token, 'CHECK') || !open || !isSign(open, '(')) return [];
    const close = tokens[index + 2 + insideBrackets(tokens, index + 1).length];
    return [createTable.slice(open.start + 1, close?.start)];
  });
}

/** Texts, names in one of three kinds of quotes, comments, and words, which may hold a dollar sign. */
export const sqliteSyntax: NativeSyntax = {
  parts:
    /'[^']*(?:''[^']*)*(?:'|$)|"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\[[^\]]*(?:\]|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(?<name>[A-Za-z_]\w*)|[\p{L}_][\p{L}\p{N}_$]*/gu,
  placeholders: 'question marks',
};
