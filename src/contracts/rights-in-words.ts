import type { ClientRights } from './client-rights.ts';
import type { Condition } from './condition.ts';
import { recordChartOf } from './dashboards.ts';
import { fieldRightOf, type RoleField } from './field-rights.ts';
import {
  type ConditionalRight,
  collectionRights,
  type ElevationRule,
  everyOther,
  type PermissionFile,
  type RoleAction,
  type RoleCollection,
  rolesOf,
  usualElevationMinutes,
} from './permission-file.ts';

/** What one document says and another one does not. */
export interface RightsDifference {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** How rights change from one document to another, one sentence a difference. */
export function differenceInWords(before: PermissionFile | null, after: PermissionFile | null): RightsDifference {
  const [told, telling] = [rightsInWords(before), rightsInWords(after)];
  const [known, wanted] = [new Set(told), new Set(telling)];
  return {
    removed: told.filter((sentence) => !wanted.has(sentence)),
    added: telling.filter((sentence) => !known.has(sentence)),
  };
}

/** Those sentences about a document that take something away from what others give. */
export function restrictionsInWords(document: PermissionFile | null): readonly string[] {
  return saidBy(document).flatMap((said) => (typeof said === 'string' ? [] : [said.restriction]));
}

/** Everything that a document says, one sentence each. Two documents that say the same mean the same. */
export function rightsInWords(document: PermissionFile | null): readonly string[] {
  return saidBy(document).map(textOf);
}

/** A sentence. One that restricts says so. */
type Said = string | { readonly restriction: string };

function textOf(said: Said): string {
  return typeof said === 'string' ? said : said.restriction;
}

function saidBy(document: PermissionFile | null): readonly Said[] {
  if (!document) return [];
  const { roles, teams, clients, people = {}, ipRules = [] } = document;
  return [
    ...Object.entries(roles).flatMap(([role, { collections, elevation }]) => [
      ...roleSentences(`Role "${role}"`, collections),
      ...(elevation ? [`Role "${role}" may be taken ${elevationInWords(elevation)}`] : []),
    ]),
    ...(teams && Object.keys(teams).length === 0 ? [{ restriction: 'No team sees anything' }] : []),
    ...Object.entries(teams ?? {}).flatMap(([team, content]) => teamSentences(`Team "${team}"`, content)),
    ...(clients && Object.keys(clients).length === 0 ? [{ restriction: 'No client may do anything' }] : []),
    ...Object.entries(clients ?? {}).flatMap(([client, rights]) =>
      saidOfClient(client === everyOther ? 'Every other client' : `Client "${client}"`, rights),
    ),
    ...Object.entries(people).flatMap(([email, { tags = {}, ...person }]) => [
      ...roleSentence(email, rolesOf(person)),
      ...Object.entries(tags).map(([tag, value]) => `${email} has the tag ${tag} = ${JSON.stringify(value)}`),
    ]),
    ...(ipRules.length > 0 ? [{ restriction: 'No address reaches the data but those that are named' }] : []),
    ...ipRules.map((rule) =>
      typeof rule === 'string' ? `${rule} reaches the data` : `${rule.from} to ${rule.to} reach the data`,
    ),
  ];
}

/** Who may take a role, to follow "may be taken". */
export function elevationInWords({ by, maxMinutes, needsApproval = true }: ElevationRule): string {
  const time = `for ${maxMinutes ?? usualElevationMinutes} minutes at most`;
  const who = `by people with the role ${by.map((name) => `"${name}"`).join(' or ')}`;
  return `${time} ${who}${needsApproval ? ', when somebody else agrees' : ''}`;
}

function roleSentence(email: string, roles: readonly string[] = []): readonly string[] {
  const names = roles.map((role) => `"${role}"`);
  if (names.length === 0) return [];
  return [`${email} has ${names.length === 1 ? 'the role' : 'the roles'} ${names.join(' and ')}`];
}

function roleSentences(role: string, collections: Readonly<Record<string, RoleCollection>>): readonly Said[] {
  const entries = Object.entries(collections);
  if (entries.length === 0) return [{ restriction: `${role} may do nothing` }];
  return entries.flatMap(([name, rights]) => {
    const collection = name === everyOther ? 'every other collection' : `"${name}"`;
    const sentences: readonly Said[] = [
      ...(rights.scope
        ? [{ restriction: `${role} has its rights on ${collection} only where ${conditionInWords(rights.scope)}` }]
        : []),
      ...collectionRights.filter((right) => rights[right]).map((right) => `${role} may ${right} ${collection}`),
      ...Object.entries(rights.actions ?? {}).flatMap(([action, given]) =>
        actionSentences(
          role,
          `${action === everyOther ? 'every other action' : `"${action}"`} of ${collection}`,
          given,
        ),
      ),
      ...Object.entries(rights.fields ?? {}).map(([field, rule]): Said => {
        const { read, filter, write } = fieldRightOf(rule);
        const which = `${field === everyOther ? 'every other field' : `"${field}"`} of ${collection}`;
        const sentence = `${role} ${fieldInWords(rule, which)}`;
        return read === true && filter && write ? sentence : { restriction: sentence };
      }),
    ];
    return sentences.length > 0 ? sentences : [{ restriction: `${role} may do nothing with ${collection}` }];
  });
}

/** What a client may do at most, whatever its person may. */
export function clientSentences(client: string, rights: ClientRights): readonly string[] {
  return saidOfClient(client, rights).map(textOf);
}

function saidOfClient(client: string, rights: ClientRights): readonly Said[] {
  const { collections, tools, recordsPerCall, writesPerHour } = rights;
  const ofCollections = Object.entries(collections ?? {}).map(
    ([name, { actions = {}, ...rest }]): [string, RoleCollection] => [
      name,
      {
        ...rest,
        actions: Object.fromEntries(Object.entries(actions).map(([action, trigger]) => [action, { trigger }])),
      },
    ],
  );
  return [
    ...(collections
      ? roleSentences(client, Object.fromEntries(ofCollections))
      : [`${client} may do what its person may`]),
    ...(tools
      ? [{ restriction: `${client} may use ${tools.length === 0 ? 'no tool' : `the tools ${tools.join(', ')}`}` }]
      : []),
    ...(recordsPerCall === undefined ? [] : [{ restriction: `${client} may use ${recordsPerCall} records a call` }]),
    ...(writesPerHour === undefined ? [] : [{ restriction: `${client} may write ${writesPerHour} times an hour` }]),
  ];
}

/** What a rule says of a field, to follow the name of the role. */
function fieldInWords(rule: RoleField, field: string): string {
  const { read, filter, write } = fieldRightOf(rule);
  if (read === false) return `does not see ${field}`;
  const denied = [...(filter ? [] : ['filter by it']), ...(write ? [] : ['write it'])];
  const but = denied.length === 0 ? '' : `, and may not ${denied.join(' or ')}`;
  return read === true ? `sees ${field}${but}` : `sees ${field} by the mask "${read}"${but}`;
}

function actionSentences(role: string, action: string, given: RoleAction): readonly Said[] {
  const sentences: readonly Said[] = [
    ...conditionalSentence(`${role} may trigger ${action}`, given.trigger),
    ...conditionalSentence(`${role} needs an approval for ${action}`, given.needsApproval).map((restriction) => ({
      restriction,
    })),
    ...conditionalSentence(`${role} may approve ${action}`, given.approve),
    ...(given.selfApprove ? [`${role} may approve own requests for ${action}`] : []),
  ];
  return sentences.length > 0 ? sentences : [{ restriction: `${role} may do nothing with ${action}` }];
}

function conditionalSentence(sentence: string, right: ConditionalRight): readonly string[] {
  if (right === undefined || right === false) return [];
  return [right === true ? sentence : `${sentence} where ${conditionInWords(right.where)}`];
}

function teamSentences(
  team: string,
  { collections = {}, charts = [] }: NonNullable<PermissionFile['teams']>[string],
): readonly Said[] {
  return [
    `${team} exists`,
    ...Object.entries(collections).flatMap(([collection, { scope, segments = [] }]) => [
      ...(scope ? [{ restriction: `${team} sees "${collection}" only where ${conditionInWords(scope)}` }] : []),
      ...segments.map(
        ({ query, connection }) =>
          `${team} may use a query as a segment of "${collection}"${connection === undefined ? '' : ` on "${connection}"`}: ${query}`,
      ),
    ]),
    ...charts.map((chart) => `${team} may see ${chartInWords(chart)}`),
  ];
}

/** A chart as a person reads it: `the chart "Orders by status" of "orders": count by status`. Another kind than one over records stays JSON. */
function chartInWords(chart: Readonly<Record<string, unknown>>): string {
  const known = recordChartOf(chart);
  if (!known) return `a chart: ${JSON.stringify(chart)}`;
  const { title, collection, type, aggregator, aggregateFieldName: field, filter } = known;
  const measure = `${aggregator.toLowerCase()}${field === undefined ? '' : ` of ${field}`}`;
  const parts = [
    type === 'Leaderboard'
      ? `${measure} of ${known.relationshipFieldName}, the first ${known.limit ?? 10} by ${known.labelFieldName}`
      : measure,
    known.groupByFieldName === undefined ? '' : ` by ${known.groupByFieldName}`,
    known.timeRange === undefined ? '' : `, each ${known.timeRange.toLowerCase()}`,
    known.objective === undefined ? '' : `, against ${known.objective}`,
    filter === undefined ? '' : `, where ${conditionInWords(filter)}`,
  ];
  return `${title === '' ? 'a chart' : `the chart "${title}"`} of "${collection}": ${parts.join('')}`;
}

/** A condition as a person reads it: `status equal "paid" and amount less than 100`. */
export function conditionInWords(condition: Condition): string {
  if ('field' in condition) {
    const operator = condition.operator.replaceAll('_', ' ');
    return condition.value === undefined
      ? `${condition.field} ${operator}`
      : `${condition.field} ${operator} ${JSON.stringify(condition.value)}`;
  }
  const { aggregator, conditions } = condition;
  if (conditions.length === 0) return aggregator === 'and' ? 'always' : 'never';
  return conditions
    .map((inner) =>
      'conditions' in inner && inner.conditions.length > 1 ? `(${conditionInWords(inner)})` : conditionInWords(inner),
    )
    .join(` ${aggregator} `);
}
