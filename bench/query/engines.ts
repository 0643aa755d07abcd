import path from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Pool } from 'pg';
import { createSqlDataSource } from '../../src/runtime/data-sources/create-sql-data-source.ts';
import type { DataSource } from '../../src/runtime/data-sources/interface/data-source.ts';
import { startPostgres } from '../postgres.ts';
import { postgres, sqlite, tableStatements } from './tables.ts';

/** The tables in a database, reached through the data source and through the bare driver. */
export interface OpenedEngine {
  readonly source: DataSource;
  /** Run a statement by hand, prepared once. */
  query(sql: string, values: readonly (number | string)[]): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function openSqliteShop(folder: string, statements = tableStatements(sqlite)): Promise<OpenedEngine> {
  const file = path.join(folder, 'shop.sqlite');
  const database = new BetterSqlite3(file);
  database.pragma('journal_mode = wal');
  for (const statement of statements) database.exec(statement);
  const source = await createSqlDataSource(`sqlite:${file}`)();
  const prepared = new Map<string, BetterSqlite3.Statement>();
  return {
    source,
    async query(sql, values) {
      const text = sql.replaceAll(/\$\d+/g, '?');
      const statement = prepared.get(text) ?? database.prepare(text);
      prepared.set(text, statement);
      return statement.all(...values) as Record<string, unknown>[];
    },
    async close() {
      await source.close();
      database.close();
    },
  };
}

export async function openPostgresShop(folder: string, statements = tableStatements(postgres)): Promise<OpenedEngine> {
  const server = await startPostgres(folder);
  await server.execute(statements);
  const source = await createSqlDataSource(server.uri)();
  // A pool, as every server has one: a single connection would be no comparison.
  const pool = new Pool({ connectionString: server.uri, max: 5 });
  const names = new Map<string, string>();
  return {
    source,
    async query(text, values) {
      const name = names.get(text) ?? `bench${names.size}`;
      names.set(text, name);
      return (await pool.query({ name, text, values: [...values] })).rows;
    },
    async close() {
      await pool.end();
      await source.close();
      await server.stop();
    },
  };
}
