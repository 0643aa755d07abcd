import { type FieldPermission, roleIdsOf } from '#contracts/permissions';
import { cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import {
  type Denied,
  deny,
  holding,
  keyOfRoles,
  type NamedPermissions,
  ownEntry,
  type RoleHolder,
} from './decision.ts';

/** What somebody may do with a field. */
export interface FieldRule extends Omit<FieldPermission, 'roles'> {
  /** The only way in which the field is written; absent for both. One of several roles may lend the right to it. */
  readonly writtenBy?: 'edit' | 'add';
}

/** What somebody's roles may not do with fields. Nothing is said of fields that the rules do not name. */
export interface FieldRules {
  /** The same for rules that say the same. */
  readonly key: string;
  /** By collection: the rules of each role that counts there. */
  readonly collections: ReadonlyMap<string, readonly RoleRules[]>;
}

/** What one role says of the fields of a collection, and for which of its rights that counts. */
interface RoleRules {
  /** By published name. */
  readonly fields: ReadonlyMap<string, FieldRule>;
  readonly reads: boolean;
  readonly edits: boolean;
  readonly adds: boolean;
}

/** Stands for every field of a collection that is not named, apart from its key and its relations. */
export const everyOtherField = '*';

const known = new WeakMap<NamedPermissions, Map<number | string, FieldRules | undefined>>();

/** The rules of somebody's roles in a document. Each set of roles is looked at once in a document. */
export function fieldRulesIn(permissions: NamedPermissions, user: RoleHolder): FieldRules | undefined {
  const key = keyOfRoles(user);
  const ofRoles = known.get(permissions) ?? new Map<number | string, FieldRules | undefined>();
  known.set(permissions, ofRoles);
  if (!ofRoles.has(key)) ofRoles.set(key, readRules(permissions, roleIdsOf(user)));
  return ofRoles.get(key);
}

function readRules({ collections }: NamedPermissions, roleIds: readonly number[]): FieldRules | undefined {
  const found = new Map<string, readonly RoleRules[]>();
  for (const [name, entry] of Object.entries(collections)) {
    if (!entry.fields) continue;
    const rules = roleIds.length === 1 ? rulesOfOne(entry, roleIds) : rulesOfSeveral(entry, roleIds);
    if (rules.some(({ fields }) => fields.size > 0)) found.set(name, rules);
  }
  if (found.size === 0) return undefined;
  return { key: keyOf([...found]), collections: found };
}

type Entry = NamedPermissions['collections'][string];

const everyRight = { reads: true, edits: true, adds: true };

function rulesOfOne(entry: Entry, roleIds: readonly number[]): readonly RoleRules[] {
  return roleIds.map((roleId) => ({ fields: fieldsOf(entry, roleId), ...everyRight }));
}

/**
 * A role opens fields for its own rights only. Roles that may do nothing with the collection do not count. Where
 * roles have their rights on different records, no role opens a field in the records of another one.
 */
function rulesOfSeveral(entry: Entry, roleIds: readonly number[]): readonly RoleRules[] {
  const useful = roleIds.filter((roleId) => isOfUse(entry, roleId));
  const counting = useful.length > 0 ? useful : roleIds;
  const byScope = Map.groupBy(counting, (roleId) => scopeText(entry, roleId));
  const [, ...otherScopes] = byScope.keys();
  if (otherScopes.length === 0) return withoutOpen(lending(entry, counting));
  // A record may be in the scope of any of them. What they all open is open in it, and what a role without a scope opens for its own rights.
  const inEach = [...byScope.values()].map((group) => withNeutralWrites(lending(entry, group)));
  const [first = [], ...others] = inEach;
  const everywhere = others.reduce<readonly RoleRules[]>(
    (found, group) => found.flatMap((one) => group.map((other) => bothRoles(one, other))),
    first,
  );
  const unscoped = (byScope.get(noScope) ?? []).map((roleId) => ownRules(entry, roleId));
  return withoutOpen([...unscoped, ...everywhere]);
}

const noScope = '';

/** The same for roles that have their rights on the same records. */
function scopeText({ scopes }: Entry, roleId: number): string {
  const own = (scopes ?? [])
    .filter((scope) => scope.roleId === roleId)
    .map(({ filter }) => canonicalJson(filter ?? null));
  return own.join();
}

/** The rules of roles that are united. Where none of them reads, whoever writes is answered with what they write. */
function lending(entry: Entry, roleIds: readonly number[]): readonly RoleRules[] {
  const rules = roleIds.map((roleId) => ownRules(entry, roleId));
  const isReadBySome = rules.some(({ reads }) => reads);
  return isReadBySome ? rules : rules.map((role) => ({ ...role, reads: true }));
}

function ownRules(entry: Entry, roleId: number): RoleRules {
  return {
    fields: fieldsOf(entry, roleId),
    reads: hasRight(entry, roleId, 'browse') || hasRight(entry, roleId, 'read'),
    edits: hasRight(entry, roleId, 'edit'),
    adds: hasRight(entry, roleId, 'add'),
  };
}

/** Roles that write nothing have no say in what those with other scopes write, unless they do not show the value as it is. */
function withNeutralWrites(group: readonly RoleRules[]): readonly RoleRules[] {
  const [edits, adds] = [group.some((role) => role.edits), group.some((role) => role.adds)];
  const isWritten = edits || adds;
  return group.map((role) => ({
    ...role,
    fields: isWritten ? role.fields : new Map([...role.fields].map(([field, rule]) => [field, writable(rule)])),
    edits: role.edits || !edits,
    adds: role.adds || !adds,
  }));
}

function writable(rule: FieldRule): FieldRule {
  return rule.read === true ? { ...rule, write: true } : rule;
}

/** No role at all where others open every field for every right that somebody has. */
function withoutOpen(rules: readonly RoleRules[]): readonly RoleRules[] {
  const open = rules.filter(({ fields }) => fields.size === 0);
  const isOpen = (['reads', 'edits', 'adds'] as const).every(
    (right) => !rules.some((role) => role[right]) || open.some((role) => role[right]),
  );
  return isOpen ? [] : rules;
}

function hasRight({ collection }: Entry, roleId: number, right: 'browse' | 'read' | 'edit' | 'add'): boolean {
  return holding(collection[`${right}Enabled`], [roleId]).holds;
}

/** Whether a role may do anything with a collection. */
function isOfUse({ collection, actions }: Entry, roleId: number): boolean {
  const rights = [
    ...Object.values(collection),
    ...Object.values(actions).flatMap((action) => [action.triggerEnabled, action.userApprovalEnabled]),
  ];
  return rights.some((right) => holding(right, [roleId]).holds);
}

function fieldsOf({ fields = {} }: Entry, roleId: number): ReadonlyMap<string, FieldRule> {
  const rules = Object.keys(fields ?? {}).flatMap((field) => {
    const rule = strictest((ownEntry(fields ?? {}, field) ?? []).filter(({ roles }) => roles.includes(roleId)));
    return rule ? [[field, rule] as const] : [];
  });
  return new Map(rules);
}

function keyOf(collections: readonly (readonly [string, readonly RoleRules[]])[]): string {
  return canonicalJson(collections.map(([name, rules]) => [name, rules.map(rulesAsJson)]));
}

function rulesAsJson({ fields, ...rights }: RoleRules) {
  return { ...rights, fields: Object.fromEntries(fields) };
}

/** A role should be named once. */
function strictest(permissions: readonly FieldPermission[]): FieldRule | undefined {
  const [first, ...others] = permissions;
  if (!first) return undefined;
  return others.reduce<FieldRule>(stricter, { read: first.read, filter: first.filter, write: first.write });
}

/** What two rules together allow. A value that two masks hide is not shown through either of them. */
export function stricter(one: FieldRule, other: FieldRule): FieldRule {
  const ways = [one.writtenBy, other.writtenBy].flatMap((way) => way ?? []);
  const isWritten = one.write && other.write && new Set(ways).size < 2;
  const [writtenBy] = ways;
  return {
    read: stricterReading(one.read, other.read),
    filter: one.filter && other.filter,
    write: isWritten,
    ...(isWritten && writtenBy ? { writtenBy } : {}),
  };
}

function stricterReading(one: FieldRule['read'], other: FieldRule['read']): FieldRule['read'] {
  if (one === other || other === true) return one;
  return one === true ? other : false;
}

/** A rule of a role, as far as it can be used, and the rights that it counts for. */
export interface LentRule extends Omit<RoleRules, 'fields'> {
  readonly rule: FieldRule;
}

/** What several roles together open of a field. A value as it is counts more than a masked one. */
export function unitedRule(roles: readonly LentRule[]): FieldRule {
  const shown = roles.filter(({ reads }) => reads).map(({ rule }) => rule);
  const isPlain = shown.some(({ read }) => read === true);
  const read = isPlain || (shown.find((rule) => rule.read !== false)?.read ?? false);
  if (read === false) return { read, filter: false, write: false };
  return { read, filter: shown.some(({ filter }) => filter), ...writtenTogether(roles) };
}

function writtenTogether(roles: readonly LentRule[]): Pick<FieldRule, 'write' | 'writtenBy'> {
  const writers = (right: 'edits' | 'adds') => roles.filter((role) => role[right]);
  const [editors, adders] = [writers('edits'), writers('adds')];
  const isWritten = (by: readonly LentRule[]) => by.some(({ rule }) => rule.write);
  if (editors.length === 0) return { write: isWritten(adders.length > 0 ? adders : roles) };
  if (adders.length === 0 || isWritten(editors) === isWritten(adders)) return { write: isWritten(editors) };
  return { write: true, writtenBy: isWritten(editors) ? 'edit' : 'add' };
}

/** Rules that hold whatever somebody's roles are. */
export function rulesForAll(collections: ReadonlyMap<string, RulesOfFields>): FieldRules | undefined {
  if (collections.size === 0) return undefined;
  const rules = [...collections].map(([name, fields]) => [name, [{ fields, ...everyRight }]] as const);
  return { key: keyOf(rules), collections: new Map(rules) };
}

/** What is allowed where two sets of rules hold together. */
export function bothRules(one: FieldRules, other: FieldRules): FieldRules {
  const names = new Set([...one.collections.keys(), ...other.collections.keys()]);
  const open: readonly RoleRules[] = [{ fields: new Map(), ...everyRight }];
  return {
    key: canonicalJson([one.key, other.key]),
    collections: new Map(
      [...names].map((name) => [
        name,
        (one.collections.get(name) ?? open).flatMap((first) =>
          (other.collections.get(name) ?? open).map((second) => bothRoles(first, second)),
        ),
      ]),
    ),
  };
}

type RulesOfFields = ReadonlyMap<string, FieldRule>;

function bothRoles(one: RoleRules, other: RoleRules): RoleRules {
  const ruleIn = ({ fields }: RoleRules, field: string) =>
    fields.get(field) ?? fields.get(everyOtherField) ?? unrestricted;
  const names = new Set([...one.fields.keys(), ...other.fields.keys()]);
  return {
    fields: new Map([...names].map((name) => [name, stricter(ruleIn(one, name), ruleIn(other, name))])),
    reads: one.reads && other.reads,
    edits: one.edits && other.edits,
    adds: one.adds && other.adds,
  };
}

const unrestricted: FieldRule = { read: true, filter: true, write: true };

/** A request is answered with fields of other rights than those that would allow it. */
export function fieldsHaveChanged(): Denied {
  const error = cloudError('REQUEST_FORBIDDEN', 'Your rights have just changed.', 'Send the request again.');
  return deny('the rights to fields have just changed', error);
}
