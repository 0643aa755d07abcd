import type { PermissionLevel } from '#contracts/identity';
import { CloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { announceEvent } from '../events/announce-event.ts';
import type { MemberRecord } from '../identity/identity-repository.ts';
import { endAccess } from '../sessions/end-access.ts';
import type { Store, StoreTransaction } from '../store/store.ts';

/** A member, active or not. */
export interface PersonRecord extends MemberRecord {
  readonly deactivatedAt: number | null;
}

export interface PersonChange {
  readonly permissionLevel?: PermissionLevel | undefined;
  readonly roleId?: number | undefined;
  readonly isActive?: boolean | undefined;
}

/** The members of projects, those who are deactivated included. */
export interface PeopleRepository {
  /** By id. */
  list(projectId: number): Promise<readonly PersonRecord[]>;
  find(projectId: number, userId: number): Promise<PersonRecord | undefined>;
  /**
   * Agents of the project are told; deactivating ends the person's sessions and tokens in the same transaction. Resolves to
   * `undefined` for nobody of the project.
   *
   * @throws `REQUEST_CONFLICT` where the project would have no active administrator left.
   */
  change(projectId: number, userId: number, change: PersonChange): Promise<PersonRecord | undefined>;
  listRoles(projectId: number): Promise<readonly { readonly id: number; readonly name: string }[]>;
  /** Names of the teams that the environments of the project have. */
  listTeams(projectId: number): Promise<readonly string[]>;
  /** Whether somebody is an active member of a project that another person does not administer. */
  isManagedElsewhere(userId: number, administratorId: number): Promise<boolean>;
}

export function createPeopleRepository(store: Store, clock: Clock): PeopleRepository {
  return {
    list: (projectId) => people(store.db, projectId).orderBy('users.id').execute(),
    find: (projectId, userId) => people(store.db, projectId).where('users.id', '=', userId).executeTakeFirst(),
    change: (projectId, userId, change) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        await lock(`people of project ${projectId}`);
        const before = await people(db, projectId).where('users.id', '=', userId).executeTakeFirst();
        if (!before) return undefined;
        const after = changed(before, change, clock.now());
        if (isAdministrator(before) && !isAdministrator(after)) await refuseLast(transaction, projectId, before);
        const { permissionLevel, roleId, deactivatedAt } = after;
        await db
          .updateTable('members')
          .set({ permissionLevel, roleId, deactivatedAt })
          .where((the) => the.and({ projectId, userId }))
          .execute();
        if (after.deactivatedAt !== null) await endAccess(transaction, userId, clock, projectId);
        await tellAgents(transaction, projectId);
        return people(db, projectId).where('users.id', '=', userId).executeTakeFirstOrThrow();
      }),
    listRoles: (projectId) =>
      store.db.selectFrom('roles').select(['id', 'name']).where('projectId', '=', projectId).orderBy('name').execute(),
    listTeams: async (projectId) => {
      const rows = await store.db
        .selectFrom('renderings')
        .innerJoin('environments', 'environments.id', 'renderings.environmentId')
        .select('renderings.team')
        .distinct()
        .where('environments.projectId', '=', projectId)
        .orderBy('renderings.team')
        .execute();
      return rows.map(({ team }) => team);
    },
    isManagedElsewhere: async (userId, administratorId) => {
      const found = await store.db
        .selectFrom('members')
        .select('projectId')
        .where((the) => the.and({ userId, deactivatedAt: null }))
        .where('projectId', 'not in', (own) =>
          own
            .selectFrom('members')
            .select('projectId')
            .where((the) => the.and({ userId: administratorId, permissionLevel: 'admin', deactivatedAt: null })),
        )
        .executeTakeFirst();
      return found !== undefined;
    },
  };
}

/** Tell the agents of all environments of a project that its people are others now. */
export async function tellAgents(transaction: StoreTransaction, projectId: number): Promise<void> {
  const environments = await transaction.db
    .selectFrom('environments')
    .select('id')
    .where('projectId', '=', projectId)
    .execute();
  for (const { id } of environments) announceEvent(transaction, id, { name: 'refresh-users' });
}

function people(db: Store['db'], projectId: number) {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .innerJoin('roles', 'roles.id', 'members.roleId')
    .select(['users.id', 'users.firstName', 'users.lastName', 'users.email'])
    .select(['members.permissionLevel', 'members.roleId', 'roles.name as roleName', 'members.deactivatedAt'])
    .where('members.projectId', '=', projectId);
}

function changed(before: PersonRecord, { permissionLevel, roleId, isActive }: PersonChange, now: number): PersonRecord {
  const deactivatedAt = isActive === undefined ? before.deactivatedAt : isActive ? null : (before.deactivatedAt ?? now);
  return {
    ...before,
    permissionLevel: permissionLevel ?? before.permissionLevel,
    roleId: roleId ?? before.roleId,
    deactivatedAt,
  };
}

function isAdministrator({ permissionLevel, deactivatedAt }: PersonRecord): boolean {
  return permissionLevel === 'admin' && deactivatedAt === null;
}

async function refuseLast({ db }: StoreTransaction, projectId: number, { id, email }: PersonRecord): Promise<void> {
  const other = await db
    .selectFrom('members')
    .select('userId')
    .where((the) => the.and({ projectId, permissionLevel: 'admin', deactivatedAt: null }))
    .where('userId', '!=', id)
    .executeTakeFirst();
  if (other) return;
  throw new CloudError({
    code: 'REQUEST_CONFLICT',
    message: `${email} is the last active administrator of the project, so that nobody could manage it any more.`,
    nextSteps: ['Make somebody else an administrator first.'],
  });
}

export function noSuchMember(id: number): CloudError {
  return new CloudError({
    code: 'REQUEST_NOT_FOUND',
    message: `The project has no member ${id}.`,
    nextSteps: ['List the members with GET /api/people.'],
  });
}
