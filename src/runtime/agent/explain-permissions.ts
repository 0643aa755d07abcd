import type { PlatformUser } from '#contracts/permissions';
import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { nearestName } from '#kernel/text/nearest-name';
import { decideRead } from '../permissions/collection-rule.ts';
import { explainAction } from '../permissions/explain-action.ts';
import { explainRights, explainScope, explainSegments } from '../permissions/explain-collection.ts';
import type { ExplainedPath, ExplainedPermissions } from '../permissions/explained-permissions.ts';
import type { PermissionView } from '../permissions/permission-documents.ts';
import { judge, standingOf } from '../permissions/standing.ts';
import type { Caller } from '../plan/caller.ts';
import { collectionNamed } from '../plan/collection-named.ts';
import { type CompiledCollection, type CompiledModel, columnOf } from '../plan/compiled-model.ts';
import { resolvePath } from '../plan/field-path.ts';

export interface PermissionQuestion {
  /** Id or e-mail address. */
  readonly user: string;
  readonly collection: string;
  readonly path?: string | undefined;
  /** Scopes and segments belong to one. */
  readonly renderingId?: number | undefined;
}

/**
 * What somebody may do with a collection, decided by what requests are decided by. Throws `REQUEST_NOT_FOUND` for a user or a
 * collection that is not there, and what a filter by the path would be refused with.
 */
export async function explainPermissions(
  model: CompiledModel,
  view: PermissionView,
  { user: wanted, collection: name, path, renderingId }: PermissionQuestion,
): Promise<ExplainedPermissions> {
  const collection = collectionNamed(model, name);
  const user = userNamed([...(await view.users()).values()], wanted);
  const { id, email, fullName, roleId, permissionLevel } = user;
  const caller: Caller = { ...user, team: '', role: '', renderingId: renderingId ?? 0, timezone: 'UTC', requestId: '' };
  const standing = await standingOf(view, caller);
  return {
    user: { id, email, fullName, roleId, permissionLevel },
    collection: collection.name,
    rights: await explainRights(view, caller, collection.name),
    scope: await explainScope(view, caller, collection.name, renderingId !== undefined),
    segmentQueries: await explainSegments(view, user, renderingId, collection.name),
    actions: [...collection.actions.values()].map((action) => explainAction(standing, collection.name, action.name)),
    ...(path === undefined ? {} : { path: await explainPath(model, view, caller, collection.name, path) }),
  };
}

async function explainPath(
  model: CompiledModel,
  view: PermissionView,
  caller: Caller,
  root: string,
  path: string,
): Promise<ExplainedPath> {
  const collection = collectionNamed(model, root);
  const end = resolvePath(model, collection, path, 'all');
  const { name } = end.collection;
  const uses = usesOf(model, collection, path, columnOf(end.field).isSortable);
  if (end.relationPath === '') {
    const because = 'a field of the collection itself needs no right of its own';
    return { path, collection: name, uses, isAllowed: true, because };
  }
  const { isAllowed, because } = await judge(view, caller, (standing) => decideRead(standing, [name]));
  return { path, collection: name, uses, isAllowed, because };
}

/** Whoever goes through a relation to many can only filter. */
function usesOf(
  model: CompiledModel,
  collection: CompiledCollection,
  path: string,
  isSortable: boolean,
): ExplainedPath['uses'] {
  try {
    resolvePath(model, collection, path);
    return isSortable ? ['filter', 'sort', 'show'] : ['filter', 'show'];
  } catch (error) {
    if (!isCloudError(error) || error.code !== 'REQUEST_INVALID') throw error;
    return ['filter'];
  }
}

function userNamed(users: readonly PlatformUser[], wanted: string): PlatformUser {
  const found = users.find(({ id, email }) => String(id) === wanted || email.toLowerCase() === wanted.toLowerCase());
  if (found) return found;
  const nearest = nearestName(
    wanted,
    users.map(({ email }) => email),
  );
  throw new CloudError({
    code: 'REQUEST_NOT_FOUND',
    message: `The platform knows no user "${wanted}" in this environment.${nearest ? ` Did you mean "${nearest}"?` : ''}`,
    nextSteps: [nearest ? `Use "${nearest}".` : 'Name a user by id or by e-mail address.'],
  });
}
