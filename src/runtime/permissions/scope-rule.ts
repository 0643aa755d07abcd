import type { PlatformUser, RenderingPermissions } from '#contracts/permissions';
import { type MaybePromise, whenReady } from '#kernel/async/maybe-promise';
import type { Caller } from '../customizer/caller.ts';
import { type ConditionTree, frozenTree } from '../query/condition-tree.ts';
import { fillPlaceholders, UnknownPlaceholder } from './current-user.ts';
import { type Denied, forbid, ownEntry } from './decision.ts';
import type { PermissionDocuments, PermissionView } from './permission-documents.ts';
import { readWireCondition } from './wire-condition.ts';

/** A restriction, `undefined` for none, or why the caller sees nothing at all. */
export type Scope = { readonly tree: ConditionTree | undefined } | { readonly denial: Denied };

const unrestricted: Scope = { tree: undefined };

/** The restriction of a caller on a collection, filled in for them. Throws `REQUEST_FORBIDDEN` when the permissions do not tell it. */
export function scopeOf(
  documents: PermissionDocuments,
  caller: Caller,
  collection: string,
): MaybePromise<ConditionTree | undefined> {
  return whenReady(restrictionIn(documents.trusted, caller, collection), (known) =>
    'denial' in known ? whenReady(scopeIn(documents.fresh, caller, collection), settledTree) : known.tree,
  );
}

function settledTree(scope: Scope): ConditionTree | undefined {
  if ('denial' in scope) throw scope.denial.error;
  return scope.tree;
}

function restrictionIn(view: PermissionView, caller: Caller, collection: string): MaybePromise<Scope> {
  return whenReady(view.environment(), (permissions) =>
    permissions === true ? unrestricted : scopeIn(view, caller, collection),
  );
}

/** The scope in documents of one age. */
export function scopeIn(view: PermissionView, { id, renderingId }: Caller, collection: string): MaybePromise<Scope> {
  return whenReady(view.users(), (users) =>
    whenReady(view.rendering(renderingId), (rendering) => scopeFor(users.get(id), rendering, collection)),
  );
}

/** The scope of a user as one rendering has it. */
export function scopeFor(
  user: PlatformUser | undefined,
  { collections, team }: RenderingPermissions,
  collection: string,
): Scope {
  const entry = ownEntry(collections, collection);
  if (!user) {
    return denial('the permissions do not name the user', 'The permissions of this environment do not name you.');
  }
  if (!entry) {
    const message = `Your view of the project does not name the collection "${collection}".`;
    return denial('the rendering does not name the collection', message);
  }
  if (entry.scope === null || entry.scope === undefined) return unrestricted;
  return typeof entry.scope === 'object' ? filledScope(user, entry.scope, team, collection) : unreadable(collection);
}

type Team = RenderingPermissions['team'];

/** The condition of a scope, filled in for the user. */
function filledScope(user: PlatformUser, scope: object, team: Team, collection: string): Scope {
  try {
    const tree = readWireCondition(fillPlaceholders(scope, user, team));
    if (!tree) return unreadable(collection);
    return { tree: frozenTree(tree) };
  } catch (error) {
    if (!(error instanceof UnknownPlaceholder)) throw error;
    const message = `The scope of "${collection}" refers to ${error.message}, which you do not have.`;
    return denial(`the user has no ${error.message}`, message);
  }
}

function unreadable(collection: string): Scope {
  const message = `The scope of the collection "${collection}" cannot be read, so nothing of it is shown.`;
  return denial('the scope cannot be read', message);
}

function denial(because: string, message: string): Scope {
  return { denial: forbid(because, message) };
}
