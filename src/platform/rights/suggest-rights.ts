import type { FastifyInstance } from 'fastify';
import {
  collectionRights,
  everyOther,
  type PermissionFile,
  type RoleAction,
  type RoleCollection,
} from '#contracts/permission-file';
import { type SuggestedRights, suggestionQuery } from '#contracts/rights';
import { differenceInWords } from '#contracts/rights-in-words';
import type { SchemaCollection } from '#contracts/schema-document';
import type { Clock } from '#kernel/ports/clock';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import type { SchemaRepository } from '../schemas/schemas.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';
import { placeOf } from './place-of-person.ts';
import type { RightsRepository } from './rights-repository.ts';
import { type CollectionRight, rightNeededFor, type Use, usesSince } from './uses-in-log.ts';

/** What the people of one role did: rights and actions by collection. */
type UsesOfRole = ReadonlyMap<
  string,
  { readonly rights: ReadonlySet<CollectionRight>; readonly actions: ReadonlySet<string> }
>;

/**
 * The least rights that would have allowed what was done: those that a document gives and somebody used. Conditions, scopes, fields, teams, people
 * and clients stay. What the log does not tell stays too: reading a collection that a used one leads to, or that a chart is about.
 *
 * @param rolesOf The roles of a person in the environment.
 */
function leastRights(
  document: PermissionFile,
  uses: readonly Use[],
  rolesOf: (userId: number) => readonly string[],
  collections: readonly SchemaCollection[],
): PermissionFile {
  const shown = chartedCollections(document);
  const roles = Object.entries(document.roles).map(([role, { collections: own }]) => {
    const used = usesOfRole(uses.filter(({ userId }) => rolesOf(userId).includes(role)));
    // Nothing was seen of a role that nobody acted with, so nothing is said of it.
    if (used.size === 0) return [role, document.roles[role] ?? { collections: own }] as const;
    const reached = new Set([...used.keys(), ...reachedFrom(used, collections), ...shown]);
    const names = new Set([...collections.map(({ name }) => name), ...Object.keys(own), ...used.keys()]);
    names.delete(everyOther);
    const kept = [...names].flatMap((name) => {
      const given = Object.hasOwn(own, name) ? own[name] : own[everyOther];
      const rights = given && usedRights(given, used.get(name), reached.has(name));
      return rights ? [[name, rights] as const] : [];
    });
    return [role, { collections: Object.fromEntries(kept) }] as const;
  });
  return { ...document, roles: Object.fromEntries(roles) };
}

function usesOfRole(uses: readonly Use[]): UsesOfRole {
  return new Map(
    [...Map.groupBy(uses, ({ collection }) => collection)].map(([name, own]) => [
      name,
      {
        rights: new Set(own.flatMap(({ action }) => rightNeededFor[action] ?? [])),
        actions: new Set(own.flatMap(({ action, label }) => (action === 'action' && label !== null ? [label] : []))),
      },
    ]),
  );
}

/** The collections that relations of used ones lead to: their records come along with the answers. */
function reachedFrom(used: UsesOfRole, collections: readonly SchemaCollection[]): readonly string[] {
  return collections
    .filter(({ name }) => used.has(name))
    .flatMap(({ fields }) => fields.flatMap(({ reference }) => reference?.split('.')[0] ?? []));
}

/** Charts are not in the log. */
function chartedCollections({ teams = {} }: PermissionFile): readonly string[] {
  return Object.values(teams).flatMap(({ charts = [] }) =>
    charts.flatMap((chart) => {
      const name = chart['sourceCollectionName'];
      return typeof name === 'string' ? [name] : [];
    }),
  );
}

/** `undefined` where nothing of it was used. */
function usedRights(
  { actions = {}, fields, scope, ...given }: RoleCollection,
  used: { readonly rights: ReadonlySet<CollectionRight>; readonly actions: ReadonlySet<string> } | undefined,
  isReached: boolean,
): RoleCollection | undefined {
  const isUsed = (right: CollectionRight) =>
    used?.rights.has(right) === true ||
    (right === 'read' && isReached) ||
    // An export needs both, and looking at a list is not always written down for whoever runs an action of it.
    (right === 'browse' && used !== undefined);
  const rights = Object.fromEntries(
    collectionRights.filter((right) => given[right] === true && isUsed(right)).map((right) => [right, true]),
  );
  const kept = keptActions(actions, used?.actions ?? new Set());
  if (Object.keys(rights).length + Object.keys(kept).length === 0) return undefined;
  return {
    ...(scope ? { scope } : {}),
    ...rights,
    ...(Object.keys(kept).length > 0 ? { actions: kept } : {}),
    ...(fields ? { fields } : {}),
  };
}

/** Actions that were run. Who approves is not in these acts, so that right stays. */
function keptActions(actions: NonNullable<RoleCollection['actions']>, run: ReadonlySet<string>) {
  const { [everyOther]: others, ...named } = actions;
  const names = new Set([...Object.keys(named), ...(others ? run : [])]);
  const kept = [...names].flatMap((name): [string, RoleAction][] => {
    const given = named[name] ?? others ?? {};
    if (run.has(name)) return [[name, given]];
    const { approve, selfApprove } = given;
    return approve === undefined && selfApprove === undefined ? [] : [[name, withoutTrigger(given)]];
  });
  const approving = others && withoutTrigger(others);
  return Object.fromEntries([
    ...kept,
    ...(approving && Object.keys(approving).length > 0 ? [[everyOther, approving] as const] : []),
  ]);
}

function withoutTrigger({ trigger: _trigger, needsApproval: _needsApproval, ...approving }: RoleAction): RoleAction {
  return approving;
}

export interface SuggestionParts {
  readonly rights: Pick<RightsRepository, 'findDocument' | 'listMemberships'>;
  readonly schemas: Pick<SchemaRepository, 'findDocument'>;
  readonly identity: Pick<IdentityRepository, 'listMembers'>;
  readonly store: Store;
  readonly clock: Clock;
}

const dayMs = 24 * 3600 * 1000;

/** `GET /api/rights/suggestion` of `#contracts/rights`, for who may read rights and logs. */
export function registerSuggestionRoute(
  server: FastifyInstance,
  guards: Guards,
  { rights, schemas, identity, store, clock }: SuggestionParts,
): void {
  server.get('/api/rights/suggestion', { onRequest: guards.user.check }, async (request): Promise<SuggestedRights> => {
    const by = guards.user.of(request);
    authorise(by, 'read rights');
    authorise(by, 'read logs');
    const { days } = parseInput(suggestionQuery, request.query);
    const { id, projectId } = by.environment;
    const document = await rights.findDocument(id);
    const since = clock.now() - days * dayMs;
    const [uses, members, memberships, schema] = await Promise.all([
      usesSince(store, id, since),
      identity.listMembers(projectId),
      rights.listMemberships(projectId),
      schemas.findDocument(id),
    ]);
    const further = Map.groupBy(memberships, ({ userId }) => userId);
    const roles = new Map(
      members.map((member) => [member.id, placeOf(id, member, further.get(member.id) ?? [], document).roles]),
    );
    const rolesOf = (userId: number) => (roles.get(userId) ?? []).map((role) => role.name);
    const least = document ? leastRights(document, uses, rolesOf, schema?.collections ?? []) : null;
    return {
      since: new Date(since).toISOString(),
      acts: uses.reduce((sum, { acts }) => sum + acts, 0),
      people: new Set(uses.map(({ userId }) => userId)).size,
      document: least,
      removed: [...differenceInWords(document ?? null, least).removed],
    };
  });
}
