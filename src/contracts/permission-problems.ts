import type * as z from 'zod';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { Condition } from './condition.ts';
import { fieldRightOf, ownMaskNames, type RoleField } from './field-rights.ts';
import {
  type ConditionalRight,
  everyOther,
  type PermissionFile,
  permissionFileSchema,
  type RoleCollection,
} from './permission-file.ts';
import type { SchemaCollection } from './schema-document.ts';

type Place = readonly (string | number)[];

/** One thing that is wrong with a permission file, and where. */
export interface PermissionProblem {
  readonly place: Place;
  readonly message: string;
}

export type CheckedPermissions =
  | { readonly document: PermissionFile }
  | { readonly problems: readonly [PermissionProblem, ...PermissionProblem[]] };

/** Every word that the format has a meaning for. */
const knownWords = [
  ...[
    'roles',
    'teams',
    'people',
    'clients',
    'tools',
    'recordsPerCall',
    'writesPerHour',
    'ipRules',
    'collections',
    'actions',
    'fields',
    'filter',
    'write',
    'scope',
    'segments',
    'charts',
    'role',
    'tags',
    'elevation',
    'by',
    'maxMinutes',
  ],
  ...['browse', 'read', 'edit', 'add', 'delete', 'export', 'trigger', 'needsApproval', 'approve', 'selfApprove'],
  ...['where', 'aggregator', 'conditions', 'field', 'operator', 'value', 'query', 'connection', 'from', 'to'],
];

const userProperties = ['id', 'firstName', 'lastName', 'fullName', 'email', 'permissionLevel', 'roleId'];

/**
 * Check a permission file.
 *
 * @param collections Of the environment. Every name in the file must be one of theirs; `undefined` takes any name.
 * @param masks Of the code of the environment.
 */
export function checkPermissions(
  value: unknown,
  collections?: readonly SchemaCollection[],
  masks: readonly string[] = [],
): CheckedPermissions {
  const parsed = permissionFileSchema.safeParse(value);
  const [first, ...rest] = parsed.success
    ? [
        ...peopleProblems(parsed.data),
        ...elevationProblems(parsed.data),
        ...placeholderProblems(parsed.data),
        ...fieldRuleProblems(parsed.data),
        ...nameProblems(parsed.data, collections),
        ...(collections ? maskProblems(parsed.data, [...ownMaskNames, ...masks]) : []),
      ]
    : parsed.error.issues.flatMap((issue) => formatProblems(issue, [], knownWords));
  if (first) return { problems: [first, ...rest] };
  if (!parsed.success) throw parsed.error;
  return { document: parsed.data };
}

/** The place as a person writes it: `roles.support.collections.orders`. */
export function placeInWords(place: Place): string {
  return place.join('.') || 'the file';
}

/**
 * What is wrong with the format of a file.
 *
 * @param words that the format has a meaning for.
 */
export function formatProblems(
  issue: z.core.$ZodIssue,
  above: Place,
  words: readonly string[],
): readonly PermissionProblem[] {
  const place = [...above, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      place: [...place, key],
      message: `"${key}" is unknown here.${didYouMean(nearestName(key, words))}`,
    }));
  }
  if (issue.code === 'invalid_union') {
    // The form that was meant is of the right kind, and has the fewest problems.
    const forms = issue.errors
      .map((errors) => errors.flatMap((inner) => formatProblems(inner, place, words)))
      .filter((problems) => problems.every((problem) => problem.place.length > place.length));
    const [meant] = forms.sort((a, b) => a.length - b.length);
    if (meant) return meant;
  }
  return [{ place, message: `${issue.message}.` }];
}

