import type { FieldRight, RoleField } from '#contracts/field-rights';
import type { PermissionFile, RoleAction, RoleCollection } from '#contracts/permission-file';
import type { SchemaCollection } from '#contracts/schema-document';
import type { VisibleCollection } from '../model/schema.ts';
import { own } from '../wire/own.ts';
import { everyOther, rulesOf, withRules } from './rights-draft.ts';
import { keyOf } from './team-draft.ts';

/** Whose rules, and for which collection. */
export interface RulesPlace {
  readonly role: string;
  readonly collection: string;
}

/** The names of a collection that rights may be about. */
interface KnownCollection {
  readonly name: string;
  /** The fields that may have a rule. */
  readonly columns: readonly string[];
  /** Fields of the key, which everybody sees who sees a record. */
  readonly keys: readonly string[];
  /** They follow their keys. */
  readonly relations: readonly string[];
  readonly actions: readonly { readonly name: string; readonly type: string }[];
  /** Fields that nobody writes, whatever the rights say: the code computes them, or they are read-only. */
  readonly unwritten: readonly string[];
}

/** What the environment has; `undefined` where nobody knows. */
export type KnownCollections = readonly KnownCollection[] | undefined;

/** The collections of an agent, as it has told the platform. */
export function publishedCollections(collections: readonly SchemaCollection[]): readonly KnownCollection[] {
  return collections.map(({ name, fields, foreignKeys = [], actions }) => {
    const isRelation = (field: (typeof fields)[number]) => field.reference !== null || field.relationship !== undefined;
    const namesOf = (some: typeof fields) => some.map(({ field }) => field);
    const columns = fields.filter((field) => !field.isPrimaryKey && !isRelation(field));
    return {
      ...{ name, actions, columns: [...namesOf(columns), ...foreignKeys] },
      keys: namesOf(fields.filter(({ isPrimaryKey }) => isPrimaryKey)),
      relations: namesOf(fields.filter(isRelation)),
      unwritten: namesOf(columns.filter(({ isReadOnly }) => isReadOnly)),
    };
  });
}

/** A collection as the person sees it. */
export function seenCollection({ name, fields, relations, actions }: VisibleCollection): KnownCollection {
  const namesOf = (some: readonly { readonly name: string }[]) => some.map((each) => each.name);
  return {
    ...{ name, actions, relations: namesOf(relations) },
    columns: namesOf(fields.filter(({ isPrimaryKey }) => !isPrimaryKey)),
    keys: namesOf(fields.filter(({ isPrimaryKey }) => isPrimaryKey)),
    // What else is read-only may be so for this person only.
    unwritten: namesOf(fields.filter(({ isComputed }) => isComputed)),
  };
}

/** The masks that every agent has; the code may add others. */
export const ownMasks = ['last4', 'email', 'present'] as const;

/** The rules of a role for a collection that the role names; `undefined` where those for every other collection hold. */
export function namedRules(document: PermissionFile, { role, collection }: RulesPlace): RoleCollection | undefined {
  return own(own(document.roles, role)?.collections ?? {}, collection);
}

/** The rules as they are named from now on: of those for every other collection, what the collection has. */
function rulesToName(document: PermissionFile, place: RulesPlace, known: KnownCollections): RoleCollection {
  const rules = rulesOf(document, place.role, place.collection) ?? {};
  if (!known || namedRules(document, place)) return rules;
  const { columns, actions } = namesIn(known, place.collection);
  const { fields, actions: ofActions, ...rest } = rules;
  return {
    ...rest,
    ...(ofActions ? { actions: only(ofActions, actions) } : {}),
    ...(fields ? { fields: only(fields, columns) } : {}),
  };
}

function only<Value>(all: Readonly<Record<string, Value>>, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name === everyOther || names.includes(name)));
}

type Names = Omit<KnownCollection, 'name' | 'actions' | 'unwritten'> & { readonly actions: readonly string[] };

/** The names of a collection; for every other collection, those that any has. */
function namesIn(known: readonly KnownCollection[], collection: string): Names {
  const isEvery = collection === everyOther;
  const meant = isEvery ? known : known.filter(({ name }) => name === collection);
  return {
    columns: sorted(meant.flatMap(({ columns }) => columns)),
    keys: isEvery ? [] : meant.flatMap(({ keys }) => keys),
    relations: isEvery ? [] : meant.flatMap(({ relations }) => relations),
    actions: sorted(meant.flatMap(({ actions }) => actions.map(({ name }) => name))),
  };
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort((first, second) => first.localeCompare(second));
}

/** A rule that can have no effect, and why. */
export interface IdleRule {
  readonly name: string;
  readonly why: 'gone' | 'key' | 'relation';
}

export interface FieldRow {
  /** `*` for every field that is not named. */
  readonly name: string;
  readonly right: FieldRight;
  /** Whether the field has a rule of its own. */
  readonly isNamed: boolean;
  /** Whether nobody writes the field, whatever the rights say. */
  readonly isUnwritten: boolean;
}

export interface FieldTable {
  readonly rows: readonly FieldRow[];
  readonly keys: readonly string[];
  /** Fields without a row: only what has a rule is shown of every other collection. */
  readonly more: readonly string[];
  readonly idle: readonly IdleRule[];
}

/**
 * What a role may do with the fields of a collection.
 *
 * @param shown Fields of every other collection that have a row without a rule.
 */
