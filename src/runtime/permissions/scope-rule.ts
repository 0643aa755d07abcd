import type { PlatformUser, RenderingPermissions } from '#contracts/permissions';
import { type MaybePromise, whenReady } from '#kernel/async/maybe-promise';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { Caller } from '../customizer/caller.ts';
import { type ConditionTree, frozenTree } from '../query/condition-tree.ts';
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
export function scopeIn(view: PermissionView, caller: Caller, collection: string): MaybePromise<Scope> {
  return whenReady(view.users(), (users) => {
    const user = users.get(caller.id);
    return whenReady(renderingsOf(view, user, caller), (renderings) =>
      united(renderings.map((rendering) => scopeFor(user, rendering, collection))),
    );
  });
}

/** The renderings of all teams of a user, that of the session first. */
export function renderingsOf(
  view: PermissionView,
  user: PlatformUser | undefined,
  { renderingId }: Pick<Caller, 'renderingId'>,
): MaybePromise<readonly [RenderingPermissions, ...RenderingPermissions[]]> {
  const first = view.rendering(renderingId);
  if (!user?.heldTeams) return whenReady(first, (rendering) => [rendering]);
  const further = furtherRenderings(user, renderingId).map((id) => shownBy(view, id));
  return Promise.all([first, Promise.all(further)]).then(([rendering, others]) => [rendering, ...others.flat()]);
}

/** A rendering; nothing where the platform no longer has it. The other teams show what they show. */
async function shownBy(view: PermissionView, id: number): Promise<readonly RenderingPermissions[]> {
  try {
    return [await view.rendering(id)];
  } catch (error) {
    if (isCloudError(error) && error.code === 'PLATFORM_REFUSED') return [];
    throw error;
  }
}

/** The renderings of a user beside that of the session. */
export function furtherRenderings({ heldTeams = [] }: PlatformUser, renderingId: number): readonly number[] {
  return heldTeams.map(({ id }) => id).filter((id) => id !== renderingId);
}

/** What several teams show together. What one of them cannot show closes only its own part. */
export function united(scopes: readonly Scope[]): Scope {
  const [first = unrestricted] = scopes;
  if (scopes.length < 2) return first;
  const shown = scopes.flatMap((scope) => ('denial' in scope ? [] : [scope.tree]));
  const conditions = shown.flatMap((tree) => tree ?? []);
  if (shown.length === 0) return first;
  if (conditions.length < shown.length) return unrestricted;
  const [only, ...others] = conditions;
  return { tree: others.length === 0 ? only : frozenTree({ aggregator: 'Or', conditions }) };
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

// The name of a tag may be any text. A placeholder that the pattern missed would stay in the condition as a text.
const wholePlaceholder = /^\{\{\s*currentUser\.([^{}]+?)\s*\}\}$/;
const placeholders = /\{\{\s*currentUser\.([^{}]+?)\s*\}\}/g;

/** A placeholder that names something the user does not have. */
class UnknownPlaceholder extends Error {}

/**
 * Replace `{{currentUser.…}}` in every text of a scope. A text that is only one placeholder becomes the value itself, so a
 * number stays a number; inside a longer text the value becomes text.
 */
function fillPlaceholders(value: unknown, user: PlatformUser, team: RenderingPermissions['team']): unknown {
  if (typeof value === 'string') return fillText(value, user, team);
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, user, team));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillPlaceholders(inner, user, team)]));
}

function fillText(text: string, user: PlatformUser, team: RenderingPermissions['team']): unknown {
  const whole = wholePlaceholder.exec(text)?.[1];
  if (whole !== undefined) return propertyOf(whole, user, team);
  return text.replaceAll(placeholders, (_match, path: string) => String(propertyOf(path, user, team)));
}

function propertyOf(path: string, user: PlatformUser, team: RenderingPermissions['team']): unknown {
  const { tags, heldRoles: _roles, heldTeams: _teams, ...own } = user;
  const properties = new Map<string, unknown>(Object.entries(own));
  for (const [name, value] of Object.entries(team)) properties.set(`team.${name}`, value);
  for (const [name, value] of Object.entries(tags)) properties.set(`tags.${name}`, value);
  if (!properties.has(path)) throw new UnknownPlaceholder(`currentUser.${path}`);
  return properties.get(path);
}
