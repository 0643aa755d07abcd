import type { Numbered, PlatformUser } from '#contracts/permissions';
import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { Caller } from '../../customizer/caller.ts';
import {
  type CompiledCollection,
  type CompiledModel,
  collectionNamed,
  columnOf,
  isValueField,
} from '../../model/compiled-model.ts';
import { FieldAccess } from '../../model/field-access.ts';
import { resolvePath } from '../../model/field-path.ts';
import { modelForRole } from '../../model/model-for-role.ts';
import type { CollectionRight } from '../../permissions/authoriser.ts';
import { type ClientRules, clientRulesIn } from '../../permissions/client-rules.ts';
import { decideRead, decideRight } from '../../permissions/collection-rule.ts';
import { judge, standingOf, withRoleNames } from '../../permissions/decision.ts';
import {
  type ExplainedField,
  type ExplainedHeld,
  type ExplainedPath,
  type ExplainedPermissions,
  explainRights,
  explainScope,
  explainScopedAction,
  explainSegments,
  type PermissionQuestion,
  type Verdict,
} from '../../permissions/explained-permissions.ts';
import { bothRules, type FieldRules, fieldRulesIn } from '../../permissions/field-rules.ts';
import type { PermissionView } from '../../permissions/permission-documents.ts';
import { planRead } from '../../records/request/read-plan.ts';
import { renderTypings } from '../../typings/render-typings.ts';

/**
 * The rights of a user on a collection, decided as for a request. Throws `REQUEST_NOT_FOUND` for a user or a collection
 * that does not exist, and the error of a filter by a wrong path.
 */
export async function explainPermissions(
  model: CompiledModel,
  view: PermissionView,
  { user: wanted, collection: name, path, renderingId: asked, client, role, roleNames = {} }: PermissionQuestion,
): Promise<ExplainedPermissions> {
  const collection = collectionNamed(model, name);
  const users = [...(await view.users()).values()];
  const user = userNamed(users, wanted);
  const permissions = await view.environment();
  const own = role === undefined || user.heldRoles ? {} : { [user.roleId]: role };
  const names: Readonly<Record<string, string>> = {
    ...own,
    ...namesOfRoles(mayKnowPeople(user) ? users : [user]),
    ...(permissions === true ? {} : permissions.roleNames),
    ...roleNames,
  };
  const { id, email, fullName, roleId, permissionLevel, heldRoles: roles = [], heldTeams: teams = [] } = user;
  const renderingId = asked ?? teams[0]?.id;
  const isRenderingKnown = renderingId !== undefined;
  const caller: Caller = {
    ...{ ...user, team: '', role: '', roles: roles.map(nameOf), teams: teams.map(nameOf) },
    ...{ renderingId: renderingId ?? 0, timezone: 'UTC', requestId: '' },
  };
  const standing = await standingOf(view, caller);
  const ownRules = 'isAllowed' in standing ? undefined : fieldRulesIn(standing.permissions, user);
  const ofClient = client === undefined ? undefined : clientRulesIn(await view.clients(), { id: client, name: client });
  const rules =
    ownRules && ofClient?.fieldRules ? bothRules(ownRules, ofClient.fieldRules) : (ownRules ?? ofClient?.fieldRules);
  const explained = {
    user: {
      ...{ id, email, fullName, roleId, role: names[roleId] ?? null, permissionLevel },
      ...{ roles: roles.map(heldOf), teams: teams.map(heldOf) },
    },
    collection: collection.name,
    rights: await explainRights(view, caller, collection.name, isRenderingKnown),
    scope: await explainScope(view, caller, collection.name, isRenderingKnown),
    segmentQueries: await explainSegments(view, user, renderingId, collection.name),
    actions: await Promise.all(
      [...collection.actions.values()].map((action) =>
        explainScopedAction(view, caller, { collection: collection.name, action: action.name }, isRenderingKnown),
      ),
    ),
    fields: rules ? restrictedFields(model, collection, rules) : [],
    ...(path === undefined ? {} : { path: await pathUnder(model, rules, view, caller, collection.name, path) }),
  };
  return reasonsNamed(client === undefined ? explained : withClient(explained, client, ofClient), names);
}

/** The typings of what a user sees: hidden fields are absent, masked ones are texts, and what they do not write is read-only. */
export async function typingsForUser(model: CompiledModel, view: PermissionView, wanted: string): Promise<string> {
  const user = userNamed([...(await view.users()).values()], wanted);
  const standing = await standingOf(view, user);
  if ('isAllowed' in standing) return renderTypings(model);
  const rules = fieldRulesIn(standing.permissions, user);
  const own = rules ? modelForRole(model, rules) : model;
  const may = (name: string, right: CollectionRight) => decideRight(standing, name, right).isAllowed;
  const seen = [...own.collections].filter(([name]) => may(name, 'browse') || may(name, 'read'));
  const isWritten = (name: string) => may(name, 'edit') || may(name, 'add');
  return renderTypings(
    { collections: new Map(seen) },
    { isReadOnly: ({ name }, column) => column.isReadOnly || !isWritten(name) },
  );
}

/** Whether somebody may know which roles others have. */
function mayKnowPeople({ permissionLevel }: PlatformUser): boolean {
  return permissionLevel === 'admin' || permissionLevel === 'developer';
}

