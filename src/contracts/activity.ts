import { z } from 'zod';

/** What people do through an agent, by the names that activity logs know, and whether it changes anything. */
export const activityTypes = {
  index: 'read',
  search: 'read',
  filter: 'read',
  listRelatedData: 'read',
  read: 'read',
  export: 'read',
  create: 'write',
  update: 'write',
  delete: 'write',
  action: 'write',
} as const;

export type ActivityAction = keyof typeof activityTypes;

/** How many activities one batch holds at most. */
export const maxActivitiesPerBatch = 500;

export const activityLimits = {
  nameLength: 255,
  recordIds: 100,
  recordIdLength: 512,
  correlationIdLength: 64,
} as const;

const name = z.string().max(activityLimits.nameLength);
const actions = Object.keys(activityTypes) as [ActivityAction, ...ActivityAction[]];

export const activitySchema = z.object({
  /** Made by the agent: whatever is sent twice is stored once. */
  id: z.uuid(),
  occurredAt: z.iso.datetime(),
  type: z.enum(['read', 'write']),
  action: z.enum(actions),
  /** Name of the action that was run, or of the relation that was followed or changed. */
  label: name.optional(),
  collection: name,
  /** Packed ids of the records the request named, the first hundred of them. */
  recordIds: z.array(z.string().max(activityLimits.recordIdLength)).max(activityLimits.recordIds),
  /** How many records the request named; `null` where it was about all that match. */
  recordCount: z.int().nonnegative().nullable(),
  userId: z.int(),
  renderingId: z.int(),
  /** What the answer to the request carried as `x-service-correlation-id`. */
  correlationId: z.string().max(activityLimits.correlationIdLength),
  /** `pending`: the agent ended before it knew the outcome. */
  status: z.enum(['pending', 'completed', 'failed']),
});

/** `POST /agent/v1/activities`, header `service-secret-key`; answered with 204 once all of it is stored. */
export const activityBatchSchema = z.object({ activities: z.array(activitySchema).min(1).max(maxActivitiesPerBatch) });

export type Activity = Readonly<z.infer<typeof activitySchema>>;
