import * as z from 'zod';
import { ipRulesSchema } from './ip-rules.ts';
import { permissionFileSchema } from './permission-file.ts';
import { permissionLevels } from './permission-level.ts';

/**
 * What only a platform started for tests answers, header `service-secret-key`:
 *
 * | request | answer |
 * |---|---|
 * | `POST /agent-schema`, a schema document | 200 `testIdentitySchema` |
 * | `PUT /fixtures`, `testFixturesSchema` | 200 `testIdentitiesSchema`; takes the place of the roles, teams and tags before |
 * | `GET /fixtures` | 200 `testIdentitiesSchema` |
 * | `GET /permission-override` | 200 `permissionOverridesSchema` |
 * | `POST /permission-override`, `permissionOverridesSchema` | 200 `{}`; takes the place of the overrides made before; `PUT` does the same |
 * | `PATCH /permission-override`, `permissionOverridesSchema` | 200 `{}`; merged into the overrides made before |
 * | `DELETE /permission-override` | 200 `{}`; no right is overridden any more |
 * | `PUT /model-customizations`, a list as in `#contracts/model-customizations` | 200 `{}`; announced to agents |
 * | `PUT /ip-rules`, `testIpRulesSchema` | 200 `{}`; the rules of `#contracts/ip-rules` from now on |
 */
export const testIdentitySchema = z.object({
  user: z.object({ id: z.number().int(), firstName: z.string(), lastName: z.string(), email: z.string() }),
  role: z.object({ id: z.number().int(), name: z.string() }),
  team: z.string(),
  /** All of them, the ones above first. */
  roles: z.array(z.string()),
  teams: z.array(z.string()),
  renderingId: z.number().int(),
  permissionLevel: z.enum(permissionLevels),
  tags: z.record(z.string(), z.string()),
});

export const testIdentitiesSchema = z.object({ people: z.array(testIdentitySchema) });

const { roles, teams } = permissionFileSchema.shape;

/** The people of a test and what they may do. What each part holds is that of a permission file. */
export const testFixturesSchema = z.strictObject({
  /** Default: the role `Administrators` only, which may do everything unless it is named here. */
  roles: roles.optional(),
  /** Default: every team sees everything. */
  teams,
  users: z
    .array(
      z.strictObject({
        email: z.email(),
        firstName: z.string().min(1).optional(),
        lastName: z.string().optional(),
        /** A role of `roles`, or `Administrators`. */
        role: z.string().min(1).optional(),
        /** A team of `teams`, where there are any. */
        team: z.string().min(1).optional(),
        /** The same for several, in place of one. Their rights are united, and so is what the teams see. */
        roles: z.array(z.string().min(1)).min(1).readonly().optional(),
        teams: z.array(z.string().min(1)).min(1).readonly().optional(),
        permissionLevel: z.enum(permissionLevels).optional(),
        /** What scopes know as `{{currentUser.tags.<name>}}`. */
        tags: z.record(z.string(), z.string()).optional(),
      }),
    )
    .readonly()
    .optional(),
});

const actionOverride = z.strictObject({
  triggerEnabled: z.boolean().optional(),
  /** A condition tree in wire form; `null` for none. */
  triggerConditions: z.unknown().optional(),
  approvalRequired: z.boolean().optional(),
  approvalRequiredConditions: z.unknown().optional(),
  userApprovalEnabled: z.boolean().optional(),
  userApprovalConditions: z.unknown().optional(),
  selfApprovalEnabled: z.boolean().optional(),
});

const collectionOverride = z.strictObject({
  browseEnabled: z.boolean().optional(),
  readEnabled: z.boolean().optional(),
  editEnabled: z.boolean().optional(),
  addEnabled: z.boolean().optional(),
  deleteEnabled: z.boolean().optional(),
  exportEnabled: z.boolean().optional(),
});

/** By collection name: what no role may do, or every role may. */
export const permissionOverridesSchema = z.record(
  z.string(),
  z.strictObject({
    collection: collectionOverride.optional(),
    actions: z.record(z.string(), actionOverride).optional(),
  }),
);

export const testIpRulesSchema = ipRulesSchema.shape.data.shape.attributes;

/** The users, roles and teams that the platform of a test begins with. */
export type TestFixtures = z.infer<typeof testFixturesSchema>;
export type TestIdentity = z.infer<typeof testIdentitySchema>;
/** Rights on one collection and its actions. */
export type CollectionOverride = z.infer<typeof collectionOverride>;
/** Rights on one action of a collection. */
export type ActionOverride = z.infer<typeof actionOverride>;
/** Rights by collection, which hold in place of those of the fixtures. */
export type PermissionOverrides = z.infer<typeof permissionOverridesSchema>;
