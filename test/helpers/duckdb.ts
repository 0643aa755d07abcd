import { DuckDBInstance } from '@duckdb/node-api';
import { onTestFinished } from 'vitest';

/** Rows of DuckDB with texts and numbers; numbers of 64 bits are texts. The database is in memory, and ends with the test. */
export async function openDuckDb() {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  return {
    all: async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson(),
  };
}
