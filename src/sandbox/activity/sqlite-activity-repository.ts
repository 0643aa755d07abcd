import { z } from 'zod';
import { type Activity, activitySchema } from '#contracts/activity';
import type { Clock } from '#kernel/ports/clock';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { ActivityRepository } from './activity-repository.ts';

const row = z.object({
  id: z.string(),
  occurredAt: z.number().transform((time) => new Date(time).toISOString()),
  type: z.string(),
  action: z.string(),
  label: z.string().nullable(),
  collection: z.string(),
  recordIds: z.string().transform((text): unknown => JSON.parse(text)),
  recordCount: z.number().nullable(),
  userId: z.number(),
  renderingId: z.number(),
  correlationId: z.string(),
  status: z.string(),
});

export function createSqliteActivityRepository(connection: SqliteConnection, clock: Clock): ActivityRepository {
  return {
    add: async (environmentId, activities) =>
      connection.transaction(() => {
        const receivedAt = clock.now();
        for (const activity of activities) insert(connection, environmentId, activity, receivedAt);
      }),
    list: async (environmentId, limit) =>
      connection
        .all(
          `select id, occurred_at as occurredAt, type, action, label, collection, record_ids as recordIds,
             record_count as recordCount, user_id as userId, rendering_id as renderingId,
             correlation_id as correlationId, status
           from activities where environment_id = ? order by position limit ?`,
          [environmentId, limit],
        )
        .map(activityOf),
  };
}

function insert(connection: SqliteConnection, environmentId: number, activity: Activity, receivedAt: number): void {
  connection.run(
    `insert into activities (environment_id, id, occurred_at, received_at, type, action, label, collection, record_ids,
       record_count, user_id, rendering_id, correlation_id, status)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (environment_id, id) do nothing`,
    [
      environmentId,
      activity.id,
      Date.parse(activity.occurredAt),
      receivedAt,
      activity.type,
      activity.action,
      activity.label ?? null,
      activity.collection,
      JSON.stringify(activity.recordIds),
      activity.recordCount,
      activity.userId,
      activity.renderingId,
      activity.correlationId,
      activity.status,
    ],
  );
}

function activityOf(stored: unknown): Activity {
  const { label, ...rest } = row.parse(stored);
  return activitySchema.parse(label === null ? rest : { ...rest, label });
}
