import * as z from 'zod';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { keptText } from './kept-text.ts';
import { type PermissionFile, permissionFileSchema } from './permission-file.ts';

/**
 * Rights of an environment, `Authorization: Bearer <user token>`; the header `service-environment` names another environment
 * of the project than the token's:
 *
 * | request | answer |
 * |---|---|
 * | `GET /api/rights` | `rightsSchema` |
 * | `PUT /api/rights`, `replaceRightsSchema` | `rightsSchema`; 409 when the revision is not `base` any more, or when it would lock every administrator out |
 * | `POST /api/rights/check`, `checkRightsSchema` | `checkedDraftSchema`; changes nothing |
 * | `GET /api/rights/history?limit=&before=` | `rightsHistorySchema`, newest first |
 * | `GET /api/rights/suggestion?days=` | `suggestedRightsSchema` |
 * | `POST /api/rights/refusals`, `refusalsQuery` | `refusedByRightsSchema`; changes nothing |
 * | `GET /api/rights/watch` | `rightsWatchSchema` |
 * | `PUT /api/rights/watch`, `watchRightsSchema` | `rightsWatchSchema`; nobody is refused anything |
 * | `DELETE /api/rights/watch` | 204, also where there is none |
 * | `GET /api/agents` | `agentListSchema` |
 */
export const rightsSchema = z.object({
  /** `null` where nobody has set any: development allows everything then, and production lets only administrators in. */
  document: permissionFileSchema.nullable(),
  /** Counts from 1 in each environment; 0 before the first. */
  revision: z.number().int().nonnegative(),
  /** The teams of the project, with the number of active people in each. Once a document has teams, those that it lacks see nothing. */
  teams: z.array(z.object({ name: z.string(), people: z.number().int().nonnegative() })),
});

/**
 * Roles that have another name in a document. People, invitations, groups and the rights of the other environments of the project follow, so
 * that everybody keeps what they have.
 */
const renamedRolesSchema = z
  .array(z.strictObject({ from: keptText.min(1).max(255), to: keptText.min(1).max(255) }))
  .max(100)
  .default([]);

export const replaceRightsSchema = z.strictObject({
  /** `null` takes all rights away: the environment is as if nobody had ever set any. */
  document: z.unknown(),
  /** The revision that is to be replaced. */
  base: z.number().int().nonnegative(),
  /** Take names that the schema of the environment does not have. */
  allowUnknown: z.boolean().default(false),
  /** Take rights after which no administrator could browse any collection. */
  allowLockout: z.boolean().default(false),
  renamedRoles: renamedRolesSchema,
});

/** Rights that somebody thinks of setting; `null` for taking all rights away. */
export const checkRightsSchema = z.strictObject({
  document: permissionFileSchema.nullable(),
  renamedRoles: renamedRolesSchema,
});

const leftOutSchema = z.array(z.object({ name: z.string(), people: z.number().int().positive() }));

/** The people who would have no rights at all, if these were set. */
export const checkedRightsSchema = z.object({
  /** Roles that active people have in the environment and the rights do not name. Their people lose everything. */
  roles: leftOutSchema,
  /** Teams that active people belong to and the rights do not name, where they name teams. Their people see nothing. */
  teams: leftOutSchema,
  /** Whether no active administrator could browse any collection of the environment any more. */
  isLockout: z.boolean(),
});

/** The same, and what setting them would change. Platforms of older versions do not tell that. */
export const checkedDraftSchema = checkedRightsSchema.extend({
  /** Of the rights that people have now. */
  revision: z.int().nonnegative(),
  /** What setting them would take away and give, one sentence each. */
  removed: z.array(z.string()),
  added: z.array(z.string()),
  /** Those of both that restrict. What is added of them takes something away. */
  restrictions: z.array(z.string()).default([]),
  /** What the schema of the environment does not have, one sentence each. They are not set as long as there is any. */
  problems: z.array(z.string()),
});

export const rightsHistorySchema = z.object({
  changes: z.array(
    z.object({
      revision: z.number().int().positive(),
      author: z.object({ name: z.string(), email: z.string() }),
      /** ISO 8601, UTC. */
      at: z.iso.datetime(),
      /** What the change took away and gave, one sentence each. */
      removed: z.array(z.string()),
      added: z.array(z.string()),
    }),
  ),
  /** Pass as `before` for the next page; `null` on the last. */
  nextBefore: z.number().int().positive().nullable(),
});

/** From how far back the log is asked what was used. */
export const suggestionQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(366).default(30) });

/** A right that nobody used is judged once it and the log are this old, or as old as the days that are asked for. */
export const judgedAfterDays = 7;

/** The least rights that would have allowed what people did since then. */
export const suggestedRightsSchema = z.object({
  since: z.iso.datetime(),
  /** How many acts of how many people it looked at. */
  acts: z.number().int().nonnegative(),
  people: z.number().int().nonnegative(),
  /** `null` where nobody has set any rights. */
  document: permissionFileSchema.nullable(),
  /** What it would take away, one sentence each. */
  removed: z.array(z.string()),
  /** The first act that the log has; `null` for none. */
  logSince: z.iso.datetime().nullable().default(null),
  /** What nobody used either, and what it leaves: it was set too lately, or the log is too short. `setAt` of what was set too lately. */
  unjudged: z.array(z.object({ sentence: z.string(), setAt: z.iso.datetime().nullable() })).default([]),
});

