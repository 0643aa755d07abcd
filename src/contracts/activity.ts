import * as z from 'zod';
import { cloudError } from '#kernel/errors/cloud-error';
import { type ActivityValues, activityValuesSchema } from './history.ts';

/** What people do through an agent, by the names that activity logs know, and whether it changes anything. */
export const activityTypes = {
  index: 'read',
  search: 'read',
  filter: 'read',
  listRelatedData: 'read',
  describeCollection: 'read',
  read: 'read',
  export: 'read',
  create: 'write',
  update: 'write',
  delete: 'write',
  action: 'write',
} as const;

export type ActivityAction = keyof typeof activityTypes;

/** How many entries one batch holds at most. */
export const maxActivitiesPerBatch = 500;

/** Lengths are those of JavaScript: UTF-16 code units. */
export const activityLimits = {
  nameLength: 255,
  /** How many ids one entry holds. */
  recordIds: 1_000,
  recordIdLength: 512,
  fields: 1_000,
  correlationIdLength: 64,
} as const;

const name = z.string().max(activityLimits.nameLength);
const actions = Object.keys(activityTypes) as [ActivityAction, ...ActivityAction[]];
const recordIds = z.array(z.string().max(activityLimits.recordIdLength)).max(activityLimits.recordIds);

/** The person as the token of the request describes them. */
const activityUserSchema = z.object({
  id: z.int(),
  email: name,
  /** First and last name. */
  name,
  team: name,
  role: name,
});

export const activitySchema = z.object({
  /** Made by the agent: the platform stores what is sent twice once. */
  id: z.uuid(),
  occurredAt: z.iso.datetime(),
  /** Whole milliseconds from the beginning to the outcome; `null` while that is unknown. */
  durationMs: z.number().nonnegative().nullable(),
  type: z.enum(['read', 'write']),
  action: z.enum(actions),
  /** Name of the action that was run, or of the relation that was followed or changed. */
  label: name.optional(),
  collection: name,
  /** Packed ids of the records; continuations hold those beyond the first thousand. */
  recordIds,
  /** How many records, with those in continuations; `null` where nobody counted them. */
  recordCount: z.int().nonnegative().nullable(),
  /** Names of the fields that a write set or changed, without their values. */
  fields: z.array(name).max(activityLimits.fields).optional(),
  source: z.enum(['rest', 'mcp']),
  /** The program that did it for the person: an MCP client, or a service account. */
  client: z.object({ id: name, name }).optional(),
  /** The MCP tool that was called. */
  tool: name.optional(),
  /** The MCP session had read text that people outside can write, and the person agreed: in the client, or at the platform. */
  consent: z.enum(['client', 'platform']).optional(),
  /** Number of the request for an approval that somebody granted. The admin log says who. */
  approval: z.int().optional(),
  /** Id of the report of the write that this one takes back. */
  undoes: z.uuid().optional(),
  /** Number of the version of the code that a host served then. Other agents, and hosts of older versions, leave it out. */
  codeVersion: z.int().positive().optional(),
  user: activityUserSchema,
  renderingId: z.int(),
  /** What the answer to the request carried as `x-service-correlation-id`. */
  correlationId: z.string().max(activityLimits.correlationIdLength),
  /** `pending`: the agent ended before it knew the outcome. */
  status: z.enum(['pending', 'completed', 'failed']),
});

/** More ids of a report that came before it. */
export const activityContinuationSchema = z.object({
  /** That of the report. */
  id: z.uuid(),
  /** 1 for the first continuation of the report, 2 for the next. */
  part: z.int().positive(),
  recordIds,
});

const entry = z.union([activitySchema, activityContinuationSchema, activityValuesSchema]);

/**
 * `POST /agent/v1/activities`, header `service-secret-key`; answered with 204 once all of it is stored. An entry is known by
 * its id and part, and values by the id: the platform accepts one that it has already, and changes nothing.
 */
export const activityBatchSchema = z.object({
  activities: z.array(entry).min(1).max(maxActivitiesPerBatch),
});

export type ActivityUser = Readonly<z.infer<typeof activityUserSchema>>;
export type Activity = Readonly<z.infer<typeof activitySchema>>;
export type ActivityContinuation = Readonly<z.infer<typeof activityContinuationSchema>>;
export type ActivityEntry = Activity | ActivityContinuation | ActivityValues;

/** Whether the report of a write is on the disk before its answer, of `dev` and of hosts. */
export const durableWritesVariable = 'SERVICE_DURABLE_WRITES';

/** What `SERVICE_DURABLE_WRITES` says; true where it is not set. Throws `AGENT_OPTION_INVALID`. */
export function parseDurableWrites(text: string | undefined): boolean {
  if (text === undefined || text === '') return true;
  if (text === 'true' || text === 'false') return text === 'true';
  throw cloudError(
    'AGENT_OPTION_INVALID',
    `The environment variable ${durableWritesVariable} is invalid: it must be true or false.`,
    'Set it to true or to false, or remove it.',
  );
}
