import type { Activity } from '#contracts/activity';
import type { ActivityEntry } from '#contracts/audit/rows';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { findChain } from '#platform/audit/audit-chains';
import { type LogRow, readLog } from '#platform/audit/read-log';
import { createSqliteStore } from '#platform/store/sqlite-store';
import type { Store } from '#platform/store/store';

/** The activities of an environment in the file of a platform, which may be running. */
export async function readStoredActivities(file: string, environmentId = 1): Promise<readonly Activity[]> {
  const connection = await openSqlite(file, { isReadOnly: true });
  const store = createSqliteStore({
    file,
    writer: connection,
    reader: connection,
    release: () => connection.close(),
  });
  try {
    return await storedActivities(store, environmentId);
  } finally {
    await store.close();
  }
}

/** The first thousand activities in the log of an environment, as agents report them. */
export async function storedActivities({ db }: Store, environmentId: number): Promise<readonly Activity[]> {
  const chain = await findChain(db, { kind: 'activity', environmentId });
  if (!chain) return [];
  const { rows } = await readLog(db, chain, {}, { limit: 1_000, order: 'asc' });
  return rows.map(reported);
}

function reported({ entry, status }: LogRow): Activity {
  const {
    id,
    occurredAt,
    durationMs,
    type,
    action,
    label,
    recordIds,
    recordCount,
    fields,
    source,
    correlationId,
    ...row
  } = entry as ActivityEntry;
  return {
    id,
    occurredAt,
    durationMs,
    type,
    action: action as Activity['action'],
    ...(label === undefined ? {} : { label }),
    collection: row.collection?.name ?? '',
    recordIds: [...recordIds],
    recordCount,
    ...(fields === undefined ? {} : { fields: [...fields] }),
    source: source === 'mcp' ? 'mcp' : 'rest',
    ...(row.approval === undefined ? {} : { approval: row.approval }),
    user: { id: row.user.id, email: row.user.email, name: row.user.username, team: row.team.name, role: row.role },
    renderingId: row.rendering?.id ?? 0,
    correlationId: correlationId ?? '',
    status: status ?? 'pending',
  };
}
