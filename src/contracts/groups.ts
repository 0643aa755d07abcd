import * as z from 'zod';
import { keptText } from './kept-text.ts';

const nameSchema = keptText.min(1).max(200);

/** What a group of the company gives in the project. */
const groupMappingSchema = z.object({
  /** As the OpenID provider or SCIM names it. */
  group: z.string(),
  roles: z.array(z.string()),
  teams: z.array(z.string()),
  /** Whoever is in the group administers the project. */
  makesAdministrator: z.boolean(),
  /** Active members who are in the group, as far as the platform knows. */
  people: z.number().int().nonnegative(),
});

/** `GET /api/groups`, in the order of the mapping. */
export const groupListSchema = z.object({
  groups: z.array(groupMappingSchema),
  /** E-mail addresses of administrators that no group makes one any more, and who stay because nobody else is one. */
  keptAdministrators: z.array(z.string()),
});

/** `PUT /api/groups/<name>`: what the group gives from now on. `DELETE` takes it away. */
export const mapGroupSchema = z
  .strictObject({
    roles: z.array(nameSchema).max(50).default([]),
    teams: z.array(nameSchema).max(50).default([]),
    makesAdministrator: z.boolean().default(false),
  })
  .refine(
    ({ roles, teams, makesAdministrator }) => makesAdministrator || roles.length + teams.length > 0,
    'a group that gives nothing',
  );

export const groupNameSchema = nameSchema;

export type GroupList = z.infer<typeof groupListSchema>;
export type MapGroup = z.infer<typeof mapGroupSchema>;
