import * as z from 'zod';
import { userProjectValueSchema } from '../audit/admin-values.ts';
import { adminLogInitiators, adminLogTypes, coreResources, furtherResources } from '../audit/rows.ts';
import {
  apiEnvironmentSchema,
  apiRoleSchema,
  apiTeamSchema,
  apiUserSchema,
  exportParameters,
} from './activity-logs.ts';
import {
  cursorParameter,
  echoedParameters,
  echoedRange,
  emailParameter,
  idParameter,
  limitParameter,
  listParameter,
  oneBoundASide,
  orderParameter,
  rangeParameters,
} from './parameters.ts';

export const adminLogExpansions = ['source', 'integrity'] as const;

const filters = {
  userEmail: emailParameter.optional(),
  userId: idParameter.optional(),
  type: z.enum(adminLogTypes).optional(),
  initiator: z.enum(adminLogInitiators).optional(),
  resource: z.enum([...coreResources, ...furtherResources]).optional(),
  /** `core`: the resources that every client knows. */
  include: z.enum(['core', 'all']).default('core'),
  ...rangeParameters('createdAt'),
};

/** `GET /v1/project/<project>/admin-logs`. */
export const adminLogsQuery = z
  .strictObject({
    limit: limitParameter,
    ...filters,
    cursor: cursorParameter.optional(),
    order: orderParameter.optional(),
    expand: listParameter(adminLogExpansions).optional(),
  })
  .superRefine(oneBoundASide('createdAt'))
  .superRefine(coreResource);

export const adminLogQuery = z.strictObject({ expand: listParameter(adminLogExpansions).optional() });

/** `GET …/admin-logs/export`. */
export const adminLogExportQuery = z
  .strictObject({ ...filters, ...exportParameters })
  .superRefine(oneBoundASide('createdAt'))
  .superRefine(coreResource);

function coreResource(
  { resource, include }: { readonly resource?: string | undefined; readonly include: 'core' | 'all' },
  context: z.RefinementCtx,
): void {
  if (resource === undefined || include === 'all' || (coreResources as readonly string[]).includes(resource)) return;
  context.addIssue({ code: 'custom', path: ['resource'], message: 'only together with include=all' });
}

/** The parameters of a list as they were understood. */
export const adminLogsEcho = z.strictObject({
  ...echoedParameters,
  type: filters.type,
  initiator: filters.initiator,
  resource: filters.resource,
  ...echoedRange('createdAt'),
});

/** By core resource, what every client knows of the thing that was changed. */
export const adminLogValues = {
  'user-project': z.strictObject({
    ...userProjectValueSchema.shape,
    role: apiRoleSchema,
    teams: z.array(apiTeamSchema),
  }),
  role: z.strictObject({ name: z.string() }),
  team: z.strictObject({ name: z.string() }),
  environment: z.strictObject({
    name: z.string(),
    /** Number of the version that it serves; 0 before the first deployment. */
    codeCustomizationVersion: z.int(),
  }),
} as const;

const valueSchema = z.record(z.string(), z.unknown());

/** A change of the configuration as every client knows it. */
export const adminLogSchema = z.strictObject({
  object: z.literal('adminLog'),
  id: z.string(),
  type: z.enum(adminLogTypes),
  resource: z.enum([...coreResources, ...furtherResources]),
  initiator: z.enum(adminLogInitiators),
  createdAt: z.iso.datetime(),
  user: apiUserSchema.optional(),
  previousValue: valueSchema.optional(),
  newValue: valueSchema.optional(),
});

/** The same with everything that `expand` adds. */
export const expandedAdminLogSchema = adminLogSchema.extend({
  address: z.string().nullable().optional(),
  environment: apiEnvironmentSchema.nullable().optional(),
  recordedAt: z.iso.datetime().optional(),
  sequence: z.int().optional(),
  hash: z.string().optional(),
});

export type ExpandedAdminLog = z.infer<typeof expandedAdminLogSchema>;
