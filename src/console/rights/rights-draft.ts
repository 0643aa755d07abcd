import type { PermissionFile, RoleCollection } from '#contracts/permission-file';
import type { CheckedDraft } from '#contracts/rights';
import { own } from '../wire/own.ts';

/** The rights on a collection, in the order in which people are shown them. */
export const rightNames = ['browse', 'read', 'edit', 'add', 'delete', 'export'] as const;
export type RightName = (typeof rightNames)[number];

/** Stands for every collection of a role, or every action of a collection, that is not named. */
export const everyOther = '*';

/** On which records somebody has a right. */
export type Extent = 'all' | 'some' | 'none';

/** Somebody, with what the project gives them. What the rights themselves give is left out. */
export interface Holder {
  readonly email: string;
  readonly roles: readonly string[];
  readonly teams: readonly string[];
}

/** What people may do while nobody has set any rights in development: everything. A draft begins with it. */
export function everything(roles: readonly string[]): PermissionFile {
  const actions = { [everyOther]: { trigger: true, approve: true } };
  const rights = { ...Object.fromEntries(rightNames.map((right) => [right, true])), actions };
  return { roles: Object.fromEntries(roles.map((role) => [role, { collections: { [everyOther]: rights } }])) };
}

/** The collections of a matrix: that for every other one, those of the schema, and those that the rights alone name. */
export function namedCollections({ roles, teams }: PermissionFile, ofSchema: readonly string[]): readonly string[] {
  const named = [...Object.values(roles), ...Object.values(teams ?? {})].flatMap(({ collections = {} }) =>
    Object.keys(collections),
  );
  const others = [...new Set([...ofSchema, ...named])].filter((name) => name !== everyOther);
  return [everyOther, ...others.sort((first, second) => first.localeCompare(second))];
}

/** The rules of a role for a collection. A collection that is not named has those of `*`. */
export function rulesOf(document: PermissionFile, role: string, collection: string): RoleCollection | undefined {
  const collections = own(document.roles, role)?.collections ?? {};
  return own(collections, collection) ?? own(collections, everyOther);
}

/** The rights with other rules of a role for one collection; `undefined` lets those of `*` hold for it. */
export function withRules(
  document: PermissionFile,
  role: string,
  collection: string,
  rules: RoleCollection | undefined,
): PermissionFile {
  const before = own(document.roles, role) ?? { collections: {} };
  const { [collection]: _replaced, ...others } = before.collections;
  const collections = rules === undefined ? others : { ...before.collections, [collection]: rules };
  return { ...document, roles: { ...document.roles, [role]: { ...before, collections } } };
}

/** The rights with one right given or taken. A collection that was not named keeps what `*` gave it beside that. */
export function withRight(
  document: PermissionFile,
  role: string,
  collection: string,
  right: RightName,
  isGiven: boolean,
): PermissionFile {
  const { [right]: _before, ...others } = rulesOf(document, role, collection) ?? {};
  const rules = isGiven ? { ...others, [right]: true } : others;
  const isNeeded = Object.keys(rules).length > 0 || rulesOf(document, role, everyOther) !== undefined;
  return withRules(document, role, collection, isNeeded && collection !== everyOther ? rules : orNone(rules));
}

function orNone(rules: RoleCollection): RoleCollection | undefined {
  return Object.keys(rules).length > 0 ? rules : undefined;
}

/** On which records the roles give a right, all of them together. */
export function extentOfRoles(
  document: PermissionFile,
  roles: readonly string[],
  collection: string,
  right: RightName,
): Extent {
  return widest(
    roles.map((role) => {
      const rules = rulesOf(document, role, collection);
      if (rules?.[right] !== true) return 'none';
      return rules.scope ? 'some' : 'all';
    }),
  );
}

/** On which records somebody has a right: as their roles give it, and as far as their teams see. */
export function extentOf(document: PermissionFile, holder: Holder, collection: string, right: RightName): Extent {
  const byRoles = extentOfRoles(document, rolesUnder(document, holder), collection, right);
  const seen = widest(
    document.teams
      ? holder.teams.map((team) => {
          const content = own(document.teams ?? {}, team);
          if (!content) return 'none';
          return own(content.collections ?? {}, collection)?.scope ? 'some' : 'all';
        })
      : ['all'],
  );
  return narrowest(byRoles, seen);
}

/** The roles that somebody would have. Rights that name the person take the place of the project. */
export function rolesUnder({ people = {} }: PermissionFile, { email, roles }: Holder): readonly string[] {
  const person = Object.entries(people).find(([named]) => named.toLowerCase() === email.toLowerCase())?.[1];
  return person?.roles ?? (person?.role === undefined ? roles : [person.role]);
}

const extents: readonly Extent[] = ['none', 'some', 'all'];

function widest(found: readonly Extent[]): Extent {
  return extents[Math.max(0, ...found.map((extent) => extents.indexOf(extent)))] ?? 'none';
}

function narrowest(first: Extent, second: Extent): Extent {
  return extents.indexOf(first) < extents.indexOf(second) ? first : second;
}

/** What a change does to people: it takes a right, restricts one, lifts a restriction, or gives a right. */
export type ChangeKind = 'taken' | 'restricted' | 'freed' | 'given';

/** The sentences of a draft by what they do to people. A restriction that is added takes something away. */
export function changesIn({ removed, added, restrictions }: Pick<CheckedDraft, 'removed' | 'added' | 'restrictions'>) {
  const restricting = new Set(restrictions);
  const isRestriction = (sentence: string) => restricting.has(sentence);
  const isGrant = (sentence: string) => !restricting.has(sentence);
  const changes: readonly { readonly kind: ChangeKind; readonly sentences: readonly string[] }[] = [
    { kind: 'taken', sentences: removed.filter(isGrant) },
    { kind: 'restricted', sentences: added.filter(isRestriction) },
    { kind: 'freed', sentences: removed.filter(isRestriction) },
    { kind: 'given', sentences: added.filter(isGrant) },
  ];
  return changes;
}

/** A place in the file of the rights. */
export interface FileLine {
  readonly path: readonly string[];
  /** The first line is 1. The file is as the console shows it. */
  readonly line: number;
}

/** Where the file decides about a right of a role. Where nothing names the right, it is the nearest place that could. */
export function lineInFile(document: PermissionFile, role: string, collection: string, right: RightName): FileLine {
  const entry = own(own(document.roles, role)?.collections ?? {}, collection) ? collection : everyOther;
  const wanted = ['roles', role, 'collections', entry, right];
  const path: string[] = [];
  let place: unknown = document;
  for (const key of wanted) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) break;
    place = (place as Readonly<Record<string, unknown>>)[key];
    path.push(key);
  }
  return { path, line: lineOf(document, path) };
}

/** JSON with indentation has a line for each key: those before the key are counted. */
function lineOf(value: unknown, path: readonly string[]): number {
  const [key, ...rest] = path;
  if (key === undefined) return 1;
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  const at = entries.findIndex(([name]) => name === key);
  const before = entries.slice(0, at).map(([, each]) => JSON.stringify(each, undefined, 2)?.split('\n').length ?? 0);
  return before.reduce((sum, lines) => sum + lines, 0) + 1 + lineOf(entries[at]?.[1], rest);
}
