import type { Kysely } from 'kysely';
import type { PermissionLevel } from '#contracts/identity';
import { firstRole, firstTeam } from '#contracts/permission-file';
import { productionKeyRefused } from '#kernel/errors/production-key-refused';
import type { Clock } from '#kernel/ports/clock';
import { authorOf, changeLog, type RecordChange } from '../audit/admin-log.ts';
import { logNewEnvironment, servedVersion } from '../environments/log-environment.ts';
import { announceEvent } from '../events/announce-event.ts';
import { logPerson } from '../people/log-person.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { addTeams } from '../teams/teams.ts';

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

export interface ProjectRecord {
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

export interface ProvisionInput {
  readonly project: string;
  readonly secretHash: string;
  readonly user: Omit<UserRecord, 'id'>;
}

export interface Provisioned {
  readonly environment: EnvironmentRecord;
  readonly member: MemberRecord;
  readonly rendering: RenderingRecord;
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
  /**
   * Make sure that the project, a development environment of that secret, and the user as its administrator exist.
   * The same input gives the same records. The environment tells which project it is: where the project has another name by now, it is renamed,
   * and where another project has that name, the environment moves there.
   * The agents of the environment are told. What is new is logged as the doing of the user.
   * Rejects with `PRODUCTION_KEY_REFUSED` for the secret of a production environment.
   */
  provisionDevelopment(input: ProvisionInput): Promise<Provisioned>;
}

export function createIdentityRepository(store: Store, clock: Clock, record: RecordChange): IdentityRepository {
  return {
    findEnvironmentBySecret: (secretHash) =>
      findOne(environments(store.db).where('environments.secretHash', '=', secretHash)),
    findEnvironment: (id) => findOne(environments(store.db).where('environments.id', '=', id)),
    findUser: (id) =>
      store.db
        .selectFrom('users')
        .select(['id', 'firstName', 'lastName', 'email'])
        .where('id', '=', id)
        .executeTakeFirst(),
    listEnvironments: async (projectId) => {
      const rows = await environments(store.db)
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
      renderings(store.db).where('environmentId', '=', environmentId).where('id', '=', renderingId).executeTakeFirst(),
    findRenderingOfTeam: (environmentId, team) =>
      renderings(store.db)
        .where((the) => the.and({ environmentId, team }))
        .executeTakeFirst(),
    listRenderings: (environmentId) =>
      renderings(store.db).where('environmentId', '=', environmentId).orderBy('id').execute(),
    provisionDevelopment: (input) =>
      store.transaction(async (transaction) => {
        const provisioned = await provision(transaction, record, clock.now(), input);
        announceEvent(transaction, provisioned.environment.id, { name: 'refresh-users' });
        return provisioned;
      }),
  };
}

function environments(db: Kysely<Tables>) {
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

function environmentOf({ agentAddresses, ...row }: EnvironmentRow): EnvironmentRecord {
  return { ...row, agentAddresses: JSON.parse(agentAddresses ?? '[]') as string[] };
}

async function findOne(query: ReturnType<typeof environments>): Promise<EnvironmentRecord | undefined> {
  const row = await query.executeTakeFirst();
  return row && environmentOf(row);
}

function activeMembers(db: Kysely<Tables>, projectId: number) {
  return members(db).where((the) => the.and({ 'members.projectId': projectId, 'members.deactivatedAt': null }));
}

function members(db: Kysely<Tables>) {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .innerJoin('roles', 'roles.id', 'members.roleId')
    .select(['users.id', 'users.firstName', 'users.lastName', 'users.email'])
    .select(['members.permissionLevel', 'members.roleId', 'roles.name as roleName', 'members.team']);
}

function renderings(db: Kysely<Tables>) {
  return db.selectFrom('renderings').select(['id', 'environmentId', 'team']);
}

/** An update that changes nothing makes a row that is there come back like a new one. */
async function provision(
  transaction: StoreTransaction,
  record: RecordChange,
  createdAt: number,
  { project, secretHash, user }: ProvisionInput,
): Promise<Provisioned> {
  const { db, lock } = transaction;
  const { firstName, lastName, email } = user;
  await lock(`project named ${project}`);
  const formerName = await renameProject(db, project, secretHash);
  const before = await findProvisioned(db, project, email, secretHash);
  if (before.environment?.type === 'production') {
    throw productionKeyRefused(before.environment.name, 'the local platform');
  }
  const { id: projectId } = await db
    .insertInto('projects')
    .values({ name: project, createdAt })
    .onConflict((same) => same.column('name').doUpdateSet({ name: project }))
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id: userId } = await db
    .insertInto('users')
    .values({ firstName, lastName, email, createdAt })
    .onConflict((same) => same.column('email').doUpdateSet({ firstName, lastName }))
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id: roleId } = await db
    .insertInto('roles')
    .values({ projectId, name: firstRole })
    .onConflict((same) => same.columns(['projectId', 'name']).doUpdateSet({ name: firstRole }))
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('members')
    .values({ projectId, userId, roleId, permissionLevel: 'admin' })
    .onConflict((same) => same.doNothing())
    .execute();
  const { id: environmentId } = await db
    .insertInto('environments')
    .values({ projectId, name: 'development', type: 'development', secretHash, createdAt })
    .onConflict((same) => same.column('secretHash').doUpdateSet({ projectId }))
    .returning('id')
    .executeTakeFirstOrThrow();
  const { deactivatedAt, ...member } = await memberNamed(db, project, email).executeTakeFirstOrThrow();
  const log = changeLog(record, transaction, projectId, authorOf(member, undefined));
  if (formerName !== undefined)
    log({ type: 'update', resource: 'project', previousValue: { name: formerName }, newValue: { name: project } });
  const type = before.project ? 'add' : 'initial';
  if (!before.role) log({ type, resource: 'role', newValue: { name: firstRole } });
  logPerson(log, before.member, { ...member, deactivatedAt }, type);
  await addTeams(db, projectId, [firstTeam, member.team], log, type);
  const rendering = await renderings(db)
    .where((the) => the.and({ environmentId, team: member.team }))
    .executeTakeFirstOrThrow();
  const environment = environmentOf(
    await environments(db).where('environments.id', '=', environmentId).executeTakeFirstOrThrow(),
  );
  const { name } = environment;
  if (before.environment?.projectId !== projectId) logNewEnvironment(log, name, type);
  if (before.environment && before.environment.projectId !== projectId) {
    const previousValue = { name, codeCustomizationVersion: await servedVersion(db, environmentId) };
    const logThere = changeLog(record, transaction, before.environment.projectId, authorOf(member, undefined));
    logThere({ type: 'remove', resource: 'environment', environment: name, previousValue });
  }
  return { environment, member, rendering };
}

/** Give the project of an environment another name, unless a project has it; resolves to the name before. */
async function renameProject(db: Kysely<Tables>, name: string, secretHash: string): Promise<string | undefined> {
  const known = await findOne(environments(db).where('environments.secretHash', '=', secretHash));
  if (!known || known.projectName === name) return undefined;
  const holder = await db.selectFrom('projects').select('id').where('name', '=', name).executeTakeFirst();
  if (holder) return undefined;
  await db.updateTable('projects').set({ name }).where('id', '=', known.projectId).execute();
  return known.projectName;
}

/** What there is before anything is made. */
async function findProvisioned(db: Kysely<Tables>, name: string, email: string, secretHash: string) {
  const project = await db.selectFrom('projects').select('id').where('name', '=', name).executeTakeFirst();
  return {
    project,
    role:
      project &&
      (await db
        .selectFrom('roles')
        .select('id')
        .where((the) => the.and({ projectId: project.id, name: firstRole }))
        .executeTakeFirst()),
    member: await memberNamed(db, name, email).executeTakeFirst(),
    environment: await db
      .selectFrom('environments')
      .select(['projectId', 'name', 'type'])
      .where('secretHash', '=', secretHash)
      .executeTakeFirst(),
  };
}

/** A member of the project of that name, active or not. */
function memberNamed(db: Kysely<Tables>, project: string, email: string) {
  return members(db)
    .innerJoin('projects', 'projects.id', 'members.projectId')
    .select('members.deactivatedAt')
    .where((the) => the.and({ 'projects.name': project, 'users.email': email }));
}
