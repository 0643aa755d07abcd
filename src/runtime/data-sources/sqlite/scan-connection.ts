import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createPlanCache } from '../../query/plan-cache.ts';
import { defineGuardViews, guardScans } from './scan-guards.ts';
import { defineSqliteFunctions } from './sqlite-functions.ts';

/** A connection whose statements can be stopped. */
export interface ScanConnection {
  /** Rows one by one; `assertGoesOn` is asked between them, and while SQLite looks for the next. */
  each(sql: string, parameters: readonly SqlValue[]): Iterable<SqlRow>;
}

const maxChoices = 500;

/** Open the file to be read only, with a guard on every scan. */
export async function openScanConnection(path: string, assertGoesOn: () => void): Promise<ScanConnection> {
  const guarded = await openReader(path);
  const plain = await openReader(path);
  let version = schemaVersion(guarded);
  let choices = createPlanCache<SqliteConnection>(maxChoices);
  guardScans(guarded, assertGoesOn);

  /** Views have no rowid and no indexes to name, and rarely a worse plan; who needs more reads without a guard. */
  function connectionFor(sql: string, parameters: readonly SqlValue[]): SqliteConnection {
    const current = schemaVersion(plain);
    if (current !== version) {
      defineGuardViews(guarded);
      choices = createPlanCache<SqliteConnection>(maxChoices);
      version = current;
    }
    return choices.memo(sql, {
      context: () => {
        const isSame =
          !/pragma_/i.test(sql) && planShape(guarded, sql, parameters) === planShape(plain, sql, parameters);
        return isSame ? guarded : plain;
      },
    });
  }

  return {
    *each(sql, parameters) {
      for (const row of connectionFor(sql, parameters).each(sql, parameters)) {
        assertGoesOn();
        yield row;
      }
    },
  };
}

async function openReader(path: string): Promise<SqliteConnection> {
  const connection = await openSqlite(path, { isReadOnly: true });
  defineSqliteFunctions(connection);
  return connection;
}

function schemaVersion(connection: SqliteConnection): unknown {
  return connection.all('pragma main.schema_version')[0]?.['schema_version'];
}

/** The steps of the plan without the names of tables, which differ; `undefined` for a statement that the database refuses. */
function planShape(connection: SqliteConnection, sql: string, parameters: readonly SqlValue[]): string | undefined {
  try {
    const steps = [...connection.each(`explain query plan ${sql}`, parameters)];
    return steps.map(({ detail }) => String(detail).replace(namesInStep, '$1$2')).join('\n');
  } catch (error) {
    if (isCloudError(error)) return undefined;
    throw error;
  }
}

const namesInStep = /^(SCAN|SEARCH|BLOOM FILTER ON) .*?( EXISTS\b.*| USING .*| \(.*| LEFT-JOIN)?$/;
