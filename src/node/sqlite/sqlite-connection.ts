import { stat } from 'node:fs/promises';
import type { Database, Statement } from 'better-sqlite3';
import { cloudError } from '#kernel/errors/cloud-error';
import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { closed } from '../database/database-errors.ts';
import { openError, queryError } from './sqlite-errors.ts';

export interface SqliteOptions {
  /** Refuse every write. The file must exist. */
  readonly isReadOnly?: boolean;
  /** Fail with `DATABASE_NOT_FOUND` instead of creating the file. */
  readonly mustExist?: boolean;
  /** `FULL` survives a power cut; `NORMAL` survives a crash of the process and is faster. Default `NORMAL`. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** `rollback` writes nothing before the first change, and has one file only. Default `wal`. */
  readonly journal?: 'wal' | 'rollback';
  /** How long a statement waits for another writer, in milliseconds. It blocks the thread meanwhile. Default 5000. */
  readonly busyTimeoutMs?: number;
  /** Of a new file. Longer rows waste less of larger pages. Default: 4 KB. */
  readonly pageKb?: number;
  /** Memory for pages of the file. The operating system keeps pages as well, so that little is lost. Default: 16 MB. */
  readonly cacheMb?: number;
}

const maxCachedStatements = 500;

/**
 * Open a SQLite file in WAL mode, foreign keys enforced. Integers come back as numbers where that is exact, else as
 * bigints.
 *
 * @throws `DATABASE_NOT_FOUND`, `DATABASE_UNREADABLE`, `DATABASE_NOT_A_DATABASE`, `DATABASE_BUSY`; later, from every
 * method, `DATABASE_CONSTRAINT_VIOLATED`, `DATABASE_BUSY` and `DATABASE_QUERY_FAILED`.
 */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<SqliteConnection> {
  const mustExist = options.mustExist === true || options.isReadOnly === true;
  if (mustExist) await assertFileExists(path);
  const { default: BetterSqlite3 } = await import('better-sqlite3');
  let database: Database | undefined;
  try {
    database = new BetterSqlite3(path, {
      readonly: options.isReadOnly ?? false,
      fileMustExist: mustExist,
      timeout: options.busyTimeoutMs ?? 5000,
    });
    configure(database, options);
  } catch (error) {
    database?.close();
    throw openError(path, error);
  }
  return connectionOn(database);
}

async function assertFileExists(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) throw openError(path, error);
    throw cloudError(
      'DATABASE_NOT_FOUND',
      `There is no database file at ${path}.`,
      'Correct the path of the connection, or create the database.',
      { cause: error },
    );
  }
}

function configure(database: Database, options: SqliteOptions): void {
  database.defaultSafeIntegers(true);
  // Only a statement that reads the header shows whether the file is a database.
  database.prepare('select count(*) from sqlite_schema').get();
  if (options.isReadOnly !== true) {
    if (options.pageKb !== undefined) database.pragma(`page_size = ${options.pageKb * 1024}`);
    database.pragma(`journal_mode = ${options.journal === 'rollback' ? 'delete' : 'wal'}`);
    database.pragma(`synchronous = ${options.synchronous ?? 'NORMAL'}`);
  }
  database.pragma('foreign_keys = on');
  if (options.cacheMb !== undefined) database.pragma(`cache_size = ${-1024 * options.cacheMb}`);
}

function connectionOn(database: Database): SqliteConnection {
  const statements = new Map<string, Statement>();

  function prepare(sql: string): Statement {
    const cached = statements.get(sql);
    if (cached) {
      // Re-inserting keeps the map in order of last use.
      statements.delete(sql);
      statements.set(sql, cached);
      return cached;
    }
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    if (statements.size > maxCachedStatements) {
      for (const oldest of statements.keys()) {
        statements.delete(oldest);
        break;
      }
    }
    return statement;
  }

  /** A closed connection always fails with the same error, whatever the driver says. */
  function translated(error: unknown): unknown {
    return database.open ? queryError(error) : closed();
  }

  function translating<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw translated(error);
    }
  }

  return {
    all: (sql, parameters = []) =>
      translating(() => (prepare(sql).all(...parameters.map(bindable)) as Record<string, SqlValue>[]).map(exactRow)),
    *each(sql, parameters = []) {
      try {
        const rows = database.prepare(sql).iterate(...parameters.map(bindable));
        for (const row of rows) yield exactRow(row as Record<string, SqlValue>);
      } catch (error) {
        throw translated(error);
      }
    },
    run: (sql, parameters = []) =>
      translating(() => {
        const result = prepare(sql).run(...parameters.map(bindable));
        return { changes: result.changes, lastInsertRowid: exactInteger(result.lastInsertRowid) };
      }),
    transaction: (work) => translating(() => database.transaction(work).immediate()),
    isInTransaction: () => database.inTransaction,
    execute: (script) => {
      translating(() => database.exec(script));
    },
    defineFunction(name, evaluate, { isVolatile = false } = {}) {
      database.function(name, { deterministic: !isVolatile, varargs: true }, (...values: unknown[]) =>
        bindable(evaluate(...values.map(exactValue))),
      );
    },
    defineAggregate(name, { start, step, result }) {
      database.aggregate(name, {
        deterministic: true,
        varargs: true,
        start,
        step: (state, ...values: unknown[]) => step(state, ...values.map(exactValue)),
        result: (state) => bindable(result(state)),
      });
    },
    close: () => {
      statements.clear();
      database.close();
    },
  };
}

function bindable(value: SqlValue): Exclude<SqlValue, boolean> {
  return typeof value === 'boolean' ? Number(value) : value;
}

/**
 * Turns the bigints of a fresh row into numbers where that loses nothing. Changes the row itself, because there are
 * many.
 */
function exactRow(row: Record<string, SqlValue>): SqlRow {
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'bigint') row[name] = exactInteger(value);
  }
  return row;
}

function exactValue(value: unknown): SqlValue {
  return typeof value === 'bigint' ? exactInteger(value) : (value as SqlValue);
}

function exactInteger(value: number | bigint): number | bigint {
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
}
