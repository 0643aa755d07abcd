import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import { openSqliteEngine } from '#runtime/data-sources/sqlite/sqlite-engine';
import { createTablesSql } from './ddl.ts';
import type { NeutralTable } from './tables.ts';

/** A SQLite file with the tables, gone when the data source is closed. */
export function openSqliteTables(tables: readonly NeutralTable[]): Promise<DataSource> {
  return openOn(tables, (storage) => createSqlDataSource({ dialect: 'sqlite', storage })());
}

/** The same, with every statement that goes through a table carried out by a scan reader, however small the table. */
export function openScannedSqliteTables(tables: readonly NeutralTable[]): Promise<DataSource> {
  return openOn(tables, async (storage) => createDataSourceOn(await openSqliteEngine(storage, { largeTableRows: 0 })));
}

async function openOn(
  tables: readonly NeutralTable[],
  open: (storage: string) => Promise<DataSource>,
): Promise<DataSource> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'vendor-cloud-tables-'));
  const storage = path.join(folder, 'data.sqlite');
  const connection = await openSqlite(storage);
  connection.transaction(() => {
    for (const statement of createTablesSql('sqlite', tables)) connection.execute(statement);
  });
  connection.close();
  const dataSource = await open(storage);
  return {
    ...dataSource,
    async close() {
      await dataSource.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
