import type { Activity, ActivityEntry } from '#contracts/activity';
import type { Clock } from '#kernel/ports/clock';
import type { Store } from '../store/store.ts';

/** A report as far as it is kept. */
export type StoredActivity = Omit<Activity, 'durationMs' | 'fields' | 'source' | 'user'> & { readonly userId: number };

/** What people did through the agents of each environment. Nothing of it is ever changed. */
export interface ActivityRepository {
  /** Store the reports that are not stored yet, all of them or nothing. Continuations are not kept. */
  add(environmentId: number, entries: readonly ActivityEntry[]): Promise<void>;
  /** The first of them, in the order in which they arrived. */
  list(environmentId: number, limit: number): Promise<readonly StoredActivity[]>;
}

export function createActivityRepository(store: Store, clock: Clock): ActivityRepository {
  return {
    add: async (environmentId, entries) => {
      const rows = entries.flatMap((entry) => ('part' in entry ? [] : [rowOf(entry)]));
      if (rows.length === 0) return;
      await store.transaction(async ({ db }) => {
        const receivedAt = clock.now();
        await db
          .insertInto('activities')
          .values(rows.map((row) => ({ ...row, environmentId, receivedAt })))
          .onConflict((same) => same.columns(['environmentId', 'id']).doNothing())
          .execute();
      });
    },
    list: async (environmentId, limit) => {
      const rows = await store.db
        .selectFrom('activities')
        .select(['id', 'occurredAt', 'type', 'action', 'label', 'collection', 'recordIds', 'recordCount'])
        .select(['userId', 'renderingId', 'correlationId', 'status'])
        .where('environmentId', '=', environmentId)
        .orderBy('position')
        .limit(limit)
        .execute();
      return rows.map(activityOf);
    },
  };
}

function rowOf({ occurredAt, label, recordIds, durationMs, fields, source, user, ...same }: Activity) {
  return {
    ...same,
    userId: user.id,
    occurredAt: Date.parse(occurredAt),
    label: label ?? null,
    recordIds: JSON.stringify(recordIds),
  };
}

function activityOf({ occurredAt, label, recordIds, ...same }: ReturnType<typeof rowOf>): StoredActivity {
  return {
    ...same,
    occurredAt: new Date(occurredAt).toISOString(),
    ...(label === null ? {} : { label }),
    recordIds: JSON.parse(recordIds),
  };
}
