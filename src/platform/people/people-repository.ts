import type { PermissionLevel } from '#contracts/identity';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { type AdminLog, changeLog, type LogChange, type PersonAsAuthor } from '../audit/admin-log.ts';
import { announceEvent } from '../events/announce-event.ts';
import { endAgentSessions } from '../events/end-agent-sessions.ts';
import { lockedOut, refuseNewLockout } from '../rights/refuse-lockout.ts';
import { endAccess } from '../sessions/end-access.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { removeUnusedTeams, requireTeam } from '../teams/teams.ts';
import { logPerson } from './log-person.ts';
import { type PersonRecord, recordChange } from './people-history.ts';

export interface PersonChange {
  readonly permissionLevel?: PermissionLevel | undefined;
  readonly roleId?: number | undefined;
  readonly team?: string | undefined;
  readonly isActive?: boolean | undefined;
  /** Take a change after which no administrator of some environment may browse. */
  readonly allowLockout?: boolean | undefined;
}

interface RoleRecord {
  readonly id: number;
  readonly name: string;
  /** Active members. */
  readonly people: number;
}

/** The members of projects, those who are deactivated included. */
export interface PeopleRepository {
  /** By id. */
  list(projectId: number): Promise<readonly PersonRecord[]>;
  find(projectId: number, userId: number): Promise<PersonRecord | undefined>;
  /**
   * Agents of the project hear of it, and it is written down who changed what. In the same transaction, deactivating ends the
   * person's sessions and tokens, and another team ends what they are signed in with at agents. Resolves to `undefined` for
   * nobody of the project.
   *
   * @throws `REQUEST_CONFLICT` if the project would have no active administrator left. `ADMINISTRATORS_LOCKED_OUT` if no
   * administrator of some environment could browse any more. `REQUEST_INVALID` for a team that the project does not have.
   */
  change(
    projectId: number,
    userId: number,
    change: PersonChange,
    author: PersonAsAuthor,
  ): Promise<PersonRecord | undefined>;
  /** By name, with the number of their active members. */
  listRoles(projectId: number): Promise<readonly RoleRecord[]>;
  /** Whether somebody is an active member of a project that another person does not administer. */
  isManagedElsewhere(userId: number, administratorId: number): Promise<boolean>;
}

export function createPeopleRepository(store: Store, clock: Clock, adminLog: AdminLog): PeopleRepository {
  return {
    list: (projectId) => people(store.db, projectId).orderBy('users.id').execute(),
    find: (projectId, userId) => people(store.db, projectId).where('users.id', '=', userId).executeTakeFirst(),
    change: (projectId, userId, change, author) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        const log = changeLog(adminLog, transaction, projectId, author);
        await lock(`people of project ${projectId}`);
        const before = await people(db, projectId).where('users.id', '=', userId).executeTakeFirst();
        if (!before) return undefined;
        const after = changed(before, change, clock.now());
        const locked = change.allowLockout ? undefined : await lockedOut(db, projectId);
        if (isAdministrator(before) && !isAdministrator(after)) await refuseLast(transaction, projectId, before);
        const { permissionLevel, roleId, team, deactivatedAt } = after;
        const isOtherTeam = team !== before.team;
        if (isOtherTeam) await requireTeam(db, projectId, team);
        await db
          .updateTable('members')
          .set({ permissionLevel, roleId, team, deactivatedAt })
          .where((the) => the.and({ projectId, userId }))
          .execute();
        if (locked) await refuseNewLockout(db, projectId, locked);
        const person = await people(db, projectId).where('users.id', '=', userId).executeTakeFirstOrThrow();
        await recordChange(transaction, clock, { projectId, authorId: author.user.id, before, after: person });
        logPerson(log, before, person);
        if (after.deactivatedAt !== null)
          await endAccess(transaction, { user: person, clock, adminLog, author }, projectId);
        else if (isOtherTeam) await endAgentSessions(transaction, userId, clock, projectId);
        if (isOtherTeam) await removeUnusedTeams(db, projectId, log);
        await tellAgents(transaction, projectId);
        return person;
      }),
    listRoles: (projectId) =>
      store.db
        .selectFrom('roles')
        .leftJoin('members', (join) =>
          join.onRef('members.roleId', '=', 'roles.id').on('members.deactivatedAt', 'is', null),
        )
        .select(({ fn }) => ['roles.id', 'roles.name', fn.count<number>('members.userId').as('people')])
        .where('roles.projectId', '=', projectId)
        .groupBy(['roles.id', 'roles.name'])
        .orderBy('roles.name')
        .execute(),
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

type NewMember = Pick<PersonRecord, 'permissionLevel' | 'roleId' | 'team'> & {
  readonly projectId: number;
  readonly userId: number;
};

/**
 * Make somebody a member, as a part of another change. Agents hear of it, and it is written down who did it.
 *
 * @param authorId who invited the person.
 */
export async function addMember(
  transaction: StoreTransaction,
  clock: Clock,
  member: NewMember,
  authorId: number,
  log: LogChange,
): Promise<void> {
  const { db } = transaction;
  const { projectId, userId } = member;
  await db.insertInto('members').values(member).execute();
  const after = await people(db, projectId).where('users.id', '=', userId).executeTakeFirstOrThrow();
  await recordChange(transaction, clock, { projectId, authorId, before: undefined, after });
  logPerson(log, undefined, after);
  await tellAgents(transaction, projectId);
}

/** Tell the agents of all environments of a project that its people are others now. */
async function tellAgents(transaction: StoreTransaction, projectId: number): Promise<void> {
  const environments = await transaction.db
    .selectFrom('environments')
    .select('id')
    .where('projectId', '=', projectId)
    .orderBy('id')
    .execute();
  for (const { id } of environments) announceEvent(transaction, id, { name: 'refresh-users' });
}

function people(db: Store['db'], projectId: number) {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .innerJoin('roles', 'roles.id', 'members.roleId')
    .select(['users.id', 'users.firstName', 'users.lastName', 'users.email'])
    .select(['members.permissionLevel', 'members.roleId', 'roles.name as roleName'])
    .select(['members.team', 'members.deactivatedAt'])
    .where('members.projectId', '=', projectId);
}

function changed(
  before: PersonRecord,
  { permissionLevel, roleId, team, isActive }: PersonChange,
  now: number,
): PersonRecord {
  const deactivatedAt = isActive === undefined ? before.deactivatedAt : isActive ? null : (before.deactivatedAt ?? now);
  return {
    ...before,
    permissionLevel: permissionLevel ?? before.permissionLevel,
    roleId: roleId ?? before.roleId,
    team: team ?? before.team,
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
  throw cloudError(
    'REQUEST_CONFLICT',
    `${email} is the last active administrator of the project, so that nobody could manage it any more.`,
    'Make somebody else an administrator first.',
  );
}

export function noSuchMember(id: number): CloudError {
  return cloudError('REQUEST_NOT_FOUND', `The project has no member ${id}.`, 'List the members with GET /api/people.');
}
