import path from 'node:path';
import { onTestFinished } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { temporaryFolder } from './temporary-folder.ts';

/** A SQLite file made by `script`, gone when the test ends. */
export async function temporaryDatabase(script: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'data.sqlite');
  const connection = await openSqlite(file);
  connection.execute(script);
  connection.close();
  return file;
}

/** A data source on a SQLite file made by `script`. */
export async function temporaryDataSource(script: string): Promise<DataSource> {
  const dataSource = await createSqlDataSource(`sqlite:${encodeURI(await temporaryDatabase(script))}`)();
  onTestFinished(() => dataSource.close());
  return dataSource;
}
