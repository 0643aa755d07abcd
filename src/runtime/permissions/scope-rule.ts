import { type PlatformUser, type RenderingPermissions, type Right, roleIdsOf } from '#contracts/permissions';
import { type MaybePromise, whenReady } from '#kernel/async/maybe-promise';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { Caller } from '../customizer/caller.ts';
import { type ConditionTree, frozenTree } from '../query/condition-tree.ts';
import type { CollectionRight, RightOnRecords } from './authoriser.ts';
import {
  type Decision,
  type Denied,
  forbid,
  holding,
  type NamedPermissions,
  ownEntry,
  type RoleStanding,
  standingOf,
} from './decision.ts';
import type { PermissionDocuments, PermissionView } from './permission-documents.ts';
import { readWireCondition } from './wire-condition.ts';

/** A restriction, `undefined` for none, or why the caller sees nothing at all. */
export type Scope = { readonly tree: ConditionTree | undefined } | { readonly denial: Denied };

/** The input of a scope: a user, and permissions of the same age. */
export interface UserStanding extends RoleStanding {
  readonly user: PlatformUser;
}

/** What a scope is asked for. */
export interface ScopeQuestion {
  readonly collection: string;
  readonly right: RightOnRecords;
}

const unrestricted: Scope = { tree: undefined };
/** The condition that no record fulfils. */
export const noRecord: ConditionTree = frozenTree({ aggregator: 'Or', conditions: [] });
/** Of a right that no role gives, where roles have scopes. */
const nothing: Scope = { tree: noRecord };

/**
 * The restriction of a caller on a collection, filled in for them. Throws `REQUEST_FORBIDDEN` when the permissions do not tell it.
 *
 * @param check Denies permissions whose scopes do not belong to the fields that the caller is answered with.
 */
export function scopeOf(
  documents: PermissionDocuments,
  caller: Caller,
  question: ScopeQuestion,
  check: (standing: RoleStanding) => Decision,
): MaybePromise<ConditionTree | undefined> {
  return whenReady(scopeIn(documents.trusted, caller, question, check), (known) =>
    'denial' in known ? whenReady(scopeIn(documents.fresh, caller, question, check), settledTree) : known.tree,
  );
}

function settledTree(scope: Scope): ConditionTree | undefined {
  if ('denial' in scope) throw scope.denial.error;
  return scope.tree;
}

/** The scope in documents of one age. */
export function scopeIn(
  view: PermissionView,
  caller: Caller,
  question: ScopeQuestion,
  check?: (standing: RoleStanding) => Decision,
): MaybePromise<Scope> {
  return whenReady(standingOf(view, caller), (standing): MaybePromise<Scope> => {
    if ('isAllowed' in standing) return standing.isAllowed ? unrestricted : { denial: standing };
    const checked = roleScopesOn(standing, question.collection) && check?.(standing);
    if (checked && !checked.isAllowed) return { denial: checked };
    return whenReady(renderingsOf(view, standing.user, caller), (renderings) =>
      scopeWithin(standing, renderings, question),
    );
  });
}

/** The scope of a right in all of somebody's renderings. */
export function scopeWithin(
  standing: UserStanding,
  renderings: readonly RenderingPermissions[],
  { collection, right }: ScopeQuestion,
): Scope {
  const isOfRoles = roleScopesOn(standing, collection) !== undefined;
  const roleIds = isOfRoles ? rolesGiving(standing, collection, right) : [];
  return united(
    renderings.map((rendering) =>
      isOfRoles
        ? scopeOfRoles(standing, rendering, collection, roleIds)
        : scopeOfTeam(standing.user, rendering, collection),
    ),
  );
}

/** What one rendering shows, as far as one of the roles covers it. The placeholders of roles mean the team of the rendering. */
export function scopeOfRoles(
  standing: UserStanding,
  rendering: RenderingPermissions,
  collection: string,
  roleIds: readonly number[],
): Scope {
  const { user } = standing;
  const shown = scopeOfTeam(user, rendering, collection);
  const scopes = roleScopesOn(standing, collection) ?? [];
  const covered = roleIds.map((roleId) =>
    together(
      scopes
        .filter((scope) => scope.roleId === roleId)
        .map(({ filter }) => filledScope(user, filter, rendering.team, collection)),
    ),
  );
  return together([shown, covered.length === 0 ? nothing : united(covered)]);
}

/** What all of the scopes leave. */
function together(scopes: readonly Scope[]): Scope {
  const closed = scopes.find((scope) => 'denial' in scope);
  if (closed) return closed;
  const conditions = scopes.flatMap((scope) => ('denial' in scope ? [] : (scope.tree ?? [])));
  const [only, ...others] = conditions;
  return { tree: others.length === 0 ? only : frozenTree({ aggregator: 'And', conditions }) };
}

/** The scopes that a document has for the roles of a user on a collection; `undefined` where it has none. */
export function roleScopesOn({ permissions, user }: RoleStanding, collection: string): RoleScopes | undefined {
  const scopes = ownEntry(permissions.collections, collection)?.scopes;
  if (!scopes) return undefined;
  const roleIds = roleIdsOf(user);
  return scopes.some(({ roleId }) => roleIds.includes(roleId)) ? scopes : undefined;
}

type RoleScopes = NonNullable<NamedPermissions['collections'][string]['scopes']>;

/** The roles of somebody that give a right. */
export function rolesGiving(
  { permissions, user }: RoleStanding,
  collection: string,
  right: RightOnRecords,
): readonly number[] {
  const entry = ownEntry(permissions.collections, collection);
  const rights = entry ? statedRights(entry, right) : [];
  return roleIdsOf(user).filter((roleId) => rights.some((each) => holding(each, [roleId]).holds));
}

/** One of them is enough. */
function statedRights(
  { collection, actions }: NamedPermissions['collections'][string],
  right: RightOnRecords,
): readonly Right[] {
  if (!isOfAction(right)) return [collection[`${right}Enabled`]];
  const action = ownEntry(actions, right.slice(right.indexOf(':') + 1));
  if (!action) return [];
  return right.startsWith('trigger:')
    ? [action.triggerEnabled]
    : [action.userApprovalEnabled, action.selfApprovalEnabled];
}

function isOfAction(right: RightOnRecords): right is Exclude<RightOnRecords, CollectionRight> {
  return right.includes(':');
}

/** The renderings of all teams of a user, that of the session first. */
export function renderingsOf(
  view: PermissionView,
  user: PlatformUser,
  { renderingId }: Pick<Caller, 'renderingId'>,
): MaybePromise<readonly [RenderingPermissions, ...RenderingPermissions[]]> {
  const first = view.rendering(renderingId);
  if (!user.heldTeams) return whenReady(first, (rendering) => [rendering]);
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
function scopeOfTeam(user: PlatformUser, { collections, team }: RenderingPermissions, collection: string): Scope {
  const entry = ownEntry(collections, collection);
  if (!entry) {
    const message = `Your view of the project does not name the collection "${collection}".`;
    return denial('the view of the team does not name the collection', message);
  }
  if (entry.scope === null || entry.scope === undefined) return unrestricted;
  return filledScope(user, entry.scope, team, collection);
}

type Team = RenderingPermissions['team'];

/** The condition of a scope, filled in for the user. */
function filledScope(user: PlatformUser, scope: unknown, team: Team, collection: string): Scope {
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
