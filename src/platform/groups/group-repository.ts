import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { type GroupList, groupNameSchema, type MapGroup, mapGroupSchema } from '#contracts/groups';
import { cloudError } from '#kernel/errors/cloud-error';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import { type AdminLog, changeLog, type PersonAsAuthor } from '../audit/admin-log.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { requireTeam } from '../teams/teams.ts';
import {
  applyGroups,
  type GroupParts,
  groupMembers,
  groupsOf,
  listMappings,
  type MappedGroup,
} from './apply-groups.ts';

type Db = StoreTransaction['db'];

/** What administrators say of groups. Each change counts at once for everybody whose groups are known. */
export interface GroupRepository {
  list(projectId: number): Promise<GroupList>;
  /** Rejects with `REQUEST_INVALID` for a role or a team that the project does not have. */
  map(projectId: number, group: string, given: MapGroup, author: PersonAsAuthor): Promise<void>;
  /** Rejects with `REQUEST_NOT_FOUND`. */
  unmap(projectId: number, group: string, author: PersonAsAuthor): Promise<void>;
  /** The provider of the company has named the groups of somebody who signs in. Resolves when all their projects know. */
  signedIn(userId: number, groups: readonly string[], address: string | undefined): Promise<void>;
}

export function createGroupRepository(store: Store, parts: GroupParts): GroupRepository {
  const { adminLog } = parts;
  const change = (projectId: number, author: PersonAsAuthor, work: (transaction: StoreTransaction) => Promise<void>) =>
    store.transaction(async (transaction) => {
      await transaction.lock(`people of project ${projectId}`);
      await work(transaction);
      const members = await transaction.db
        .selectFrom('members')
        .select('userId')
        .where('projectId', '=', projectId)
        .orderBy('userId')
        .execute();
      for (const { userId } of members) await applyGroups(transaction, parts, { projectId, userId, author }, 'refuse');
    });

  return {
    list: async (projectId) => {
      const mappings = await listMappings(store.db, projectId);
      const counts = await countPeople(store.db, projectId);
      const groups = mappings.map((mapping) => ({
        ...loggedMapping(mapping),
        people: counts.get(mapping.group) ?? 0,
      }));
      return { groups, keptAdministrators: await keptAdministrators(store.db, projectId) };
    },
    map: (projectId, group, given, author) =>
      change(projectId, author, (transaction) => mapGroup(transaction, adminLog, { projectId, group, author }, given)),
    unmap: (projectId, group, author) =>
      change(projectId, author, (transaction) => unmapGroup(transaction, adminLog, { projectId, group, author })),
    signedIn: async (userId, groups, address) => {
      const author = { initiator: 'identityProvider', address } as const;
      await store.transaction(async ({ db }) => {
        await db.deleteFrom('companyGroups').where('userId', '=', userId).execute();
        const rows = [...new Set(groups)].map((name) => ({ userId, name }));
        if (rows.length > 0) await db.insertInto('companyGroups').values(rows).execute();
      });
      const projects = await store.db
        .selectFrom('members')
        .select('projectId')
        .where((the) => the.and({ userId, deactivatedAt: null }))
        .orderBy('projectId')
        .execute();
      for (const { projectId } of projects) {
        await store.transaction(async (transaction) => {
          await transaction.lock(`people of project ${projectId}`);
          await applyGroups(transaction, parts, { projectId, userId, author }, 'keep');
        });
      }
    },
  };
}

interface NamedGroup {
  readonly projectId: number;
  readonly group: string;
  readonly author: PersonAsAuthor;
}

async function mapGroup(
  transaction: StoreTransaction,
  adminLog: AdminLog,
  { projectId, group, author }: NamedGroup,
  { roles, teams, makesAdministrator }: MapGroup,
): Promise<void> {
  const { db } = transaction;
  for (const role of roles) await requireRole(db, projectId, role);
  for (const team of teams) await requireTeam(db, projectId, team);
  const before = (await listMappings(db, projectId)).find((each) => each.group === group);
  const flags = { makesAdministrator: makesAdministrator ? 1 : 0 };
  const { id } = await db
    .insertInto('groupMappings')
    .values({ projectId, groupName: group, ...flags })
    .onConflict((same) => same.columns(['projectId', 'groupName']).doUpdateSet(flags))
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.deleteFrom('groupGrants').where('mappingId', '=', id).execute();
  const grants = [
    ...[...new Set(roles)].map((name) => ({ kind: 'role' as const, name })),
    ...[...new Set(teams)].map((name) => ({ kind: 'team' as const, name })),
  ];
  const rows = grants.map((grant, position) => ({ mappingId: id, position, ...grant }));
  if (rows.length > 0) await db.insertInto('groupGrants').values(rows).execute();
  const log = changeLog(adminLog, transaction, projectId, author);
  const newValue = loggedMapping({ group, makesAdministrator, grants });
  if (!before) log({ type: 'add', resource: 'group-mapping', newValue });
  else log({ type: 'update', resource: 'group-mapping', previousValue: loggedMapping(before), newValue });
}

