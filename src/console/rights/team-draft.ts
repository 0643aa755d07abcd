import type { PermissionFile } from '#contracts/permission-file';
import { type FilterCondition, type FilterGroup, type FilterTree, isGroup } from '../grid/filter-tree.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { own } from '../wire/own.ts';
import { rulesOf, withRules } from './rights-draft.ts';

type Team = NonNullable<PermissionFile['teams']>[string];
type TeamCollection = NonNullable<Team['collections']>[string];
type Scope = NonNullable<TeamCollection['scope']>;
type Segment = NonNullable<TeamCollection['segments']>[number];
export type Chart = NonNullable<Team['charts']>[number];
export type AddressRule = NonNullable<PermissionFile['ipRules']>[number];

/** Whose records a scope narrows. */
export interface ScopeHolder {
  readonly kind: 'role' | 'team';
  readonly name: string;
}

/** What stands for something of the person in a scope. The name in the place of `*` is typed. */
export const placeholders: readonly string[] = ['tags.*', 'id', 'email', 'firstName', 'lastName', 'team.name'].map(
  (name) => `{{currentUser.${name}}}`,
);

export function scopeOf(document: PermissionFile, { kind, name }: ScopeHolder, collection: string): Scope | undefined {
  if (kind === 'role') return rulesOf(document, name, collection)?.scope;
  return own(own(document.teams ?? {}, name)?.collections ?? {}, collection)?.scope;
}

/** The rights with another scope; `undefined` for none. */
export function withScope(
  document: PermissionFile,
  { kind, name }: ScopeHolder,
  collection: string,
  scope: Scope | undefined,
): PermissionFile {
  if (kind === 'role') {
    const { scope: _replaced, ...rules } = rulesOf(document, name, collection) ?? {};
    return withRules(document, name, collection, scope ? { scope, ...rules } : rules);
  }
  const { scope: _replaced, ...kept } = own(own(document.teams ?? {}, name)?.collections ?? {}, collection) ?? {};
  return withTeamCollection(document, name, collection, scope ? { scope, ...kept } : kept);
}

function withTeamCollection(
  document: PermissionFile,
  team: string,
  collection: string,
  content: TeamCollection,
): PermissionFile {
  const { collections: before = {}, ...kept } = own(document.teams ?? {}, team) ?? {};
  const { [collection]: _replaced, ...others } = before;
  const collections = Object.keys(content).length > 0 ? { ...before, [collection]: content } : others;
  const isEmpty = Object.keys(collections).length === 0;
  return withTeam(document, team, isEmpty ? kept : { collections, ...kept });
}

function withTeam(document: PermissionFile, team: string, content: Team): PermissionFile {
  return { ...document, teams: { ...document.teams, [team]: content } };
}

/** The rights with an entry for each team that they lack, so that none of them loses what it sees. */
export function withTeams(document: PermissionFile, names: readonly string[]): PermissionFile {
  const teams = Object.fromEntries(names.map((name) => [name, {}]));
  return { ...document, teams: { ...teams, ...document.teams } };
}

/** A scope as the editor of conditions has it; `undefined` for one that only JSON shows. */
export function editableScope(scope: Scope | undefined, collection: VisibleCollection): FilterGroup | undefined {
  const tree: FilterTree = scope ?? { aggregator: 'and', conditions: [] };
  if (!isShown(tree, collection)) return undefined;
  return isGroup(tree) ? tree : { aggregator: 'and', conditions: [tree] };
}

function isShown(tree: FilterTree, collection: VisibleCollection): boolean {
  if (isGroup(tree)) return tree.conditions.every((part) => isShown(part, collection));
  const [first, second, ...deeper] = tree.field.split(':');
  if (deeper.length > 0) return false;
  if (second === undefined)
    return collection.fields.some(({ name, operators }) => name === first && operators.length > 0);
  return collection.relations.some(({ name, kind }) => name === first && (kind === 'ManyToOne' || kind === 'OneToOne'));
}

