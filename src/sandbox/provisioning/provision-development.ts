import { firstRole, firstTeam } from '#contracts/permission-file';
import { productionKeyRefused } from '#kernel/errors/production-key-refused';
import { sha256Hex } from '#node/system/digest';
import {
  type AdminLog,
  addTeams,
  announceEvent,
  authorOf,
  changeLog,
  type EnvironmentRecord,
  environmentOf,
  environmentRows,
  logNewEnvironment,
  logPerson,
  type MemberRecord,
  memberRows,
  type PlatformParts,
  type RenderingRecord,
  renderingRows,
  type Store,
  type StoreTransaction,
  servedVersion,
  type UserRecord,
} from '#platform/index';

export interface DevelopmentInput {
  readonly project: string;
  readonly envSecret: string;
  readonly user: { readonly name: string; readonly email: string };
}

export interface DevelopmentAccess {
  /** For `Authorization: Bearer`. Tokens of earlier sessions of the same user in the environment stop working. */
  readonly userToken: string;
  readonly userId: number;
  /** The view of the team the user works in: what the agent's session tokens carry as `renderingId`. */
  readonly renderingId: number;
  readonly team: string;
  readonly role: string;
}

const sessionPurpose = 'development session';
const sessionLifetimeMs = 30 * 24 * 60 * 60 * 1000;

/** Make sure that project, development environment and user exist, and sign the user in. */
export async function signInDeveloper(
  parts: PlatformParts,
  { project, envSecret, user }: DevelopmentInput,
): Promise<DevelopmentAccess> {
  const [firstName = '', ...rest] = user.name.trim().split(/\s+/);
  const { environment, member, rendering } = await provisionDevelopment(parts, {
    project,
    secretHash: sha256Hex(envSecret),
    user: { firstName, lastName: rest.join(' '), email: user.email },
  });
  // Whoever starts the platform on this machine has its store: a second factor would keep nobody out.
  const owner = { userId: member.id, environmentId: environment.id, hasSecondFactor: true };
  return {
    userToken: await parts.tokens.issue(owner, sessionPurpose, sessionLifetimeMs),
    userId: member.id,
    renderingId: rendering.id,
    team: rendering.team,
    role: member.roleName,
  };
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

/**
 * Make sure that the project, a development environment of that secret, and the user as its administrator exist.
 * The same input gives the same records. The environment tells which project it is: if the project has another name by now, it is
 * renamed, and if another project has that name, the environment moves there.
 * The agents of the environment learn about it. What is new is logged as the doing of the user.
 * Rejects with `PRODUCTION_KEY_REFUSED` for the secret of a production environment.
 */
export function provisionDevelopment(
  { store, clock, adminLog }: Pick<PlatformParts, 'store' | 'clock' | 'adminLog'>,
  input: ProvisionInput,
): Promise<Provisioned> {
  return store.transaction(async (transaction) => {
    const provisioned = await provision(transaction, adminLog, clock.now(), input);
    announceEvent(transaction, provisioned.environment.id, { name: 'refresh-users' });
    return provisioned;
  });
}

/** An update that changes nothing makes a row that is there come back like a new one. */
async function provision(
  transaction: StoreTransaction,
  adminLog: AdminLog,
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
  const log = changeLog(adminLog, transaction, projectId, authorOf(member, undefined));
  if (formerName !== undefined)
    log({ type: 'update', resource: 'project', previousValue: { name: formerName }, newValue: { name: project } });
  const type = before.project ? 'add' : 'initial';
  if (!before.role) log({ type, resource: 'role', newValue: { name: firstRole } });
  logPerson(log, before.member, { ...member, deactivatedAt }, type);
  await addTeams(db, projectId, [firstTeam, member.team], log, type);
  const rendering = await renderingRows(db)
    .where((the) => the.and({ environmentId, team: member.team }))
    .executeTakeFirstOrThrow();
  const environment = environmentOf(
    await environmentRows(db).where('environments.id', '=', environmentId).executeTakeFirstOrThrow(),
  );
  const { name } = environment;
  if (before.environment?.projectId !== projectId) logNewEnvironment(log, name, type);
  if (before.environment && before.environment.projectId !== projectId) {
    const previousValue = { name, codeCustomizationVersion: await servedVersion(db, environmentId) };
    const logThere = changeLog(adminLog, transaction, before.environment.projectId, authorOf(member, undefined));
    logThere({ type: 'remove', resource: 'environment', environment: name, previousValue });
  }
  return { environment, member, rendering };
}

/** Give the project of an environment another name, unless a project has it; resolves to the name before. */
async function renameProject(db: Store['db'], name: string, secretHash: string): Promise<string | undefined> {
  const known = await environmentRows(db).where('environments.secretHash', '=', secretHash).executeTakeFirst();
  if (!known || known.projectName === name) return undefined;
  const holder = await db.selectFrom('projects').select('id').where('name', '=', name).executeTakeFirst();
  if (holder) return undefined;
  await db.updateTable('projects').set({ name }).where('id', '=', known.projectId).execute();
  return known.projectName;
}

/** What there is before anything is made. */
async function findProvisioned(db: Store['db'], name: string, email: string, secretHash: string) {
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
function memberNamed(db: Store['db'], project: string, email: string) {
  return memberRows(db)
    .innerJoin('projects', 'projects.id', 'members.projectId')
    .select('members.deactivatedAt')
    .where((the) => the.and({ 'projects.name': project, 'users.email': email }));
}
