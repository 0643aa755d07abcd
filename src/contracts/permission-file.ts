import * as z from 'zod';
import { clientRightsSchema } from './client-rights.ts';
import { conditionSchema } from './condition.ts';
import { mostElevationMinutes } from './elevations.ts';
import { roleFieldSchema } from './field-rights.ts';
import { keptText } from './kept-text.ts';

/** The role and the team of whoever sets up a platform, and of the developer of a local one. Every project has the team. */
export const firstRole = 'Administrators';
export const firstTeam = 'Operations';

/** Stands for every collection of a role, or every action of a collection, that is not named. */
export const everyOther = '*';

/** The rights on a collection, in the order in which people are shown them. */
export const collectionRights = ['browse', 'read', 'edit', 'add', 'delete', 'export'] as const;

/** The rights on an action. */
export const actionRights = ['trigger', 'needsApproval', 'approve', 'selfApprove'] as const;

const name = keptText.min(1);
const granted = z.boolean().optional();
const conditional = z
  .union([z.boolean(), z.strictObject({ where: conditionSchema })])
  .optional()
  .describe('true, or {"where": condition} for some records only.');

const actionSchema = z.strictObject({
  trigger: conditional,
  needsApproval: conditional,
  approve: conditional,
  selfApprove: granted.describe('Whether the role may approve what its holder has asked for.'),
});

const collectionSchema = z.strictObject({
  scope: conditionSchema
    .optional()
    .describe('The records that the role has these rights on; all that its people see without it.'),
  browse: granted,
  read: granted,
  edit: granted,
  add: granted,
  delete: granted,
  export: granted,
  actions: z.record(name, actionSchema).optional().describe('By name; "*" stands for all that are not named.'),
  fields: z
    .record(name, roleFieldSchema)
    .optional()
    .describe('Fields that the role may not use as it may use the collection; "*" stands for all that are not named.'),
});

const segmentSchema = z.strictObject({
  query: name.describe('The query in full.'),
  connection: name.optional().describe('The connection the query runs on.'),
});

const teamSchema = z.strictObject({
  collections: z
    .record(
      name,
      z.strictObject({
        scope: conditionSchema.optional().describe('The records that the team sees; all of them without it.'),
        segments: z.array(segmentSchema).optional().describe('Queries that people of the team may run as a segment.'),
      }),
    )
    .optional(),
  charts: z
    .array(z.looseObject({ type: name }))
    .optional()
    .describe('Definitions of charts that people of the team may see.'),
});

const personSchema = z.strictObject({
  role: name.optional().describe('Role in this environment, in place of those in the project.'),
  roles: z
    .array(name)
    .min(1)
    .optional()
    .describe('The same for several roles, whose rights are united. The first one is used where only one can be.'),
  tags: z.record(name, z.string()).optional().describe('What scopes know as {{currentUser.tags.<name>}}.'),
});

/** How long somebody has an elevated role who asks for no time, and at most unless the file says otherwise. */
export const usualElevationMinutes = 60;

const elevationRuleSchema = z.strictObject({
  by: z.array(name).min(1).describe('Roles whose people may take it.'),
  maxMinutes: z
    .int()
    .min(1)
    .max(mostElevationMinutes)
    .optional()
    .describe(`For how long at most; ${usualElevationMinutes} without it.`),
  needsApproval: granted.describe(
    'Whether somebody else has to agree: an administrator, or somebody who has the role. true without it.',
  ),
});

const address = z.union([z.ipv4(), z.ipv6()]);
const ipRuleSchema = z.union([
  address,
  z.cidrv4(),
  z.cidrv6(),
  z.strictObject({ from: address, to: address }).describe('All addresses between two, with both.'),
]);

/** `permissions.json`: who may do what in an environment. What it does not name is denied. */
export const permissionFileSchema = z.strictObject({
  $schema: z.string().optional().describe('Where editors find this schema.'),
  roles: z
    .record(
      name,
      z.strictObject({
        collections: z.record(name, collectionSchema).describe('By name; "*" stands for all that are not named.'),
        elevation: elevationRuleSchema.optional().describe('Who may take the role for a time. Without it, nobody may.'),
      }),
    )
    .describe('What each role may do.'),
  teams: z.record(name, teamSchema).optional().describe('What each team sees of what its people may see.'),
  clients: z
    .record(name, clientRightsSchema)
    .optional()
    .describe('What programs may do for people at most, by name or address; "*" stands for all that are not named.'),
  people: z.record(z.email(), personSchema).optional().describe('By e-mail address.'),
  ipRules: z.array(ipRuleSchema).min(1).optional().describe('The only addresses that may reach the data.'),
});

export type PermissionFile = z.infer<typeof permissionFileSchema>;
export type RoleCollection = PermissionFile['roles'][string]['collections'][string];
export type ElevationRule = z.infer<typeof elevationRuleSchema>;
export type RoleAction = z.infer<typeof actionSchema>;
export type ConditionalRight = RoleAction['trigger'];

/** The roles that a file gives to a person; `undefined` where it leaves them as they are in the project. */
export function rolesOf({ role, roles }: z.infer<typeof personSchema>): readonly string[] | undefined {
  return roles ?? (role === undefined ? undefined : [role]);
}
