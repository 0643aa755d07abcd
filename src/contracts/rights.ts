import * as z from 'zod';
import { permissionFileSchema } from './permission-file.ts';

/**
 * Rights of an environment, `Authorization: Bearer <user token>`; the header `service-environment` names another environment
 * of the project than the token's:
 *
 * | request | answer |
 * |---|---|
 * | `GET /api/rights` | `rightsSchema` |
 * | `PUT /api/rights`, `replaceRightsSchema` | `rightsSchema`; 409 when the revision is not `base` any more, or when it would lock every administrator out |
 * | `POST /api/rights/check`, `checkRightsSchema` | `checkedRightsSchema`; changes nothing |
 * | `GET /api/rights/history?limit=&before=` | `rightsHistorySchema`, newest first |
 * | `GET /api/agents` | `agentListSchema` |
 */
export const rightsSchema = z.object({
  /** `null` where nobody has set any: development allows everything then, and production nothing to others than administrators. */
  document: permissionFileSchema.nullable(),
  /** Counts from 1 in each environment; 0 before the first. */
  revision: z.number().int().nonnegative(),
  /** The teams of the project, with the number of active people in each. Once a document has teams, those that it lacks see nothing. */
  teams: z.array(z.object({ name: z.string(), people: z.number().int().nonnegative() })),
});

export const replaceRightsSchema = z.strictObject({
  /** `null` takes all rights away: the environment is as if nobody had ever set any. */
  document: z.unknown(),
  /** The revision that is to be replaced. */
  base: z.number().int().nonnegative(),
  /** Take names that the schema of the environment does not have. */
  allowUnknown: z.boolean().default(false),
  /** Take rights after which no administrator could browse any collection. */
  allowLockout: z.boolean().default(false),
});

/** Rights that somebody thinks of setting; `null` for taking all rights away. */
export const checkRightsSchema = z.strictObject({ document: permissionFileSchema.nullable() });

const leftOutSchema = z.array(z.object({ name: z.string(), people: z.number().int().positive() }));

/** Whom rights would leave without any, if they were set. */
export const checkedRightsSchema = z.object({
  /** Roles that active people have in the environment and the rights do not name. Their people lose everything. */
  roles: leftOutSchema,
  /** Teams that active people belong to and the rights do not name, where they name teams. Their people see nothing. */
  teams: leftOutSchema,
  /** Whether no active administrator could browse any collection of the environment any more. */
  isLockout: z.boolean(),
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
export type ReplaceRights = z.input<typeof replaceRightsSchema>;
export type RightsHistory = z.infer<typeof rightsHistorySchema>;
export type AgentList = z.infer<typeof agentListSchema>;
