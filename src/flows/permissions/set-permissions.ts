import { everyOther, type PermissionFile } from '#contracts/permission-file';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import type { AppliedPermissions, ConfirmRights } from './apply-permissions.ts';
import { changedRights, type RightsSwitch } from './changed-rights.ts';
import { unknownRole } from './list-permissions.ts';
import { compareRights, type RightsTarget, readRights, refuseLockout } from './rights-of-environment.ts';

export interface SetPermissionsInput extends RightsTarget, RightsSwitch {
  readonly role: string;
  /** Name of the collection, or `*` for all that the role does not name. */
  readonly collection: string;
  readonly confirm: ConfirmRights;
  /** Set rights after which no administrator may browse. */
  readonly allowLockout: boolean;
}

/** Give a role rights on a collection or on one of its actions, or take them away. Rejects with `REQUEST_CONFLICT` when somebody else was faster, and with `ADMINISTRATORS_LOCKED_OUT`. */
export async function setPermissions(context: FlowContext, input: SetPermissionsInput): Promise<AppliedPermissions> {
  const { allowLockout } = input;
  const rights = await readRights(context, input);
  const { client, environment, revision: base, document: before } = rights;
  if (!before) throw nothingSet(environment);
  const document = withRights(before, environment, input);
  const compared = await compareRights(rights, document);
  const isSame = compared.removed.length + compared.added.length === 0;
  if (!isSame && !allowLockout) refuseLockout(compared, document);
  // Whom the rights left out before, this change does not leave out.
  const comparison = { ...compared, leftOut: [], rolesLeftOut: [] };
  if (!isSame && !(await input.confirm(comparison))) return { ...comparison, isApplied: false };
  const { revision } = await client.replaceRights({ document, base, allowLockout });
  return { ...comparison, revision, isApplied: true };
}

function withRights(
  before: PermissionFile,
  environment: string,
  { role, collection, ...change }: SetPermissionsInput,
): PermissionFile {
  const { roles } = before;
  const own = Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (!own) throw unknownRole(role, environment, Object.keys(roles));
  // A collection that is named for the first time keeps what the role may do with every other one.
  const held = Object.hasOwn(own.collections, collection) ? own.collections[collection] : own.collections[everyOther];
  const collections = { ...own.collections, [collection]: changedRights(held, change) };
  return { ...before, roles: { ...roles, [role]: { ...own, collections } } };
}

function nothingSet(environment: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `"${environment}" has no rights yet that could be changed.`,
    'Write permissions.json, then: vendor-cloud permissions apply',
  );
}