function namesOfRoles(users: readonly PlatformUser[]): Readonly<Record<string, string>> {
  return Object.fromEntries(users.flatMap(({ heldRoles = [] }) => heldRoles.map(({ id, name }) => [id, name])));
}

/** What is left to a program of what its person may do. */
function withClient(
  explained: ExplainedPermissions,
  name: string,
  rules: ClientRules | undefined,
): ExplainedPermissions {
  const { tools, recordsPerCall = null, writesPerHour = null } = rules?.limits ?? {};
  const client = {
    name,
    isRestricted: rules !== undefined,
    tools: tools ? [...tools] : null,
    recordsPerCall,
    writesPerHour,
  };
  if (!rules) return { ...explained, client };
  const narrowed = <Each extends Verdict>(verdict: Each, isAllowed: boolean): Each =>
    isAllowed || !verdict.isAllowed
      ? verdict
      : { ...verdict, isAllowed, because: `the rules for ${name} do not allow it` };
  return {
    ...explained,
    client,
    rights: explained.rights.map((right) => narrowed(right, rules.has(explained.collection, right.right))),
    segmentQueries: rules.isKeptToCollections ? [] : explained.segmentQueries,
    actions: explained.actions.map((action) => ({
      ...action,
      trigger: narrowed(action.trigger, rules.mayRun(explained.collection, action.action)),
    })),
  };
}

function nameOf({ name }: Numbered): string {
  return name;
}

function heldOf({ id: _id, ...held }: Numbered): ExplainedHeld {
  return held;
}

/** The fields of a collection that rules restrict, or what they are made of. */
function restrictedFields(
  model: CompiledModel,
  { name, fields }: CompiledCollection,
  rules: FieldRules,
): readonly ExplainedField[] {
  const access = new FieldAccess(model, rules);
  const original = collectionNamed(model.original, name);
  return [...fields.values()].filter(isValueField).flatMap(({ name: field }) => {
    const originalName = model.names.originalPath(name, field);
    const rule = access.of(original, originalName);
    const isRestricted = rule.read !== true || !rule.filter || !rule.write || rule.writtenBy !== undefined;
    return isRestricted ? [{ field, ...rule, because: access.because(original, originalName) }] : [];
  });
}

/** A path as the rules for fields leave it. One that is wrong for everybody throws. */
async function pathUnder(
  model: CompiledModel,
  rules: FieldRules | undefined,
  view: PermissionView,
  caller: Caller,
  root: string,
  path: string,
): Promise<ExplainedPath> {
  const explained = await explainPath(model, view, caller, root, path);
  if (!rules) return explained;
  const own = modelForRole(model, rules);
  const collection = collectionNamed(own, root);
  try {
    const end = resolvePath(own, collection, path, 'all');
    const limit = end.collection.limits.get(end.field.name);
    if (limit?.isFilterable !== false) return explained;
    const because = 'the role has a rule for a field on the path: it is only shown';
    return { ...explained, uses: explained.uses.filter((use) => use === 'show'), because };
  } catch (error) {
    if (!isCloudError(error) || (error.code !== 'REQUEST_FIELD_UNKNOWN' && error.code !== 'REQUEST_INVALID'))
      throw error;
    return { ...explained, uses: [], isAllowed: false, because: 'the role has a rule that hides a field on the path' };
  }
}

/** The same with the names of roles in every reason. */
function reasonsNamed<Part>(part: Part, names: Readonly<Record<string, string>>): Part {
  if (Array.isArray(part)) return part.map((item) => reasonsNamed(item, names)) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).map(([key, value]) => [
    key,
    key === 'because' && typeof value === 'string' ? withRoleNames(value, names) : reasonsNamed(value, names),
  ]);
  return Object.fromEntries(entries) as Part;
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
  const mayRead = (names: Iterable<string>) => judge(view, caller, (standing) => decideRead(standing, [...names]));
  const shown = shownCollections(model, collection, path);
  const isShown = shown !== undefined && (await mayRead(shown)).isAllowed;
  const uses: ExplainedPath['uses'] = [
    'filter',
    ...(shown && columnOf(end.field).isSortable ? (['sort'] as const) : []),
    ...(isShown ? (['show'] as const) : []),
  ];
  if (end.relationPath === '') {
    const because = 'a field of the collection itself needs no right of its own';
    return { path, collection: name, uses, isAllowed: true, because };
  }
  const { isAllowed, because } = await mayRead([name]);
  return { path, collection: name, uses, isAllowed, because };
}

/** The collections that an answer with the path shows something of; `undefined` for a path through a relation to many. */
function shownCollections(
  model: CompiledModel,
  collection: CompiledCollection,
  path: string,
): ReadonlySet<string> | undefined {
  try {
    return planRead(model, collection, [path]).foreignCollections;
  } catch (error) {
    if (!isCloudError(error) || error.code !== 'REQUEST_INVALID') throw error;
    return undefined;
  }
}

function userNamed(users: readonly PlatformUser[], wanted: string): PlatformUser {
  const found = users.find(({ id, email }) => String(id) === wanted || email.toLowerCase() === wanted.toLowerCase());
  if (found) return found;
  const nearest = nearestName(
    wanted,
    users.map(({ email }) => email),
  );
  throw cloudError(
    'REQUEST_NOT_FOUND',
    `The platform knows no user "${wanted}" in this environment.${didYouMean(nearest)}`,
    nearest ? `Use "${nearest}".` : 'Name a user by id or by e-mail address.',
  );
}