export function fieldsIn(
  document: PermissionFile,
  place: RulesPlace,
  known: KnownCollections,
  shown: readonly string[] = [],
): FieldTable {
  const named = rulesOf(document, place.role, place.collection)?.fields ?? {};
  const rules = Object.keys(named).filter((name) => name !== everyOther);
  const names = known && namesIn(known, place.collection);
  const columns = names?.columns ?? rules;
  const isInherited = place.collection !== everyOther && !namedRules(document, place);
  const isShown = (name: string) => place.collection !== everyOther || own(named, name) !== undefined;
  const inTable = columns.filter((name) => isShown(name) || shown.includes(name));
  return {
    rows: [everyOther, ...inTable].map((name) => ({
      name,
      right: rightTo(named, name),
      isNamed: own(named, name) !== undefined,
      // Of every other collection, a field is written in one or another.
      isUnwritten: known?.find((each) => each.name === place.collection)?.unwritten.includes(name) === true,
    })),
    keys: names?.keys ?? [],
    more: columns.filter((name) => !inTable.includes(name)),
    // A rule for every other collection is about those that have the field.
    idle: isInherited
      ? []
      : rules.filter((name) => !columns.includes(name)).map((name) => ({ name, why: whyIdle(name, names) })),
  };
}

function whyIdle(name: string, names: Names | undefined): IdleRule['why'] {
  if (names?.keys.includes(name)) return 'key';
  return names?.relations.includes(name) ? 'relation' : 'gone';
}

type FieldRules = Readonly<Record<string, RoleField>>;

const unrestricted: FieldRight = { read: true, filter: true, write: true };

/** What a rule says in full: what it does not state is given, unless the values are masked. */
export function rightOf(rule: RoleField | undefined): FieldRight {
  if (rule === undefined || rule === true) return unrestricted;
  if (rule === false) return { read: false, filter: false, write: false };
  const { read = true, filter = read === true, write = read === true } = rule;
  return { read, filter, write };
}

function rightTo(rules: FieldRules, name: string): FieldRight {
  return rightOf(own(rules, name) ?? (name === everyOther ? undefined : own(rules, everyOther)));
}

/** What somebody may do with a field whose values they see otherwise: whoever sees a mask may not filter by what it hides. */
export function seenAs(right: FieldRight, read: FieldRight['read']): FieldRight {
  const { filter, write } = rightOf({ read });
  if (typeof read === 'string' && typeof right.read === 'string') return { read, filter, write: right.write };
  return read === right.read ? right : { read, filter, write };
}

/** The shortest rule that says the same. */
function ruleFor({ read, filter, write }: FieldRight): RoleField {
  if (read === false) return false;
  if (typeof read === 'string') return write ? { read, write } : { read };
  if (filter && write) return true;
  return { ...(filter ? {} : { filter }), ...(write ? {} : { write }) };
}

/** The rights with another rule for a field. A field that may then do what it may without a rule has none. */
export function withField(
  document: PermissionFile,
  place: RulesPlace,
  name: string,
  right: FieldRight | undefined,
  known: KnownCollections,
): PermissionFile {
  const { fields = {}, ...rules } = rulesToName(document, place, known);
  const { [name]: _before, ...others } = fields;
  const without = JSON.stringify(ruleFor(rightTo(others, name)));
  const rule = right && ruleFor(right);
  const isNeeded = rule !== undefined && JSON.stringify(rule) !== without;
  const next = isNeeded ? { ...fields, [name]: rule } : others;
  return withRules(document, place.role, place.collection, {
    ...rules,
    ...(Object.keys(next).length > 0 ? { fields: next } : {}),
  });
}

/** The rights on an action that may hold for some records only. */
export const actionRights = ['trigger', 'needsApproval', 'approve'] as const;

export interface ActionRow {
  /** `*` for every action that is not named. */
  readonly name: string;
  readonly given: RoleAction;
  /** Whether the action has rules of its own. */
  readonly isNamed: boolean;
  /** Whether it may be run on records, so that a condition can hold for them. */
  readonly hasRecords: boolean;
}

export interface ActionTable {
  readonly rows: readonly ActionRow[];
  /** Rules for actions that are not there any more. */
  readonly idle: readonly string[];
}

/** What a role may do with the actions of a collection. */
export function actionsIn(document: PermissionFile, place: RulesPlace, known: KnownCollections): ActionTable {
  const named = rulesOf(document, place.role, place.collection)?.actions ?? {};
  const rules = Object.keys(named).filter((name) => name !== everyOther);
  const actions = known ? namesIn(known, place.collection).actions : rules;
  const isInherited = place.collection !== everyOther && !namedRules(document, place);
  const global = (known ?? []).flatMap((each) =>
    each.name === place.collection ? each.actions.filter(({ type }) => type === 'global') : [],
  );
  return {
    rows: [everyOther, ...actions].map((name) => ({
      name,
      given: own(named, name) ?? own(named, everyOther) ?? {},
      isNamed: own(named, name) !== undefined,
      hasRecords: place.collection !== everyOther && global.every((action) => action.name !== name),
    })),
    idle: isInherited ? [] : rules.filter((name) => !actions.includes(name)),
  };
}

/** The rights with other rules for an action. An action that may then do what it may without them has none. */
export function withAction(
  document: PermissionFile,
  place: RulesPlace,
  name: string,
  given: RoleAction | undefined,
  known: KnownCollections,
): PermissionFile {
  const { actions = {}, ...rules } = rulesToName(document, place, known);
  const { [name]: _before, ...others } = actions;
  const without = name === everyOther ? {} : (own(others, everyOther) ?? {});
  const rule = given && onlyGiven(given);
  const isNeeded = rule !== undefined && keyOf(rule) !== keyOf(onlyGiven(without));
  const next = isNeeded ? { ...actions, [name]: rule } : others;
  return withRules(document, place.role, place.collection, {
    ...rules,
    ...(Object.keys(next).length > 0 ? { actions: next } : {}),
  });
}

/** What is not stated is denied. */
function onlyGiven(given: RoleAction): RoleAction {
  return Object.fromEntries(Object.entries(given).filter(([, right]) => right !== false && right !== undefined));
}
