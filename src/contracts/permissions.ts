import { z } from 'zod';
import { permissionLevels } from './identity.ts';

const right = z.union([z.boolean(), z.object({ roles: z.array(z.number()) })]);
const condition = z.object({ roleId: z.number(), filter: z.unknown() });

const collectionPermissions = z.object({
  collection: z.object({
    browseEnabled: right,
    readEnabled: right,
    editEnabled: right,
    addEnabled: right,
    deleteEnabled: right,
    exportEnabled: right,
  }),
  actions: z.record(
    z.string(),
    z.object({
      triggerEnabled: right,
      triggerConditions: z.array(condition),
      approvalRequired: right,
      approvalRequiredConditions: z.array(condition),
      userApprovalEnabled: right,
      userApprovalConditions: z.array(condition),
      selfApprovalEnabled: right,
    }),
  ),
});

/** `GET /agent/v4/permissions/environment`; the literal `true` in a development environment. */
export const environmentPermissionsSchema = z.union([
  z.literal(true),
  z.object({ collections: z.record(z.string(), collectionPermissions) }),
]);

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
export type EnvironmentPermissions = z.infer<typeof environmentPermissionsSchema>;
export type PlatformUser = z.infer<typeof usersSchema>[number];
export type RenderingPermissions = z.infer<typeof renderingPermissionsSchema>;
