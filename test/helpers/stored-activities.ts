import { openSqlite } from '#host/sqlite/sqlite-connection';
import { systemClock } from '#host/system/system-clock';
import { createActivityRepository, type StoredActivity } from '#sandbox/activity/activity-repository';
import { createSqliteStore } from '#sandbox/store/sqlite-store';

/** The activities of an environment in the file of a platform, which may be running. */
export async function readStoredActivities(file: string, environmentId = 1): Promise<readonly StoredActivity[]> {
  const connection = await openSqlite(file, { isReadOnly: true });
  const store = createSqliteStore({
    file,
    writer: connection,
    reader: connection,
    release: () => connection.close(),
  });
  try {
    return await createActivityRepository(store, systemClock).list(environmentId, 1_000);
  } finally {
    await store.close();
  }
}
