import type { FastifyInstance } from 'fastify';
import {
  collectionRights,
  everyOther,
  type PermissionFile,
  type RoleAction,
  type RoleCollection,
} from '#contracts/permission-file';
import { judgedAfterDays, type SuggestedRights, suggestionQuery } from '#contracts/rights';
import { differenceInWords } from '#contracts/rights-in-words';
import type { SchemaCollection } from '#contracts/schema-document';
import type { Clock } from '#kernel/ports/clock';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import type { SchemaRepository } from '../schemas/schemas.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';
import { entryOf, isGiven } from './derive-permissions.ts';
import { placeOf } from './place-of-person.ts';
import type { RightsChange, RightsRepository } from './rights-repository.ts';
import { type CollectionRight, firstActIn, rightNeededFor, type Use, usesSince } from './uses-in-log.ts';

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
 * @param isSettled Whether a role has had rights on a collection that hold something for long enough to judge. What it has not stays.
 */
function leastRights(
  document: PermissionFile,
  { uses, rolesOf, collections }: Seen,
  isSettled: IsSettled,
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
      const isOld: IsOld = (has) => isSettled(role, name, has);
      const rights = given && usedRights(given, { used: used.get(name), isReached: reached.has(name), isOld });
      return rights ? [[name, rights] as const] : [];
    });
    const others = own[everyOther];
    const isOld: IsOld = (has) => isSettled(role, everyOther, has);
    const young = others && usedRights(others, { used: undefined, isReached: false, isOld });
    return [role, { collections: Object.fromEntries([...kept, ...(young ? [[everyOther, young]] : [])]) }] as const;
  });
  return { ...document, roles: Object.fromEntries(roles) };
}

/** What the log and the model tell. */
interface Seen {
  readonly uses: readonly Use[];
  readonly rolesOf: (userId: number) => readonly string[];
  readonly collections: readonly SchemaCollection[];
}

type Has = (rights: RoleCollection) => boolean;
type IsOld = (has: Has) => boolean;
type IsSettled = (role: string, collection: string, has: Has) => boolean;

