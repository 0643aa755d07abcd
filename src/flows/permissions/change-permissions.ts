import { type Condition, conditionSchema } from '#contracts/condition';
import { fieldRightOf, fieldRights, type RoleField } from '#contracts/field-rights';
import {
  actionRights,
  collectionRights,
  everyOther,
  type PermissionFile,
  type RoleAction,
  type RoleCollection,
} from '#contracts/permission-file';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { FlowContext } from '../flow-context.ts';
import {
  compareRights,
  compareWithFile,
  type RightsComparison,
  type RightsTarget,
  readRights,
  refuseLockout,
} from '../platform-access/rights-of-environment.ts';
import { nothingSet, unknownRole } from './list-permissions.ts';
import { compareWithWatch } from './watch-permissions.ts';

/** Shows what would change and asks whether to go on; not asked where nothing would. */
type ConfirmRights = (comparison: RightsComparison) => Promise<boolean>;

export interface ApplyPermissionsInput extends RightsTarget {
  readonly confirm: ConfirmRights;
  /** Set rights after which no administrator may browse. */
  readonly allowLockout: boolean;
  /** Take the file that the environment is watched with. */
  readonly isWatched?: boolean;
}

export interface AppliedPermissions extends RightsComparison {
  /** Whether the environment has these rights now. */
  readonly isApplied: boolean;
}

/**
 * Give an environment the rights of the project's `permissions.json`, or of the file that it is watched with. Rejects with
 * `REQUEST_CONFLICT` when they change meanwhile, and with `ADMINISTRATORS_LOCKED_OUT`.
 */
export async function applyPermissions(
  context: FlowContext,
  input: ApplyPermissionsInput,
): Promise<AppliedPermissions> {
  const { allowLockout, isWatched = false } = input;
  const { file, rights, comparison } = isWatched
    ? await compareWithWatch(context, input)
    : await compareWithFile(context, input);
  const isSame = rights.document !== null && comparison.removed.length + comparison.added.length === 0;
  if (isSame && isWatched) await rights.client.endRightsWatch();
  if (isSame) return { ...comparison, isApplied: true };
  if (!allowLockout) refuseLockout(comparison, file);
  if (!(await input.confirm(comparison))) return { ...comparison, isApplied: false };
  const { revision } = await rights.client.replaceRights({ document: file, base: rights.revision, allowLockout });
  return { ...comparison, revision, isApplied: true };
}

interface SetPermissionsInput extends RightsTarget, RightsSwitch {
  readonly role: string;
  /** Name of the collection, or `*` for all that the role does not name. */
  readonly collection: string;
  readonly confirm: ConfirmRights;
  /** Set rights after which no administrator may browse. */
  readonly allowLockout: boolean;
}

/** Give a role rights on a collection, on one of its actions or on a field, or take them away. Rejects with `REQUEST_CONFLICT` when somebody else was faster, and with `ADMINISTRATORS_LOCKED_OUT`. */
export async function setPermissions(context: FlowContext, input: SetPermissionsInput): Promise<AppliedPermissions> {
  const { allowLockout } = input;
  const rights = await readRights(context, input);
  const { client, environment, revision: base, document: before } = rights;
  if (!before) throw nothingSet(environment);
  const document = withRights(before, environment, input);
  const compared = await compareRights(rights, document);
  const isSame = compared.removed.length + compared.added.length === 0;
  if (!isSame && !allowLockout) refuseLockout(compared, document);
  // This change does not leave out the people that the rights left out before.
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

/** Some rights that are given or taken away. */
interface RightsSwitch {
  /** Of a collection, or of an action where there is one. */
  readonly rights: readonly string[];
  readonly isOn: boolean;
  /** Name of an action of the collection, or `*` for all that are not named. */
  readonly action?: string | undefined;
  /** Name of a field of the collection, or `*` for all that are not named. */
  readonly field?: string | undefined;
  /** The mask that the values of the field are read through. */
  readonly mask?: string | undefined;
  /** The records for which rights of an action are given, a condition as JSON. Default: all. */
  readonly where?: string | undefined;
}

/** What a role may do with a collection after the change. Throws `USAGE_INVALID`. */
function changedRights(held: RoleCollection | undefined, change: RightsSwitch): RoleCollection {
  const { rights, isOn, action, field } = change;
  if (field !== undefined) return { ...held, fields: { ...held?.fields, [field]: changedField(held, field, change) } };
  const where = conditionOf(change);
  if (action === undefined) return { ...held, ...valuesOf(collectionRights, 'a collection', rights, isOn) };
  if (where && rights.includes('selfApprove')) {
    throw unusable('selfApprove takes no condition of its own: the one of approve holds for it.');
  }
  const { actions = {} } = held ?? {};
  // An action that is named for the first time keeps what the role may do with every other one.
  const before: RoleAction | undefined = Object.hasOwn(actions, action) ? actions[action] : actions[everyOther];
  const given = valuesOf(actionRights, 'an action', rights, isOn && where ? { where } : isOn);
  return { ...held, actions: { ...actions, [action]: { ...before, ...given } } };
}

/** What a role may do with a field after the change. Reading goes before: who does not see a field does nothing with it. */
function changedField(
  held: RoleCollection | undefined,
  field: string,
  { rights, isOn, mask }: RightsSwitch,
): RoleField {
  const { fields = {} } = held ?? {};
  const before = (Object.hasOwn(fields, field) ? fields[field] : fields[everyOther]) ?? true;
  const given = valuesOf(fieldRights, 'a field', rights, isOn);
  if (mask !== undefined && given['read'] !== true)
    throw unusable('--mask says how a field is read: it needs "read", and "on".');
  if (given['read'] === false) return false;
  if (mask !== undefined) return { read: mask, ...(given['write'] === true ? { write: true } : {}) };
  const { read, filter, write } = { ...fieldRightOf(before), ...given };
  if (read === true && filter && write) return true;
  return { read, filter, write };
}

function valuesOf<Value>(known: readonly string[], ofWhat: string, rights: readonly string[], value: Value) {
  const unknown = rights.find((right) => !known.includes(right));
  if (unknown === undefined) return Object.fromEntries(rights.map((right) => [right, value]));
  const isOther = [...collectionRights, ...actionRights, ...fieldRights].some((right) => right === unknown);
  throw cloudError(
    'USAGE_INVALID',
    `There is no right "${unknown}" on ${ofWhat}.${isOther ? '' : didYouMean(nearestName(unknown, known))}`,
    [
      `Name some of: ${known.join(', ')}.`,
      known === collectionRights
        ? `For ${actionRights.join(', ')}, name the action: --action <name>. For ${fieldRights.join(', ')} of a field: --field <name>`
        : 'For a collection, leave --action and --field out.',
    ],
  );
}

function conditionOf({ where, action, isOn }: RightsSwitch): Condition | undefined {
  if (where === undefined) return undefined;
  if (action === undefined || !isOn)
    throw unusable('--where says for which records an action is allowed: it needs --action, and "on".');
  try {
    return conditionSchema.parse(JSON.parse(where));
  } catch (cause) {
    throw unusable('--where is not a condition.', cause);
  }
}

function unusable(message: string, cause?: unknown): CloudError {
  return cloudError(
    'USAGE_INVALID',
    message,
    `--action Refund --where '{"field": "status", "operator": "equal", "value": "paid"}'`,
    { cause },
  );
}
