import type { Kysely } from 'kysely';
import type { PermissionLevel } from '#contracts/identity';
import type { MaybePromise } from '#kernel/async/maybe-promise';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

export interface EnvironmentRecord {
  readonly id: number;
  readonly projectId: number;
  readonly projectName: string;
  readonly name: string;
  readonly type: 'development' | 'production';
  readonly apiEndpoint: string | null;
  /** Where its agents answer, their prefix included. Empty: browsers come back to the agent that asks. */
  readonly agentAddresses: readonly string[];
}

/**
 * Where the platform reaches the agent of an environment, with its prefix; `undefined` where it does not. Whoever runs the platform says so:
 * an address that an administrator of a project could set would have the platform call any server of its network.
 */
export type ReachAgent = (environment: EnvironmentRecord) => MaybePromise<string | undefined>;

/**
 * The origins that pages may call for the agent of an environment, where whoever runs the platform knows them; `undefined` where only the agent
 * does, which sends them with its schema.
 */
export type WebhookOriginsOf = (environment: EnvironmentRecord) => readonly string[] | undefined;

/** Where people reach the agent of an environment, with its prefix: the first address that it was given. */
export function agentAddressOf({
  agentAddresses,
  apiEndpoint,
}: Pick<EnvironmentRecord, 'agentAddresses' | 'apiEndpoint'>): string | undefined {
  return agentAddresses[0] ?? (apiEndpoint === null ? undefined : new URL('service', `${apiEndpoint}/`).href);
}

interface ProjectRecord {
  readonly id: number;
  readonly name: string;
}

export interface UserRecord {
  readonly id: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
}

export interface MemberRecord extends UserRecord {
  readonly permissionLevel: PermissionLevel;
  readonly roleId: number;
  readonly roleName: string;
  readonly team: string;
}

export interface RenderingRecord {
  readonly id: number;
  readonly environmentId: number;
  readonly team: string;
}

/** Projects, their environments and the people who work on them. */
export interface IdentityRepository {
  findEnvironmentBySecret(secretHash: string): Promise<EnvironmentRecord | undefined>;
  findEnvironment(id: number): Promise<EnvironmentRecord | undefined>;
  /** By name. */
  listEnvironments(projectId: number): Promise<readonly EnvironmentRecord[]>;
  findUser(id: number): Promise<UserRecord | undefined>;
  /** Active ones only, as everywhere here. */
  findMember(projectId: number, userId: number): Promise<MemberRecord | undefined>;
  /** By id. */
  listMembers(projectId: number): Promise<readonly MemberRecord[]>;
  /** The projects that somebody is an active member of, by name. */
  listProjects(userId: number): Promise<readonly ProjectRecord[]>;
  findRendering(environmentId: number, renderingId: number): Promise<RenderingRecord | undefined>;
  findRenderingOfTeam(environmentId: number, team: string): Promise<RenderingRecord | undefined>;
  /** By id. */
  listRenderings(environmentId: number): Promise<readonly RenderingRecord[]>;
}

export function createIdentityRepository(store: Store): IdentityRepository {
  return {
    findEnvironmentBySecret: (secretHash) =>
      findOne(environmentRows(store.db).where('environments.secretHash', '=', secretHash)),
    findEnvironment: (id) => findOne(environmentRows(store.db).where('environments.id', '=', id)),
    findUser: (id) =>
      store.db
        .selectFrom('users')
        .select(['id', 'firstName', 'lastName', 'email'])
        .where('id', '=', id)
        .executeTakeFirst(),
    listEnvironments: async (projectId) => {
      const rows = await environmentRows(store.db)
        .where('environments.projectId', '=', projectId)
        .orderBy('environments.name')
        .orderBy('environments.id')
        .execute();
      return rows.map(environmentOf);
    },
    listProjects: (userId) =>
      store.db
        .selectFrom('members')
        .innerJoin('projects', 'projects.id', 'members.projectId')
        .select(['projects.id', 'projects.name'])
        .where((the) => the.and({ userId, deactivatedAt: null }))
        .orderBy('projects.name')
        .execute(),
    findMember: (projectId, userId) =>
      activeMembers(store.db, projectId).where('users.id', '=', userId).executeTakeFirst(),
    listMembers: (projectId) => activeMembers(store.db, projectId).orderBy('users.id').execute(),
    findRendering: (environmentId, renderingId) =>
      renderingRows(store.db)
        .where('environmentId', '=', environmentId)
        .where('id', '=', renderingId)
        .executeTakeFirst(),
    findRenderingOfTeam: (environmentId, team) =>
      renderingRows(store.db)
        .where((the) => the.and({ environmentId, team }))
        .executeTakeFirst(),
    listRenderings: (environmentId) =>
      renderingRows(store.db).where('environmentId', '=', environmentId).orderBy('id').execute(),
  };
}

/** The query of environments, for those who read them inside of a transaction. */
export function environmentRows(db: Kysely<Tables>) {
  return db
    .selectFrom('environments')
    .innerJoin('projects', 'projects.id', 'environments.projectId')
    .select([
      'environments.id',
      'environments.projectId',
      'projects.name as projectName',
      'environments.name',
      'environments.type',
      'environments.apiEndpoint',
      'environments.agentAddresses',
    ]);
}

type EnvironmentRow = Omit<EnvironmentRecord, 'agentAddresses'> & { readonly agentAddresses: string | null };

export function environmentOf({ agentAddresses, ...row }: EnvironmentRow): EnvironmentRecord {
  return { ...row, agentAddresses: JSON.parse(agentAddresses ?? '[]') as string[] };
}

async function findOne(query: ReturnType<typeof environmentRows>): Promise<EnvironmentRecord | undefined> {
  const row = await query.executeTakeFirst();
  return row && environmentOf(row);
}

function activeMembers(db: Kysely<Tables>, projectId: number) {
  return memberRows(db).where((the) => the.and({ 'members.projectId': projectId, 'members.deactivatedAt': null }));
}

/** The query of members, active or not. */
export function memberRows(db: Kysely<Tables>) {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .innerJoin('roles', 'roles.id', 'members.roleId')
    .select(['users.id', 'users.firstName', 'users.lastName', 'users.email'])
    .select(['members.permissionLevel', 'members.roleId', 'roles.name as roleName', 'members.team']);
}

export function renderingRows(db: Kysely<Tables>) {
  return db.selectFrom('renderings').select(['id', 'environmentId', 'team']);
}

/** Ids of the projects that somebody is or was a member of, in order. */
export async function projectsOfPerson(db: StoreTransaction['db'], userId: number): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('members')
    .select('projectId')
    .where('userId', '=', userId)
    .orderBy('projectId')
    .execute();
  return rows.map(({ projectId }) => projectId);
}
