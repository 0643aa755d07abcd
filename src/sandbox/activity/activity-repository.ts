import { type Activity, activitySchema } from '#contracts/activity';
import type { Clock } from '#kernel/ports/clock';
import type { Store } from '../store/store.ts';

/** What people did through the agents of each environment. Nothing of it is ever changed. */
export interface ActivityRepository {
  /** Store what is not stored yet, all of it or nothing. */
  add(environmentId: number, activities: readonly Activity[]): Promise<void>;
  /** The first of them, in the order in which they arrived. */
  list(environmentId: number, limit: number): Promise<readonly Activity[]>;
}

export function createActivityRepository(store: Store, clock: Clock): ActivityRepository {
  return {
    add: (environmentId, activities) =>
      store.transaction(async ({ db }) => {
        const receivedAt = clock.now();
        await db
          .insertInto('activities')
          .values(activities.map((activity) => ({ ...rowOf(activity), environmentId, receivedAt })))
          .onConflict((same) => same.columns(['environmentId', 'id']).doNothing())
          .execute();
      }),
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

function rowOf({ occurredAt, label, recordIds, ...same }: Activity) {
  return {
    ...same,
    occurredAt: Date.parse(occurredAt),
    label: label ?? null,
    recordIds: JSON.stringify(recordIds),
  };
}

function activityOf({ occurredAt, label, recordIds, ...same }: ReturnType<typeof rowOf>): Activity {
  return activitySchema.parse({
    ...same,
    occurredAt: new Date(occurredAt).toISOString(),
    ...(label === null ? {} : { label }),
    recordIds: JSON.parse(recordIds),
  });
}
