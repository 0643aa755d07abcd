import { onTestFinished } from 'vitest';
import type { AdminEntry, RowPlace } from '#contracts/audit/rows';
import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { findChain } from '#platform/audit/audit-chains';
import { readLog } from '#platform/audit/read-log';
import { openStore } from '#platform/store/open-store';
import { createSqliteStore } from '#platform/store/sqlite-store';
import type { Store } from '#platform/store/store';

/** Reads what was logged of a project since the last time, in the store of a platform that runs. */
export async function followAdminLog(place: SqlConnectionParams) {
  const store = await openBeside(place);
  onTestFinished(() => store.close());
  let after = 0;
  return async (projectId = 1): Promise<readonly (AdminEntry & RowPlace)[]> => {
    const chain = await findChain(store.db, { kind: 'admin', projectId });
    if (!chain) return [];
    const { rows } = await readLog(store.db, chain, {}, { limit: 500, order: 'asc', after });
    after = chain.headSequence;
    return rows.map(({ entry }) => entry as AdminEntry & RowPlace);
  };
}

async function openBeside(place: SqlConnectionParams): Promise<Store> {
  const { storage: file } = place as { readonly storage?: string };
  if (file === undefined) return openStore(place);
  const connection = await openSqlite(file, { isReadOnly: true });
  return createSqliteStore({ file, writer: connection, reader: connection, release: () => connection.close() });
}
