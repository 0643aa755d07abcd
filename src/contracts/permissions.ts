import * as z from 'zod';
import { permissionLevels } from './identity.ts';

const roleId = z.union([z.number().int(), z.string().regex(/^\d+$/).transform(Number)]);
const statedRight = z.union([z.boolean(), z.object({ roles: z.array(roleId) })]);
/** What is not stated is for nobody, so that one flag that is missing does not close everything else. */
const right = statedRight.nullish().transform((value) => value ?? false);
/** What is not stated is asked of everybody. */
const duty = statedRight.nullish().transform((value) => value ?? true);
const conditions = z
  .array(z.object({ roleId, filter: z.unknown() }))
  .nullish()
  .transform((value) => value ?? []);

const stated = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

/** What some roles may do with a field. It restricts what they may do with the collection, and gives nothing. */
const fieldPermission = z.object({
  roles: z.array(roleId),
  /** `true`: its values as they are; `false`: nothing, not even that it is there; a text: the name of a mask to show values through. */
  read: z
    .union([z.boolean(), z.string()])
    .nullish()
    .transform((value) => value ?? false),
  /** Filter, sort, group and search by it. */
  filter: stated,
  write: stated,
});

const collectionPermissions = z.object({
  collection: z.object({
    browseEnabled: right,
    readEnabled: right,
    editEnabled: right,
    addEnabled: right,
    deleteEnabled: right,
    exportEnabled: right,
  }),
  actions: z
    .record(
      z.string(),
      z.object({
        triggerEnabled: right,
        triggerConditions: conditions,
        approvalRequired: duty,
        approvalRequiredConditions: conditions,
        userApprovalEnabled: right,
        userApprovalConditions: conditions,
        selfApprovalEnabled: right,
      }),
    )
    .nullish()
    .transform((value) => value ?? {}),
  /** By field; `*` stands for those that are not named. Roles that no entry of a field names are not restricted. */
  fields: z.record(z.string(), z.array(fieldPermission)).nullish(),
  /** The records that some roles have their rights on, in wire form. Roles that are not named have them on all records. */
  scopes: z.array(z.object({ roleId, filter: z.unknown() })).nullish(),
});

/** `GET /agent/v4/permissions/environment`; the literal `true` in a development environment. */
export const environmentPermissionsSchema = z.union([
  z.literal(true),
  z.object({
    collections: z.record(z.string(), collectionPermissions),
    /** Names of roles by number, for sentences that people read. Absent in answers of older platforms. */
    roleNames: z.record(z.string(), z.string()).optional(),
  }),
]);

/** A role, or the rendering of a team, that somebody has now. */
const numberedSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  /** `given`, `group`, `elevation`, `file`, or what a newer platform knows. */
  source: z.string(),
  group: z.string().optional(),
  /** It does not count any more from then on, whether or not the platform says so. */
  endsAt: z.iso.datetime().optional(),
});

/** `GET /agent/v4/permissions/users` */
export const usersSchema = z.array(
  z.object({
    id: z.number().int(),
    firstName: z.string(),
    lastName: z.string(),
    fullName: z.string(),
    email: z.string(),
    permissionLevel: z.enum(permissionLevels),
    roleId: z.number().int(),
    tags: z.record(z.string(), z.string()),
    /** All of their roles, the one of `roleId` first. Absent where that is the only one, and an administrator gave it. */
    heldRoles: z.array(numberedSchema).optional(),
    /** The renderings of all of their teams, that of the first one first. Absent where there is one team. */
    heldTeams: z.array(numberedSchema).optional(),
  }),
);

/** `GET /agent/v4/permissions/renderings/<id>` */
export const renderingPermissionsSchema = z.object({
  team: z.object({ id: z.number(), name: z.string() }),
  collections: z.record(
    z.string(),
    z.object({
      /** A condition tree in wire form, or `null` for no restriction. */
      scope: z.unknown(),
      segments: z.array(z.string()),
      liveQuerySegments: z.array(z.object({ connectionName: z.string(), query: z.string() })),
    }),
  ),
  stats: z.array(z.record(z.string(), z.unknown())),
});

export type Right = z.infer<typeof right>;
/** The rights to one action. */
export type ActionRights = z.infer<typeof collectionPermissions>['actions'][string];
export type FieldPermission = z.infer<typeof fieldPermission>;
export type EnvironmentPermissions = z.infer<typeof environmentPermissionsSchema>;
export type Numbered = z.infer<typeof numberedSchema>;
export type PlatformUser = z.infer<typeof usersSchema>[number];
export type RenderingPermissions = z.infer<typeof renderingPermissionsSchema>;

/** The roles of a user, the first one first. */
export function roleIdsOf({ roleId, heldRoles }: Pick<PlatformUser, 'roleId' | 'heldRoles'>): readonly number[] {
  return heldRoles ? heldRoles.map(({ id }) => id) : [roleId];
}
