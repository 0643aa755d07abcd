import { firstRole, firstTeam } from '#contracts/permission-file';
import type { SetupInput } from '#contracts/setup';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { sha256Hex } from '#node/system/digest';
import { type AdminLog, auditUserOf, authorOf, changeLog, type LogChange } from '../audit/admin-log.ts';
import { logNewEnvironment } from '../environments/environment-repository.ts';
import type { UserRecord } from '../identity/identity-repository.ts';
import { savePassword } from '../passwords/password-repository.ts';
import { logPerson } from '../people/log-person.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { addTeams } from '../teams/teams.ts';

interface NewEnvironment {
  readonly name: string;
  readonly type: 'development' | 'production';
  readonly secretHash: string;
}

interface FirstProject {
  readonly name: string;
  readonly environments: readonly NewEnvironment[];
}

interface FirstAdministrator {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly passwordHash: string;
  /** Where the administrator comes from. */
  readonly address: string | undefined;
}

interface MadeAtSetup {
  readonly userId: number;
  readonly projectId: number;
  /** In the order of the input. */
  readonly environmentIds: readonly number[];
}

/** The links by which the first administrator of a platform comes in. */
export interface SetupRepository {
  /** Keep the link for as long as nobody is there. Resolves to whether nobody is. */
  keepLink(secretHash: string, expiresAt: number): Promise<boolean>;
  /** Rejects with `REQUEST_FORBIDDEN` for a link that was not made here, was used or has expired. */
  checkLink(secret: SetupInput['secret']): Promise<void>;
  /** Use the link up: make the project and its administrator. Rejects as `checkLink` does; then nothing is made. */
  setUp(secret: SetupInput['secret'], administrator: FirstAdministrator, project: FirstProject): Promise<MadeAtSetup>;
}

export function createSetupRepository(store: Store, clock: Clock, adminLog: AdminLog): SetupRepository {
  const check = async (db: StoreTransaction['db'], secret: string) => {
    const link = await db
      .selectFrom('setupLinks')
      .select('expiresAt')
      .where('secretHash', '=', sha256Hex(secret))
      .executeTakeFirst();
    if (!link)
      throw refused('was used already, or another platform made it', 'Sign in, or ask an administrator to invite you.');
    if (link.expiresAt <= clock.now()) throw refused('has expired', 'Restart the platform: it prints a new link.');
  };
  return {
    keepLink: (secretHash, expiresAt) =>
      store.transaction(async ({ db, lock }) => {
        await lock('setup');
        if (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) return false;
        await db.deleteFrom('setupLinks').where('expiresAt', '<=', clock.now()).execute();
        await db.insertInto('setupLinks').values({ secretHash, expiresAt }).execute();
        return true;
      }),
    checkLink: (secret) => check(store.db, secret),
    setUp: (secret, { passwordHash, address, ...person }, project) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        await lock('setup');
        await check(db, secret);
        await db.deleteFrom('setupLinks').execute();
        const createdAt = clock.now();
        const { id } = await db
          .insertInto('users')
          .values({ ...person, createdAt })
          .returning('id')
          .executeTakeFirstOrThrow();
        const user = { id, ...person };
        await savePassword(transaction, id, passwordHash, clock);
        const { id: projectId } = await db
          .insertInto('projects')
          .values({ name: project.name, createdAt })
          .returning('id')
          .executeTakeFirstOrThrow();
        const log = changeLog(adminLog, transaction, projectId, authorOf(user, address));
        log({ type: 'initial', resource: 'password', newValue: { user: auditUserOf(user) } });
        const environmentIds = await fillProject(db, { projectId, user, project, createdAt }, log);
        return { userId: id, projectId, environmentIds };
      }),
  };
}

interface NewProject {
  readonly projectId: number;
  readonly user: UserRecord;
  readonly project: FirstProject;
  readonly createdAt: number;
}

/** Resolves to the ids of the environments. */
async function fillProject(
  db: StoreTransaction['db'],
  { projectId, user, project, createdAt }: NewProject,
  log: LogChange,
): Promise<readonly number[]> {
  const roleName = firstRole;
  const { id: roleId } = await db
    .insertInto('roles')
    .values({ projectId, name: roleName })
    .returning('id')
    .executeTakeFirstOrThrow();
  const rights = { roleId, permissionLevel: 'admin', team: firstTeam } as const;
  await db
    .insertInto('members')
    .values({ projectId, userId: user.id, ...rights })
    .execute();
  log({ type: 'initial', resource: 'role', newValue: { name: roleName } });
  logPerson(log, undefined, { ...user, ...rights, roleName, deactivatedAt: null }, 'initial');
  const environmentIds: number[] = [];
  for (const environment of project.environments) {
    const { id: environmentId } = await db
      .insertInto('environments')
      .values({ projectId, ...environment, createdAt })
      .returning('id')
      .executeTakeFirstOrThrow();
    environmentIds.push(environmentId);
    logNewEnvironment(log, environment.name, 'initial');
  }
  await addTeams(db, projectId, [firstTeam], log, 'initial');
  return environmentIds;
}

function refused(why: string, nextStep: string): CloudError {
  return cloudError('REQUEST_FORBIDDEN', `The setup link ${why}.`, nextStep);
}
