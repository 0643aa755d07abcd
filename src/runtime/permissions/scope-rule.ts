import type { PlatformUser, RenderingPermissions } from '#contracts/permissions';
import type { Caller } from '../plan/caller.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import { type AtHand, whenAtHand } from './at-hand.ts';
import { fillPlaceholders, UnknownPlaceholder } from './current-user.ts';
import { type Denied, forbid, ownEntry } from './decision.ts';
import type { PermissionDocuments, PermissionView } from './permission-documents.ts';
import { readWireCondition } from './wire-condition.ts';

/** A restriction, `undefined` for none, or why there is nothing to be seen at all. */
export type Scope = { readonly tree: ConditionTree | undefined } | { readonly denial: Denied };

const unrestricted: Scope = { tree: undefined };

/** The restriction of a caller on a collection, filled in for them. Throws `REQUEST_FORBIDDEN` where it cannot be known. */
export async function scopeOf(
  documents: PermissionDocuments,
  caller: Caller,
  collection: string,
): Promise<ConditionTree | undefined> {
  const first = restrictionIn(documents.trusted, caller, collection);
  const known = first instanceof Promise ? await first : first;
  const settled = 'denial' in known ? await scopeIn(documents.fresh, caller, collection) : known;
  if ('denial' in settled) throw settled.denial.error;
  return settled.tree;
}

function restrictionIn(view: PermissionView, caller: Caller, collection: string): AtHand<Scope> {
  return whenAtHand(view.environment(), (permissions) =>
    permissions === true ? unrestricted : scopeIn(view, caller, collection),
  );
}

/** The scope as documents of one age have it. */
export function scopeIn(view: PermissionView, { id, renderingId }: Caller, collection: string): AtHand<Scope> {
  return whenAtHand(view.users(), (users) =>
    whenAtHand(view.rendering(renderingId), (rendering) => scopeFor(users.get(id), rendering, collection)),
  );
}

function scopeFor(
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
  return filledScope(entry.scope, user, team, collection);
}

function filledScope(
  scope: unknown,
  user: PlatformUser,
  team: RenderingPermissions['team'],
  collection: string,
): Scope {
  try {
    const tree = readWireCondition(fillPlaceholders(scope, user, team));
    if (tree) return { tree };
  } catch (error) {
    if (!(error instanceof UnknownPlaceholder)) throw error;
    const message = `The scope of "${collection}" refers to ${error.message}, which you do not have.`;
    return denial(`the user has no ${error.message}`, message);
  }
  const message = `The scope of the collection "${collection}" cannot be read, so nothing of it is shown.`;
  return denial('the scope cannot be read', message);
}

function denial(because: string, message: string): Scope {
  return { denial: forbid(because, message) };
}