async function unmapGroup(
  transaction: StoreTransaction,
  adminLog: AdminLog,
  { projectId, group, author }: NamedGroup,
): Promise<void> {
  const { db } = transaction;
  const before = (await listMappings(db, projectId)).find((each) => each.group === group);
  if (!before) throw noSuchMapping(group);
  await db.deleteFrom('groupGrants').where('mappingId', '=', before.id).execute();
  await db.deleteFrom('groupMappings').where('id', '=', before.id).execute();
  const log = changeLog(adminLog, transaction, projectId, author);
  log({ type: 'remove', resource: 'group-mapping', previousValue: loggedMapping(before) });
}

function loggedMapping({ group, makesAdministrator, grants }: Omit<MappedGroup, 'id'>) {
  const names = (kind: 'role' | 'team') => grants.filter((grant) => grant.kind === kind).map(({ name }) => name);
  return { group, makesAdministrator, roles: names('role'), teams: names('team') };
}

/** Who is an administrator by a group that they are no longer in. */
async function keptAdministrators(db: Db, projectId: number): Promise<string[]> {
  const lent = await groupMembers(db, projectId)
    .where('members.levelWithoutGroup', 'is not', null)
    .where('members.deactivatedAt', 'is', null)
    .orderBy('users.id')
    .execute();
  const mappings = (await listMappings(db, projectId)).filter(({ makesAdministrator }) => makesAdministrator);
  const kept: string[] = [];
  for (const { id, email } of lent) {
    const own = await groupsOf(db, projectId, id);
    if (!mappings.some(({ group }) => own.has(group))) kept.push(email);
  }
  return kept;
}

/** Active members by group. */
async function countPeople(db: Db, projectId: number): Promise<ReadonlyMap<string, number>> {
  const members = db
    .selectFrom('members')
    .select('userId')
    .where((the) => the.and({ projectId, deactivatedAt: null }));
  const company = await db
    .selectFrom('companyGroups')
    .select(['name', 'userId'])
    .where('userId', 'in', members)
    .execute();
  const provisioned = await db
    .selectFrom('scimGroups')
    .innerJoin('scimGroupMembers', 'scimGroupMembers.groupId', 'scimGroups.id')
    .select(['scimGroups.name', 'scimGroupMembers.userId'])
    .where('scimGroups.projectId', '=', projectId)
    .where('scimGroupMembers.userId', 'in', members)
    .execute();
  const groups = Map.groupBy([...company, ...provisioned], ({ name }) => name);
  return new Map([...groups].map(([name, rows]) => [name, new Set(rows.map(({ userId }) => userId)).size]));
}

/** Rejects with `REQUEST_INVALID` for a role that the project does not have. */
export async function requireRole(db: Db, projectId: number, name: string): Promise<void> {
  const roles = await db
    .selectFrom('roles')
    .select('name')
    .where('projectId', '=', projectId)
    .orderBy('name')
    .execute();
  if (roles.some((role) => role.name === name)) return;
  throw cloudError(
    'REQUEST_INVALID',
    `The project has no role "${name}".`,
    `Name one of: ${roles.map((role) => role.name).join(', ')}. Roles are made by the rights that name them.`,
  );
}

function noSuchMapping(group: string) {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `The project maps no group "${group}".`,
    'List what there is: vendor-cloud groups list',
  );
}

const groupPath = z.object({ name: groupNameSchema });

/** The routes of `#contracts/groups`, for who may manage people. */
export function registerGroupRoutes(server: FastifyInstance, guards: Guards, groups: GroupRepository): void {
  const onRequest = guards.user.check;
  server.get('/api/groups', { onRequest }, async (request): Promise<GroupList> => {
    const by = guards.user.of(request);
    authorise(by, 'manage people');
    return groups.list(by.environment.projectId);
  });
  server.put('/api/groups/:name', { onRequest }, async (request): Promise<GroupList> => {
    const by = guards.user.of(request);
    authorise(by, 'manage people');
    const { name } = parseInput(groupPath, request.params);
    await groups.map(by.environment.projectId, name, parseInput(mapGroupSchema, request.body), by.author);
    return groups.list(by.environment.projectId);
  });
  server.delete('/api/groups/:name', { onRequest }, async (request, reply) => {
    const by = guards.user.of(request);
    authorise(by, 'manage people');
    await groups.unmap(by.environment.projectId, parseInput(groupPath, request.params).name, by.author);
    return reply.code(204).send();
  });
}
