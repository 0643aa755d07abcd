import { collectionRights, type PermissionFile } from '#contracts/permission-file';
import { differenceInWords } from '#contracts/rights-in-words';
import { CloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { FlowContext } from '../flow-context.ts';
import { unknownRole } from './list-permissions.ts';
import { type RightsComparison, type RightsTarget, readRights } from './rights-of-environment.ts';

export interface SetPermissionsInput extends RightsTarget {
  readonly role: string;
  /** Name of the collection, or `*` for all that the role does not name. */
  readonly collection: string;
  readonly rights: readonly string[];
  readonly isOn: boolean;
}

/** Give a role rights on a collection, or take them away. Rejects with `REQUEST_CONFLICT` when somebody else was faster. */
export async function setPermissions(context: FlowContext, input: SetPermissionsInput): Promise<RightsComparison> {
  const rights = input.rights.map(knownRight);
  const { client, environment, revision: base, document: before } = await readRights(context, input);
  if (!before) throw nothingSet(environment);
  const document = withRights(before, environment, input, rights);
  const { revision } = await client.replaceRights({ document, base });
  return { environment, revision, ...differenceInWords(before, document) };
}

function withRights(
  before: PermissionFile,
  environment: string,
  { role, collection, isOn }: SetPermissionsInput,
  rights: readonly string[],
): PermissionFile {
  const { roles } = before;
  const own = Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (!own) throw unknownRole(role, environment, Object.keys(roles));
  // A collection that is named for the first time keeps what the role may do with every other one.
  const held = Object.hasOwn(own.collections, collection) ? own.collections[collection] : own.collections['*'];
  const changed = { ...held, ...Object.fromEntries(rights.map((right) => [right, isOn])) };
  const collections = { ...own.collections, [collection]: changed };
  return { ...before, roles: { ...roles, [role]: { ...own, collections } } };
}

function knownRight(right: string): string {
  const found = collectionRights.find((known) => known === right);
  if (found) return found;
  throw new CloudError({
    code: 'USAGE_INVALID',
    message: `There is no right "${right}" on a collection.${didYouMean(nearestName(right, collectionRights))}`,
    nextSteps: [`Name some of: ${collectionRights.join(', ')}. For actions, edit permissions.json and apply it.`],
  });
}

function nothingSet(environment: string): CloudError {
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `"${environment}" has no rights yet that could be changed.`,
    nextSteps: ['Write permissions.json, then: vendor-cloud permissions apply'],
  });
}
