import type { FastifyInstance } from 'fastify';
import { fieldRightOf } from '#contracts/field-rights';
import type { PermissionFile, RoleCollection } from '#contracts/permission-file';
import { type RefusedByRights, refusalsQuery } from '#contracts/rights';
import type { Clock } from '#kernel/ports/clock';
import { fullNameOf } from '#kernel/text/full-name';
import { authorise } from '../access/authorise.ts';
import { type Guards, readingRoute } from '../access/guards.ts';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';
import { entryOf, isGiven } from './derive-permissions.ts';
import { placeOf } from './place-of-person.ts';
import type { RightsRepository } from './rights-repository.ts';
import { maxRightsBytes } from './rights-service.ts';
import { rightNeededFor, type Use, usesSince } from './uses-in-log.ts';

interface Standing {
  readonly roles: readonly string[];
  readonly teams: readonly string[];
}

/**
 * Why a document would have refused what somebody did; `undefined` where it would not. What an action allows for some records counts as
 * allowed: the log has no values.
 */
function refusalOf(document: PermissionFile, use: Use, { roles, teams }: Standing): string | undefined {
  const { collection } = use;
  if (document.teams && !teams.some((team) => Object.hasOwn(document.teams ?? {}, team))) return 'no team sees it';
  const held = roles.flatMap((role) => {
    const own = Object.hasOwn(document.roles, role) ? document.roles[role]?.collections : undefined;
    const rights = own && entryOf(own, collection);
    return rights ? [rights] : [];
  });
  return refusalByRoles(held, use) ?? refusalByClient(document.clients, use);
}

function refusalByRoles(roles: readonly RoleCollection[], { action, label, collection, fields }: Use) {
  if (action === 'action') {
    const isHeld = roles.some(({ actions = {} }) => isGiven(entryOf(actions, label ?? '')?.trigger));
    return isHeld ? undefined : `may not trigger "${label}" of "${collection}"`;
  }
  const right = rightNeededFor[action];
  const giving = right === undefined ? roles : roles.filter((role) => role[right] === true);
  if (giving.length === 0) return `may not ${right ?? 'use'} "${collection}"`;
  const closed = fields.filter((field) => !giving.some((role) => mayWrite(role.fields, field)));
  return closed.length === 0 ? undefined : `may not write ${closed.map(quoted).join(', ')} of "${collection}"`;
}

/** What programs may do. Without `clients`, what their people may. */
function refusalByClient(clients: PermissionFile['clients'], { client, action, label, collection, fields }: Use) {
  if (!clients || client === null) return undefined;
  const rights = entryOf(clients, client);
  if (!rights) return 'the program may do nothing';
  if (!rights.collections) return undefined;
  const own = entryOf(rights.collections, collection);
  const right = rightNeededFor[action];
  const isAllowed =
    action === 'action'
      ? entryOf(own?.actions ?? {}, label ?? '') === true
      : right === undefined || own?.[right] === true;
  if (!isAllowed) return `the program may not ${action === 'action' ? 'trigger it' : right} in "${collection}"`;
  const closed = fields.filter((field) => !mayWrite(own?.fields, field));
  return closed.length === 0 ? undefined : `the program may not write ${closed.map(quoted).join(', ')}`;
}

function mayWrite(fields: RoleCollection['fields'] = {}, field: string): boolean {
  return fieldRightOf(entryOf(fields, field) ?? true).write;
}

const quoted = (name: string) => `"${name}"`;

export interface RefusalParts {
  readonly rights: Pick<RightsRepository, 'listMemberships'>;
  readonly identity: Pick<IdentityRepository, 'listMembers'>;
  readonly store: Store;
  readonly clock: Clock;
}

const dayMs = 24 * 3600 * 1000;
/** The newest come first. */
const mostListed = 500;

/** `POST /api/rights/refusals` of `#contracts/rights`, for who may read rights and logs. Nothing changes. */
export function registerRefusalRoute(server: FastifyInstance, guards: Guards, parts: RefusalParts): void {
  const options = { onRequest: guards.user.check, bodyLimit: maxRightsBytes, config: readingRoute };
  server.post('/api/rights/refusals', options, async (request): Promise<RefusedByRights> => {
    const by = guards.user.of(request);
    authorise(by, 'read rights');
    authorise(by, 'read logs');
    const { document, days } = parseInput(refusalsQuery, request.body);
    return refusedSince(parts, by.environment, document, parts.clock.now() - days * dayMs);
  });
}

/** What people of an environment did since then that a document would have refused, the newest first. */
export async function refusedSince(
  { rights, identity, store }: RefusalParts,
  { id, projectId }: Pick<EnvironmentRecord, 'id' | 'projectId'>,
  document: PermissionFile,
  since: number,
): Promise<RefusedByRights> {
  const [uses, members, memberships] = await Promise.all([
    usesSince(store, id, since),
    identity.listMembers(projectId),
    rights.listMemberships(projectId),
  ]);
  const further = Map.groupBy(memberships, ({ userId }) => userId);
  const people = new Map(members.map((member) => [member.id, member]));
  const refused = uses.flatMap((use) => {
    const person = people.get(use.userId);
    if (!person) return [];
    const place = placeOf(id, person, further.get(person.id) ?? [], document);
    const names = { roles: place.roles.map(({ name }) => name), teams: place.teams.map(({ name }) => name) };
    const because = refusalOf(document, use, names);
    return because === undefined ? [] : [{ use, person, because }];
  });
  const found = refused.toSorted((one, other) => other.use.lastAt - one.use.lastAt);
  return {
    since: new Date(since).toISOString(),
    acts: uses.reduce((sum, { acts }) => sum + acts, 0),
    refusals: found.slice(0, mostListed).map(({ use, person, because }) => ({
      person: { id: person.id, name: fullNameOf(person), email: person.email },
      client: use.client,
      action: use.action,
      label: use.label,
      collection: use.collection,
      acts: use.acts,
      lastAt: new Date(use.lastAt).toISOString(),
      because,
    })),
    more: Math.max(0, found.length - mostListed),
  };
}