/** Whether a condition waits for its value. Such a scope is not taken: without the condition it would show more records. */
export function isUnfilled(tree: FilterTree): boolean {
  if (isGroup(tree)) return tree.conditions.some(isUnfilled);
  return (
    tree.value === undefined || (typeof tree.value === 'string' && /^\{\{currentUser\.tags\.\s*\}\}$/.test(tree.value))
  );
}

/** What the editor has as a scope: one condition stands by itself, and an operator without a value has none. */
export function scopeFrom(group: FilterGroup): Scope | undefined {
  const [first, ...others] = group.conditions;
  if (first === undefined) return undefined;
  return plain(others.length === 0 && !isGroup(first) ? first : group);
}

function plain(tree: FilterTree): Scope {
  if (isGroup(tree)) return { aggregator: tree.aggregator, conditions: tree.conditions.map(plain) };
  const { value, ...rest }: FilterCondition = tree;
  return value === null && rest.operator !== 'equal' && rest.operator !== 'not_equal' ? rest : { ...rest, value };
}

/** A query that people of some teams may run as a segment of a collection. */
export interface ListedSegment {
  readonly collection: string;
  readonly segment: Segment;
  readonly teams: readonly string[];
}

export function segmentsIn({ teams = {} }: PermissionFile): readonly ListedSegment[] {
  const found = Object.entries(teams).flatMap(([team, { collections = {} }]) =>
    Object.entries(collections).flatMap(([collection, { segments = [] }]) =>
      segments.map((segment) => ({ team, collection, segment })),
    ),
  );
  const alike = Map.groupBy(found, ({ collection, segment }) => keyOf([collection, segment.connection, segment.query]));
  return [...alike.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, teams: [first, ...others].map(({ team }) => team) }] : [],
  );
}

export function withSegment(
  document: PermissionFile,
  { collection, segment }: Pick<ListedSegment, 'collection' | 'segment'>,
  team: string,
  isGiven: boolean,
): PermissionFile {
  const { segments = [], ...kept } = own(own(document.teams ?? {}, team)?.collections ?? {}, collection) ?? {};
  const others = segments.filter(
    ({ query, connection }) => query !== segment.query || connection !== segment.connection,
  );
  const next = isGiven ? [...others, segment] : others;
  return withTeamCollection(document, team, collection, next.length > 0 ? { ...kept, segments: next } : kept);
}

/** A chart that people of some teams may see. */
export interface ListedChart {
  readonly chart: Chart;
  readonly teams: readonly string[];
}

export function chartsIn({ teams = {} }: PermissionFile): readonly ListedChart[] {
  const found = Object.entries(teams).flatMap(([team, { charts = [] }]) => charts.map((chart) => ({ team, chart })));
  return [...Map.groupBy(found, ({ chart }) => keyOf(chart)).values()].flatMap(([first, ...others]) =>
    first ? [{ chart: first.chart, teams: [first, ...others].map(({ team }) => team) }] : [],
  );
}

export function withChart(document: PermissionFile, chart: Chart, team: string, isGiven: boolean): PermissionFile {
  const { charts = [], ...kept } = own(document.teams ?? {}, team) ?? {};
  const others = charts.filter((each) => keyOf(each) !== keyOf(chart));
  const next = isGiven ? [...others, chart] : others;
  return withTeam(document, team, next.length > 0 ? { ...kept, charts: next } : kept);
}

/** The rights with other addresses. Without any, every address may reach the data. */
export function withAddresses(document: PermissionFile, rules: readonly AddressRule[]): PermissionFile {
  const { ipRules: _replaced, ...rest } = document;
  return rules.length > 0 ? { ...rest, ipRules: [...rules] } : rest;
}

/** The same for values that are alike, whatever the order of their keys. */
export function keyOf(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([first], [second]) => first.localeCompare(second)))
      : part,
  );
}