/** What all of the documents give that counted in the time that is judged; nothing where there is none. */
function settledIn(documents: readonly (PermissionFile | null)[]): IsSettled {
  return (role, collection, has) =>
    documents.length > 0 &&
    documents.every((document) => {
      const own = document && Object.hasOwn(document.roles, role) ? document.roles[role]?.collections : undefined;
      const rights = own && entryOf(own, collection);
      return rights !== undefined && has(rights);
    });
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

interface UseOfCollection {
  readonly used: { readonly rights: ReadonlySet<CollectionRight>; readonly actions: ReadonlySet<string> } | undefined;
  readonly isReached: boolean;
  readonly isOld: IsOld;
}

/** `undefined` where nothing of it was used. */
function usedRights(
  { actions = {}, fields, scope, ...given }: RoleCollection,
  { used, isReached, isOld }: UseOfCollection,
): RoleCollection | undefined {
  const isUsed = (right: CollectionRight) =>
    used?.rights.has(right) === true ||
    (right === 'read' && isReached) ||
    // An export needs both, and looking at a list is not always written down for whoever runs an action of it.
    (right === 'browse' && used !== undefined);
  const rights = Object.fromEntries(
    collectionRights
      .filter((right) => given[right] === true && (isUsed(right) || !isOld((rights) => rights[right] === true)))
      .map((right) => [right, true]),
  );
  const kept = keptActions(actions, used?.actions ?? new Set(), isOld);
  if (Object.keys(rights).length + Object.keys(kept).length === 0) return undefined;
  return {
    ...(scope ? { scope } : {}),
    ...rights,
    ...(Object.keys(kept).length > 0 ? { actions: kept } : {}),
    ...(fields ? { fields } : {}),
  };
}

/** Actions that were run. Who approves is not in these acts, so that right stays. */
function keptActions(actions: NonNullable<RoleCollection['actions']>, run: ReadonlySet<string>, isOld: IsOld) {
  const { [everyOther]: others, ...named } = actions;
  const names = new Set([...Object.keys(named), ...(others ? run : [])]);
  const isYoung = (name: string) => !isOld(({ actions: given = {} }) => isGiven(entryOf(given, name)?.trigger));
  const kept = [...names].flatMap((name): [string, RoleAction][] => {
    const given = named[name] ?? others ?? {};
    if (run.has(name) || isYoung(name)) return [[name, given]];
    const { approve, selfApprove } = given;
    return approve === undefined && selfApprove === undefined ? [] : [[name, withoutTrigger(given)]];
  });
  const approving = others && (isYoung(everyOther) ? others : withoutTrigger(others));
  return Object.fromEntries([
    ...kept,
    ...(approving && Object.keys(approving).length > 0 ? [[everyOther, approving] as const] : []),
  ]);
}

function withoutTrigger({ trigger: _trigger, needsApproval: _needsApproval, ...approving }: RoleAction): RoleAction {
  return approving;
}

export interface SuggestionParts {
  readonly rights: Pick<RightsRepository, 'findDocument' | 'listMemberships' | 'listChanges'>;
  readonly schemas: Pick<SchemaRepository, 'findDocument'>;
  readonly identity: Pick<IdentityRepository, 'listMembers'>;
  readonly store: Store;
  readonly clock: Clock;
}

const dayMs = 24 * 3600 * 1000;
/** As many changes of the rights as are looked at. Where there were more of late, nothing is judged. */
const mostChanges = 100;

/** `GET /api/rights/suggestion` of `#contracts/rights`, for who may read rights and logs. */
export function registerSuggestionRoute(server: FastifyInstance, guards: Guards, parts: SuggestionParts): void {
  server.get('/api/rights/suggestion', { onRequest: guards.user.check }, async (request): Promise<SuggestedRights> => {
    const by = guards.user.of(request);
    authorise(by, 'read rights');
    authorise(by, 'read logs');
    const { days } = parseInput(suggestionQuery, request.query);
    return suggestionFor(by.environment, days, parts);
  });
}

async function suggestionFor(
  { id, projectId }: EnvironmentRecord,
  days: number,
  { rights, schemas, identity, store, clock }: SuggestionParts,
): Promise<SuggestedRights> {
  const document = (await rights.findDocument(id)) ?? null;
  const since = clock.now() - days * dayMs;
  const [uses, members, memberships, schema, changes, logSince] = await Promise.all([
    usesSince(store, id, since),
    identity.listMembers(projectId),
    rights.listMemberships(projectId),
    schemas.findDocument(id),
    rights.listChanges(id, mostChanges, undefined),
    firstActIn(store, id),
  ]);
  const further = Map.groupBy(memberships, ({ userId }) => userId);
  const places = members.map((each) => placeOf(id, each, further.get(each.id) ?? [], document ?? undefined));
  const roles = new Map(members.map((member, at) => [member.id, places[at]?.roles.map(({ name }) => name) ?? []]));
  const seen: Seen = { uses, rolesOf: (userId) => roles.get(userId) ?? [], collections: schema?.collections ?? [] };
  const judgedUntil = clock.now() - Math.min(days, judgedAfterDays) * dayMs;
  const inForce = changes.findIndex(({ createdAt }) => createdAt <= judgedUntil);
  const isLogLong = logSince !== undefined && logSince <= judgedUntil;
  const judged = isLogLong && inForce !== -1 ? changes.slice(0, inForce + 1) : [];
  const least = document && leastRights(document, seen, settledIn(judged.map((change) => change.document)));
  const unused = document && leastRights(document, seen, () => true);
  const { removed } = differenceInWords(document, least);
  const setAt = timesOf(changes.filter(({ createdAt }) => createdAt > judgedUntil));
  return {
    since: new Date(since).toISOString(),
    acts: uses.reduce((sum, { acts }) => sum + acts, 0),
    people: new Set(uses.map(({ userId }) => userId)).size,
    document: least,
    removed: [...removed],
    logSince: logSince === undefined ? null : new Date(logSince).toISOString(),
    unjudged: differenceInWords(document, unused)
      .removed.filter((sentence) => !removed.includes(sentence))
      .map((sentence) => ({ sentence, setAt: setAt(sentence) })),
  };
}

/** When a sentence came into the rights last; `null` where none of the changes brought it. */
function timesOf(
  changes: readonly Pick<RightsChange, 'document' | 'createdAt' | 'revision'>[],
): (sentence: string) => string | null {
  const times = new Map<string, number>();
  for (const [at, { document, createdAt }] of changes.entries()) {
    const before = changes[at + 1]?.document ?? null;
    for (const sentence of differenceInWords(before, document).added) {
      if (!times.has(sentence)) times.set(sentence, createdAt);
    }
  }
  return (sentence) => {
    const found = times.get(sentence);
    return found === undefined ? null : new Date(found).toISOString();
  };
}