function peopleProblems({ roles, people = {} }: PermissionFile): readonly PermissionProblem[] {
  const known = Object.keys(roles);
  return Object.entries(people).flatMap(([email, { role, roles: several = [] }]) => {
    const place = ['people', email];
    const both = role !== undefined && several.length > 0;
    return [
      ...(both
        ? [{ place: [...place, 'role'], message: 'Name the roles in "role" or in "roles", and not in both.' }]
        : []),
      ...(role === undefined || known.includes(role) ? [] : [unknownName('role', role, known, [...place, 'role'])]),
      ...several.flatMap((each, index) => {
        const where = [...place, 'roles', index];
        if (!known.includes(each)) return [unknownName('role', each, known, where)];
        return several.indexOf(each) < index ? [{ place: where, message: `"${each}" stands there twice.` }] : [];
      }),
    ];
  });
}

function elevationProblems({ roles }: PermissionFile): readonly PermissionProblem[] {
  const known = Object.keys(roles);
  return Object.entries(roles).flatMap(([role, { elevation }]) =>
    (elevation?.by ?? []).flatMap((name, index) =>
      known.includes(name) ? [] : [unknownName('role', name, known, ['roles', role, 'elevation', 'by', index])],
    ),
  );
}

interface ScopeHolder {
  readonly collections?: Readonly<Record<string, { readonly scope?: Condition | undefined }>> | undefined;
}

function placeholderProblems({ roles, teams = {} }: PermissionFile): readonly PermissionProblem[] {
  const all: Readonly<Record<string, Readonly<Record<string, ScopeHolder>>>> = { roles, teams };
  return Object.entries(all).flatMap(([kind, holders]) =>
    Object.entries(holders).flatMap(([holder, { collections = {} }]) =>
      Object.entries(collections).flatMap(([collection, { scope }]) =>
        textsOf(scope).flatMap((text) =>
          [...text.matchAll(/\{\{(.*?)\}\}/g)].flatMap(([whole, content = '']) =>
            unknownPlaceholder(whole, content.trim(), [kind, holder, 'collections', collection, 'scope']),
          ),
        ),
      ),
    ),
  );
}

