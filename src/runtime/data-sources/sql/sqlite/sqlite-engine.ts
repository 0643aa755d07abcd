import { createHash } from 'node:crypto';
import { openSqlite } from '#host/sqlite-connection';
import { CloudError } from '#kernel/errors/cloud-error';
import type { SqliteConnection, SqlValue } from '#kernel/ports/sqlite-connection';
import type { QueryContext } from '../../data-source.ts';
import type { SqlParameter } from '../bind-context.ts';
import { bindNativeQuery, nativeQueryRefused } from '../native-query.ts';
import type { SqlEngine, SqlSession } from '../sql-engine.ts';
import { introspectSqlite } from './introspect-sqlite.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { defineSqliteFunctions } from './sqlite-functions.ts';

/** Open a SQLite file for the agent: one connection that writes, one that only reads and never waits for it. */
export async function openSqliteEngine(path: string): Promise<SqlEngine> {
  const writer = await openSqlite(path, { mustExist: true });
  let reader: SqliteConnection;
  try {
    reader = await openSqlite(path, { isReadOnly: true });
  } catch (error) {
    writer.close();
    throw error;
  }
  defineSqliteFunctions(reader);
  defineSqliteFunctions(writer);
  const writing = createWriteQueue(writer);
  let openConnections = 2;
  return {
    dialect: sqliteDialect,
    introspect: async () => introspectSqlite(reader),
    fingerprint: async () => catalogueFingerprint(reader),
    async read(sql, parameters, context) {
      refuseAborted(context);
      return reader.all(sql, plain(parameters));
    },
    transaction: (work, context) => writing(work, context),
    async runReadOnly(sql, values, context) {
      refuseAborted(context);
      const native = bindNativeQuery(sql, values, () => '?');
      if (!isQuery(native.sql)) throw nativeQueryRefused(undefined);
      try {
        return reader.all(native.sql, native.parameters);
      } catch (error) {
        throw nativeQueryRefused(error);
      }
    },
    openConnections: () => openConnections,
    async close() {
      if (openConnections === 0) return;
      openConnections = 0;
      reader.close();
      writer.close();
    },
  };
}

/** SQLite has one writer: transactions wait for one another here, not in the database. */
function createWriteQueue(writer: SqliteConnection) {
  let last: Promise<unknown> = Promise.resolve();
  const session: SqlSession = {
    all: async (sql, parameters) => writer.all(sql, plain(parameters)),
    run: async (sql, parameters) => writer.run(sql, plain(parameters)).changes,
  };
  const inTransaction = async <Result>(work: (session: SqlSession) => Promise<Result>, context: QueryContext) => {
    refuseAborted(context);
    writer.execute('begin immediate');
    try {
      const result = await work(session);
      writer.execute('commit');
      return result;
    } catch (error) {
      writer.execute('rollback');
      throw error;
    }
  };
  return <Result>(work: (session: SqlSession) => Promise<Result>, context: QueryContext): Promise<Result> => {
    const result = last.then(() => inTransaction(work, context));
    last = result.catch(() => undefined); // Whoever asked for it sees the failure; the next one runs all the same.
    return result;
  };
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
  return /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:select|with|values)\b/i.test(sql);
}

function refuseAborted(context: QueryContext): void {
  if (!context.signal?.aborted) return;
  throw new CloudError({
    code: 'INTERRUPTED',
    message: 'The client went away before the query was done.',
    nextSteps: ['Send the request again.'],
  });
}