/** Rights that somebody thinks of setting, and how many days of the log they are held against. */
export const refusalsQuery = z.strictObject({
  document: permissionFileSchema,
  days: z.number().int().min(1).max(366).default(30),
});

/** What people did and those rights would have refused, the newest first. */
export const refusedByRightsSchema = z.object({
  since: z.iso.datetime(),
  /** How many acts it looked at. */
  acts: z.number().int().nonnegative(),
  refusals: z.array(
    z.object({
      person: z.object({ id: z.int(), name: z.string(), email: z.string() }),
      /** Id of the program that acted for the person; `null` for none. */
      client: z.string().nullable(),
      action: z.string(),
      label: z.string().nullable(),
      collection: z.string(),
      acts: z.number().int().positive(),
      lastAt: z.iso.datetime(),
      /** What the rights do not allow, to follow the name of the person. */
      because: z.string(),
    }),
  ),
  /** How many more there are. */
  more: z.number().int().nonnegative(),
});

/** Rights that what people do is held against from now on. They take the place of others. */
export const watchRightsSchema = z.strictObject({ document: z.unknown() });

/** The rights that an environment is watched with, and what they would have refused so far. */
export const rightsWatchSchema = z.object({
  /** `null` where nobody watches. */
  watch: z
    .object({
      document: permissionFileSchema,
      startedAt: z.iso.datetime(),
      startedBy: z.object({ name: z.string(), email: z.string() }),
      /** Of the rights that people had when it began, and of those that they have now. */
      revision: z.object({ atStart: z.int().nonnegative(), now: z.int().nonnegative() }),
      /** Whether the schema is another one than when it began. */
      isSchemaChanged: z.boolean(),
      /** What the document names and the environment does not have now. */
      problems: z.array(z.string()),
      refused: refusedByRightsSchema,
    })
    .nullable(),
});

export type RightsWatch = z.infer<typeof rightsWatchSchema>;
export type RefusedByRights = z.infer<typeof refusedByRightsSchema>;
export type SuggestedRights = z.infer<typeof suggestedRightsSchema>;

/** The agents of the environment that listen now. */
export const agentListSchema = z.object({
  /** Number of the newest event of the environment. */
  newestEvent: z.number().int().nonnegative(),
  agents: z.array(
    z.object({
      id: z.uuid(),
      connectedAt: z.iso.datetime(),
      /** Number of the last event that the agent has carried out; `null` for none yet. */
      acknowledged: z.number().int().nonnegative().nullable(),
      /** Events that it has not acknowledged. */
      lag: z.number().int().nonnegative(),
    }),
  ),
});

export type Rights = z.infer<typeof rightsSchema>;
export type CheckedRights = z.infer<typeof checkedRightsSchema>;
export type CheckedDraft = z.infer<typeof checkedDraftSchema>;
export type RenamedRole = z.infer<typeof renamedRolesSchema>[number];
export type ReplaceRights = z.input<typeof replaceRightsSchema>;
export type RightsHistory = z.infer<typeof rightsHistorySchema>;
export type AgentList = z.infer<typeof agentListSchema>;

/** `ADMINISTRATORS_LOCKED_OUT`: why no administrator of an environment could browse anything under a document of rights. */
export function administratorsLockedOut(
  environment: string,
  { roles, teams }: Pick<CheckedRights, 'roles' | 'teams'>,
  document: PermissionFile,
): CloudError {
  const named = Object.keys(document.roles);
  const message = [
    `No administrator of "${environment}" could browse any collection.`,
    ...roles.map(({ name }) => `The role "${name}" is not named.${didYouMean(nearestName(name, named))}`),
    ...teams.map(({ name }) => `The team "${name}" is not named.`),
  ];
  return cloudError('ADMINISTRATORS_LOCKED_OUT', message.join(' '), [
    'Name the role and the team of the administrators, with "browse" on the collections that they look after.',
    'If nobody is to browse, say so: --allow-lockout, or "allowLockout": true in the request.',
  ]);
}

/** A role that people have and a document of rights does not name. */
export interface LeftOutRole {
  readonly name: string;
  readonly people: number;
  /** The role of the document that is most likely meant; `null` where none is close. */
  readonly nearest: string | null;
}

/** The people that a `permissions.json` would leave out, one sentence each. */
export function leftOutInWords({
  rolesLeftOut,
  leftOut,
}: {
  readonly rolesLeftOut: readonly LeftOutRole[];
  readonly leftOut: CheckedRights['teams'];
}): readonly string[] {
  return [
    ...rolesLeftOut.map(
      ({ name, people, nearest }) =>
        `${name}, ${people === 1 ? '1 person' : `${people} people`}, loses everything: permissions.json does not name the role.${didYouMean(nearest ?? undefined)}`,
    ),
    ...leftOut.map(
      ({ name, people }) =>
        `"${name}" is not a team of permissions.json: its people (${people}) see nothing until they get another team`,
    ),
  ];
}