function unknownPlaceholder(whole: string, content: string, place: Place): readonly PermissionProblem[] {
  const known = [...userProperties, 'team.id', 'team.name'].map((name) => `currentUser.${name}`);
  if (known.includes(content) || /^currentUser\.tags\../.test(content)) return [];
  const nearest = nearestName(content, [...known, 'currentUser.tags.name']);
  return [{ place, message: `${whole} stands for nothing of a user.${didYouMean(nearest && `{{${nearest}}}`)}` }];
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function nameProblems(
  { roles, teams = {}, clients = {} }: PermissionFile,
  collections: readonly SchemaCollection[] | undefined,
): readonly PermissionProblem[] {
  if (!collections) return [];
  const known = new Map(collections.map((collection) => [collection.name, collection]));
  const names = [...known.keys()];
  const ofRoles = Object.entries(roles).flatMap(([role, content]) =>
    Object.entries(content.collections).flatMap(([name, { actions = {}, fields = {}, scope }]) => {
      const place = ['roles', role, 'collections', name];
      const collection = known.get(name);
      if (!collection && name !== everyOther) return [unknownName('collection', name, names, place)];
      const ofFields = Object.keys(fields).flatMap((field) =>
        namedFieldProblems(field, collection, collections, [...place, 'fields', field]),
      );
      const ofActions = Object.entries(actions).flatMap(([action, given]) => {
        const where = [...place, 'actions', action];
        const actionNames = (collection?.actions ?? collections.flatMap((each) => each.actions)).map(
          (each) => each.name,
        );
        if (action !== everyOther && !actionNames.includes(action)) {
          return [unknownName('action', action, actionNames, where)];
        }
        const { trigger, needsApproval, approve } = given;
        if (!collection) return [];
        return Object.entries({ trigger, needsApproval, approve }).flatMap(([right, condition]) =>
          fieldProblems(whereOf(condition), collection, known, [...where, right, 'where']),
        );
      });
      const others = collections.filter((other) => !Object.hasOwn(content.collections, other.name));
      const ofScope = collection
        ? fieldProblems(scope, collection, known, [...place, 'scope'])
        : scopeOfOthersProblems(scope, others, known, [...place, 'scope']);
      return [...ofFields, ...ofActions, ...ofScope];
    }),
  );
  const ofTeams = Object.entries(teams).flatMap(([team, content]) =>
    Object.entries(content.collections ?? {}).flatMap(([name, { scope }]) => {
      const place = ['teams', team, 'collections', name];
      const collection = known.get(name);
      if (!collection) return [unknownName('collection', name, names, place)];
      return fieldProblems(scope, collection, known, [...place, 'scope']);
    }),
  );
  return [...ofRoles, ...ofTeams, ...clientProblems(clients, known)];
}

/** A scope for every other collection fits each of them. The first one that it does not fit is enough to know. */
function scopeOfOthersProblems(
  scope: Condition | undefined,
  others: readonly SchemaCollection[],
  known: KnownCollections,
  place: Place,
): readonly PermissionProblem[] {
  for (const other of others) {
    const [problem] = fieldProblems(scope, other, known, place);
    const next = `The scope is for every other collection: give "${other.name}" an entry of its own.`;
    if (problem) return [{ ...problem, message: `${problem.message} ${next}` }];
  }
  return [];
}

function clientProblems(
  clients: NonNullable<PermissionFile['clients']>,
  known: KnownCollections,
): readonly PermissionProblem[] {
  const all = [...known.values()];
  return Object.entries(clients).flatMap(([client, { collections = {} }]) =>
    Object.entries(collections).flatMap(([name, { actions = {}, fields = {} }]) => {
      const place = ['clients', client, 'collections', name];
      const collection = known.get(name);
      if (!collection && name !== everyOther) return [unknownName('collection', name, [...known.keys()], place)];
      const actionNames = (collection ? [collection] : all).flatMap((each) => each.actions).map((each) => each.name);
      return [
        ...Object.keys(fields).flatMap((field) =>
          namedFieldProblems(field, collection, all, [...place, 'fields', field]),
        ),
        ...Object.keys(actions).flatMap((action) =>
          action === everyOther || actionNames.includes(action)
            ? []
            : [unknownName('action', action, actionNames, [...place, 'actions', action])],
        ),
      ];
    }),
  );
}

/** Rules that contradict themselves. */
function fieldRuleProblems(file: PermissionFile): readonly PermissionProblem[] {
  return fieldRulesOf(file).flatMap(({ rule, who, place }) => contradiction(rule, who, place));
}

/** Masks that neither every agent nor the code has. A field with one is hidden. */
function maskProblems(file: PermissionFile, masks: readonly string[]): readonly PermissionProblem[] {
  return fieldRulesOf(file).flatMap(({ rule, place }) => {
    const { read } = fieldRightOf(rule);
    const isKnown = typeof read === 'boolean' || masks.includes(read);
    return isKnown ? [] : [unknownName('mask', read, masks, [...place, 'read'])];
  });
}

interface FieldRuleAt {
  readonly rule: RoleField;
  readonly who: string;
  readonly place: Place;
}

interface FieldRuleHolder {
  readonly collections?: Readonly<Record<string, Pick<RoleCollection, 'fields'>>> | undefined;
}

function fieldRulesOf({ roles, clients = {} }: PermissionFile): readonly FieldRuleAt[] {
  const holders: Readonly<Record<'roles' | 'clients', Readonly<Record<string, FieldRuleHolder>>>> = { roles, clients };
  return (['roles', 'clients'] as const).flatMap((kind) =>
    Object.entries(holders[kind]).flatMap(([holder, { collections = {} }]) =>
      Object.entries(collections).flatMap(([name, { fields = {} }]) =>
        Object.entries(fields).map(([field, rule]) => ({
          rule,
          who: whoIs[kind],
          place: [kind, holder, 'collections', name, 'fields', field],
        })),
      ),
    ),
  );
}

const whoIs = { roles: 'The role', clients: 'The client' };

function contradiction(rule: RoleField, who: string, place: Place): readonly PermissionProblem[] {
  const { read, filter, write } = fieldRightOf(rule);
  const hidden = `${who} does not see the field, so it can neither filter by it nor write it.`;
  if (read === false && (filter || write)) return [{ place, message: hidden }];
  const masked = `${who} sees the field masked. Whoever filters by it could guess what it holds.`;
  return read !== true && filter ? [{ place: [...place, 'filter'], message: masked }] : [];
}

/** A rule for every other collection may name a field that some of them have. */
function namedFieldProblems(
  name: string,
  collection: SchemaCollection | undefined,
  all: readonly SchemaCollection[],
  place: Place,
): readonly PermissionProblem[] {
  if (name === everyOther) return [];
  if (!collection) {
    const names = all.flatMap(fieldNames);
    return names.includes(name) ? [] : [unknownName('field', name, names, place)];
  }
  if (!fieldNames(collection).includes(name)) return [unknownField(collection, name, place)];
  const field = collection.fields.find((each) => each.field === name);
  if (!field) return [];
  if (field.isPrimaryKey) {
    return [{ place, message: `"${name}" is part of the key of "${collection.name}", which identifies records.` }];
  }
  if (!isRelation(field)) return [];
  return [{ place, message: `"${name}" is a relation. It follows its key: write a rule for the column.` }];
}

function fieldNames({ fields, foreignKeys = [] }: SchemaCollection): string[] {
  return [...fields.map(({ field }) => field), ...foreignKeys];
}

function isRelation({ relationship, reference }: SchemaCollection['fields'][number]): boolean {
  return relationship !== undefined || reference !== null;
}

function whereOf(right: ConditionalRight): Condition | undefined {
  return typeof right === 'object' ? right.where : undefined;
}

type KnownCollections = ReadonlyMap<string, SchemaCollection>;

function fieldProblems(
  condition: Condition | undefined,
  collection: SchemaCollection,
  known: KnownCollections,
  place: Place,
): readonly PermissionProblem[] {
  if (!condition) return [];
  if ('conditions' in condition) {
    return condition.conditions.flatMap((inner, index) =>
      fieldProblems(inner, collection, known, [...place, 'conditions', index]),
    );
  }
  return pathProblems(condition.field.split(':'), collection, known, [...place, 'field']);
}

/** `customer:name` is the field `name` of what the relation `customer` leads to. */
function pathProblems(
  [name = '', ...rest]: readonly string[],
  collection: SchemaCollection,
  known: KnownCollections,
  place: Place,
): readonly PermissionProblem[] {
  const { fields, foreignKeys = [] } = collection;
  const field = fields.find((each) => each.field === name);
  if (!field && !foreignKeys.includes(name)) {
    return [unknownField(collection, name, place)];
  }
  const relation = field && isRelation(field) ? field : undefined;
  if (!relation && rest.length > 0) {
    return [{ place, message: `"${name}" of "${collection.name}" is a column: no field comes after it.` }];
  }
  if (!relation) return [];
  const next = known.get(relation.reference?.split('.')[0] ?? '');
  if (rest.length > 0) return next ? pathProblems(rest, next, known, place) : [];
  const example = next?.fields.find((each) => each.reference === null)?.field ?? 'id';
  return [{ place, message: `"${name}" is a relation. Name a field behind it, as in "${name}:${example}".` }];
}

function unknownField(collection: SchemaCollection, name: string, place: Place): PermissionProblem {
  const nearest = didYouMean(nearestName(name, fieldNames(collection)));
  return { place, message: `"${collection.name}" has no field "${name}".${nearest}` };
}

function unknownName(kind: string, name: string, names: readonly string[], place: Place): PermissionProblem {
  return { place, message: `There is no ${kind} "${name}".${didYouMean(nearestName(name, names))}` };
}
