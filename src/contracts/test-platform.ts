import { z } from 'zod';
import { ipRulesSchema } from './ip-rules.ts';

/**
 * What only a platform started for tests answers, header `service-secret-key`:
 *
 * | request | answer |
 * |---|---|
 * | `POST /agent-schema`, a schema document | 200 `testIdentitySchema` |
 * | `POST /permission-override`, `permissionOverridesSchema` | 200 `{}`; merged into the overrides made before |
 * | `DELETE /permission-override` | 200 `{}`; everything is allowed again |
 * | `PUT /model-customizations`, a list as in `#contracts/model-customizations` | 200 `{}`; announced to agents |
 * | `PUT /ip-rules`, `testIpRulesSchema` | 200 `{}`; the rules of `#contracts/ip-rules` from now on |
 */
export const testIdentitySchema = z.object({
  user: z.object({ id: z.number().int(), firstName: z.string(), lastName: z.string(), email: z.string() }),
  role: z.object({ id: z.number().int(), name: z.string() }),
  team: z.string(),
  renderingId: z.number().int(),
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

/** By collection name: what the one role of the test may not do, or may do again. */
export const permissionOverridesSchema = z.record(
  z.string(),
  z.strictObject({
    collection: collectionOverride.optional(),
    actions: z.record(z.string(), actionOverride).optional(),
  }),
);

export const testIpRulesSchema = ipRulesSchema.shape.data.shape.attributes;

export type TestIdentity = z.infer<typeof testIdentitySchema>;
export type CollectionOverride = z.infer<typeof collectionOverride>;
export type ActionOverride = z.infer<typeof actionOverride>;
export type PermissionOverrides = z.infer<typeof permissionOverridesSchema>;
