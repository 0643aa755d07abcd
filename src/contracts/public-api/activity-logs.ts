import * as z from 'zod';
import { coreActions, furtherActions } from '../audit/rows.ts';
import {
  cursorParameter,
  echoedOfEnvironment,
  echoedRange,
  emailParameter,
  idParameter,
  limitParameter,
  listParameter,
  nameParameter,
  oneBoundASide,
  orderParameter,
  rangeParameters,
  textParameter,
  wholeNumber,
} from './parameters.ts';

/** What a record may have beside what every client knows. */
export const activityLogExpansions = ['status', 'source', 'changes', 'integrity'] as const;

const filters = {
  userEmail: emailParameter.optional(),
  userId: idParameter.optional(),
  teamName: nameParameter.optional(),
  collectionName: nameParameter.optional(),
  recordId: textParameter.max(4_096).optional(),
  type: z.enum(['read', 'write']).optional(),
  action: z.enum([...coreActions, ...furtherActions]).optional(),
  status: z.enum(['pending', 'completed', 'failed']).optional(),
  correlationId: nameParameter.optional(),
  /** Id or name of the program that did it. */
  client: nameParameter.optional(),
  /** The MCP tool that was called. */
  tool: nameParameter.optional(),
  /** Number of the version of the code that did it. */
  codeVersion: idParameter.optional(),
  /** `core`: the actions that every client knows. */
  include: z.enum(['core', 'all']).default('core'),
  ...rangeParameters('createdAt'),
};

/** `GET /v1/project/<project>/environment/<environment>/activity-logs`. */
export const activityLogsQuery = z
  .strictObject({
    limit: limitParameter,
    ...filters,
    cursor: cursorParameter.optional(),
    order: orderParameter.optional(),
    expand: listParameter(activityLogExpansions).optional(),
  })
  .superRefine(oneBoundASide('createdAt'));

/** Of one activity log. */
export const activityLogQuery = z.strictObject({ expand: listParameter(activityLogExpansions).optional() });

export const exportFormats = ['ndjson', 'csv', 'ocsf', 'cef', 'hec'] as const;

/** What every export takes beside its filters. */
export const exportParameters = {
  /** Go on behind the row of a cursor. */
  after: cursorParameter.optional(),
  format: z.enum(exportFormats).default('ndjson'),
  /** How many rows at most. */
  max: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'a whole number from 1 to 1000000')
    .transform(Number)
    .refine((max) => max <= 1_000_000, 'a whole number from 1 to 1000000')
    .meta(wholeNumber(1, 1_000_000))
    .default(1_000_000),
  /** How many seconds to wait for the first new row, when there is none. */
  follow: z
    .string()
    .regex(/^\d{1,2}$/, 'a whole number from 0 to 30')
    .transform(Number)
    .refine((seconds) => seconds <= 30, 'a whole number from 0 to 30')
    .meta(wholeNumber(0, 30))
    .default(0),
};

/** `GET …/activity-logs/export`. */
export const activityLogExportQuery = z
  .strictObject({ ...filters, ...exportParameters })
  .superRefine(oneBoundASide('createdAt'));

export const apiUserSchema = z.strictObject({
  object: z.literal('user'),
  id: z.int(),
  email: z.string(),
  username: z.string(),
});
const named = <Kind extends string>(kind: Kind) => z.strictObject({ object: z.literal(kind), name: z.string() });
export const apiEnvironmentSchema = named('environment');
export const apiTeamSchema = named('team');
export const apiRoleSchema = named('role');
export const apiCollectionSchema = named('collection');

/** An activity log as every client knows it. */
export const activityLogSchema = z.strictObject({
  object: z.literal('activityLog'),
  id: z.string(),
  type: z.enum(['read', 'write']),
  action: z.enum(coreActions),
  createdAt: z.iso.datetime(),
  label: z.string().optional(),
  /** The first 1,000; all of them with the log by its id, and in exports. */
  recordIds: z.array(z.string()).optional(),
  collection: apiCollectionSchema.optional(),
  user: apiUserSchema,
  environment: apiEnvironmentSchema,
  team: apiTeamSchema,
});

/** The same with everything that `expand` adds. */
export const expandedActivityLogSchema = activityLogSchema.extend({
  action: z.enum([...coreActions, ...furtherActions]),
  status: z.enum(['pending', 'completed', 'failed']).optional(),
  durationMs: z.number().nullable().optional(),
  source: z.enum(['rest', 'mcp', 'api']).optional(),
  /** The MCP session was marked, and the person agreed: in the client, or at the platform. */
  consent: z.enum(['client', 'platform']).optional(),
  /** Number of the request for an approval that somebody granted: the admin log says who. */
  approval: z.int().optional(),
  /** Id of the log of the write that this one takes back. */
  undoes: z.string().optional(),
  /** Number of the version of the code that did it; `null` where nobody has told it. */
  codeVersion: z.int().nullable().optional(),
  role: z.string().optional(),
  rendering: z.strictObject({ id: z.int(), name: z.string() }).nullable().optional(),
  correlationId: z.string().nullable().optional(),
  occurredAt: z.iso.datetime().optional(),
  recordedAt: z.iso.datetime().optional(),
  tokenId: z.string().nullable().optional(),
  client: z
    .strictObject({ object: z.literal('client'), id: z.string(), name: z.string() })
    .nullable()
    .optional(),
  tool: z.string().nullable().optional(),
  fields: z.array(z.string()).optional(),
  recordCount: z.int().nullable().optional(),
  sequence: z.int().optional(),
  hash: z.string().optional(),
});

export type ExpandedActivityLog = z.infer<typeof expandedActivityLogSchema>;

/** The parameters of a list as they were understood. */
export const activityLogsEcho = z.strictObject({
  ...echoedOfEnvironment,
  type: filters.type,
  action: filters.action,
  ...echoedRange('createdAt'),
});

/** A page. `nextCursor` goes on in the order of the page, `prevCursor` the other way. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    hasMore: z.boolean(),
    data: z.array(item),
    parameters: z.record(z.string(), z.union([z.string(), z.number()])),
    nextCursor: z.string().nullable(),
    prevCursor: z.string().nullable(),
  });
