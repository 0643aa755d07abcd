import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openSqlite } from '#host/sqlite-connection';
import type { DataSource } from '#runtime/data-sources/data-source';
import { createSqlDataSource } from '#runtime/data-sources/sql/create-sql-data-source';
import { createTablesSql } from './ddl.ts';
import type { NeutralTable } from './tables.ts';

/** A SQLite file with the tables, gone when the data source is closed. */
export async function openSqliteTables(tables: readonly NeutralTable[]): Promise<DataSource> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'vendor-cloud-tables-'));
  const storage = path.join(folder, 'data.sqlite');
  const connection = await openSqlite(storage);
  connection.transaction(() => {
    for (const statement of createTablesSql('sqlite', tables)) connection.execute(statement);
  });
  connection.close();
  const dataSource = await createSqlDataSource({ dialect: 'sqlite', storage })();
  return {
    ...dataSource,
    async close() {
      await dataSource.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
