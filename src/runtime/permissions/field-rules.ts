import type { FieldPermission } from '#contracts/permissions';
import { cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import { type Denied, deny, type NamedPermissions, ownEntry } from './decision.ts';

/** What a role may do with a field. */
export type FieldRule = Omit<FieldPermission, 'roles'>;

/** What a role may not do with fields. Nothing is said of fields that the rules do not name. */
export interface FieldRules {
  /** The same for rules that say the same. */
  readonly key: string;
  /** By collection, then by field, in published names. */
  readonly collections: ReadonlyMap<string, ReadonlyMap<string, FieldRule>>;
}

/** Stands for every field of a collection that is not named, apart from its key and its relations. */
export const everyOtherField = '*';

const known = new WeakMap<NamedPermissions, Map<number, FieldRules | undefined>>();

/** The rules of a role in a document. Each role of a document is looked at once. */
export function fieldRulesIn(permissions: NamedPermissions, roleId: number): FieldRules | undefined {
  const ofRoles = known.get(permissions) ?? new Map<number, FieldRules | undefined>();
  known.set(permissions, ofRoles);
  if (!ofRoles.has(roleId)) ofRoles.set(roleId, readRules(permissions, roleId));
  return ofRoles.get(roleId);
}

function readRules({ collections }: NamedPermissions, roleId: number): FieldRules | undefined {
  const found = new Map<string, ReadonlyMap<string, FieldRule>>();
  for (const [name, { fields }] of Object.entries(collections)) {
    const rules = Object.keys(fields ?? {}).flatMap((field) => {
      const rule = strictest((ownEntry(fields ?? {}, field) ?? []).filter(({ roles }) => roles.includes(roleId)));
      return rule ? [[field, rule] as const] : [];
    });
    if (rules.length > 0) found.set(name, new Map(rules));
  }
  if (found.size === 0) return undefined;
  return {
    key: canonicalJson([...found].map(([name, rules]) => [name, Object.fromEntries(rules)])),
    collections: found,
  };
}

/** A role should be named once. */
function strictest(permissions: readonly FieldPermission[]): FieldRule | undefined {
  const [first, ...others] = permissions;
  if (!first) return undefined;
  return others.reduce<FieldRule>(stricter, { read: first.read, filter: first.filter, write: first.write });
}

/** What two rules together allow. A value that two masks hide is not shown through either of them. */
export function stricter(one: FieldRule, other: FieldRule): FieldRule {
  return {
    read: stricterReading(one.read, other.read),
    filter: one.filter && other.filter,
    write: one.write && other.write,
  };
}

function stricterReading(one: FieldRule['read'], other: FieldRule['read']): FieldRule['read'] {
  if (one === other || other === true) return one;
  return one === true ? other : false;
}

/** What two sets of rules together allow. */
export function unitedRules(one: FieldRules | undefined, other: FieldRules | undefined): FieldRules | undefined {
  if (!one || !other) return one ?? other;
  const names = new Set([...one.collections.keys(), ...other.collections.keys()]);
  return {
    key: canonicalJson([one.key, other.key]),
    collections: new Map(
      [...names].map((name) => [name, unitedFields(one.collections.get(name), other.collections.get(name))]),
    ),
  };
}

type RulesOfFields = ReadonlyMap<string, FieldRule>;

function unitedFields(one: RulesOfFields = new Map(), other: RulesOfFields = new Map()): RulesOfFields {
  const ruleIn = (rules: RulesOfFields, field: string) =>
    rules.get(field) ?? rules.get(everyOtherField) ?? unrestricted;
  return new Map(
    [...new Set([...one.keys(), ...other.keys()])].map((field) => [
      field,
      stricter(ruleIn(one, field), ruleIn(other, field)),
    ]),
  );
}

const unrestricted: FieldRule = { read: true, filter: true, write: true };

/** A request is answered with fields of other rights than those that would allow it. */
export function fieldsHaveChanged(): Denied {
  const error = cloudError('REQUEST_FORBIDDEN', 'Your rights have just changed.', 'Send the request again.');
  return deny('the rights to fields have just changed', error);
}
