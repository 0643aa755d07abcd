import { createHash } from 'node:crypto';
import { openSqlite } from '#host/sqlite-connection';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { DataSource } from '../../data-source.ts';
import { collectionsFromTables } from '../collections-from-tables.ts';
import { createDataSourceOn } from '../sql-data-source.ts';
import { introspectSqlite } from './introspect-sqlite.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

/** Open a SQLite file for the agent: one connection that writes, one that only reads and never waits for it. */
export async function openSqliteDataSource(path: string): Promise<DataSource> {
  const writer = await openSqlite(path, { mustExist: true });
  let reader: SqliteConnection | undefined;
  try {
    reader = await openSqlite(path, { isReadOnly: true });
    const reading = reader;
    const { tables, warnings } = introspectSqlite(reader);
    return createDataSourceOn({
      dialect: sqliteDialect,
      reader,
      writer,
      collections: collectionsFromTables(tables, sqliteDialect.operatorsOf),
      warnings,
      fingerprint: () => catalogueFingerprint(reading),
    });
  } catch (error) {
    reader?.close();
    writer.close();
    throw error;
  }
}

function catalogueFingerprint(connection: SqliteConnection): string {
  const rows = connection.all('select type, name, tbl_name, sql from sqlite_schema order by type, name');
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}
