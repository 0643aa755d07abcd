import type { PermissionLevel } from '#contracts/identity';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { type AdminLog, type Author, changeLog, type LogChange, type PersonAsAuthor } from '../audit/admin-log.ts';
import { endElevationsOf } from '../elevations/elevation-repository.ts';
import { endAgentSessions } from '../events/end-agent-sessions.ts';
import { liveMemberships } from '../identity/memberships.ts';
import { endWhatLacksFactor, factorSetupMs, openFactorSetup } from '../rights/needs-second-factor.ts';
import { lockedOut, refuseNewLockout } from '../rights/refuse-lockout.ts';
import { endAccess, endImpersonations } from '../sessions/end-access.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { removeUnusedTeams, requireTeam } from '../teams/teams.ts';
import { replaceMemberships, tellAgents, type WantedMembership } from './change-memberships.ts';
import { logPerson } from './log-person.ts';
import { givenNames, type PersonRecord, recordChange } from './people-history.ts';

export interface GivenRole {
  readonly id: number;
  readonly name: string;
}

export interface PersonChange {
  readonly permissionLevel?: PermissionLevel | undefined;
  /** All that an administrator gives, the first one first; those of groups and elevations stay. */
  readonly roles?: readonly GivenRole[] | undefined;
  readonly teams?: readonly string[] | undefined;
  readonly isActive?: boolean | undefined;
  /** Take a change after which no administrator of some environment may browse. */
  readonly allowLockout?: boolean | undefined;
}

interface RoleRecord {
  readonly id: number;
  readonly name: string;
  /** Active members. */
  readonly people: number;
  readonly needsSecondFactor: boolean;
}

/** The members of projects, those who are deactivated included. */
export interface PeopleRepository {
  /** By id. */
  list(projectId: number): Promise<readonly PersonRecord[]>;
  find(projectId: number, userId: number): Promise<PersonRecord | undefined>;
  /**
   * Agents of the project learn about it, and it is written down who changed what. In the same transaction, deactivating ends the
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
    list: (projectId) => listPeople(store.db, projectId, clock),
    find: (projectId, userId) => findPerson(store.db, projectId, userId, clock),
    change: (projectId, userId, change, author) =>
      store.transaction(async (transaction) => {
        await transaction.lock(`people of project ${projectId}`);
        const by = { author, authorId: author.user.id };
        return changePerson(transaction, { clock, adminLog }, { projectId, userId }, change, by);
      }),
    listRoles: async (projectId) => {
      const [roles, everybody] = await Promise.all([
        store.db
          .selectFrom('roles')
          .select(['id', 'name', 'needsSecondFactor'])
          .where('projectId', '=', projectId)
          .orderBy('name')
          .execute(),
        listPeople(store.db, projectId, clock),
      ]);
      const active = everybody.filter(({ deactivatedAt }) => deactivatedAt === null);
      const has = ({ roleName, further }: PersonRecord, role: string) =>
        roleName === role || further.some(({ kind, name }) => kind === 'role' && name === role);
      return roles.map((role) => ({
        ...role,
        needsSecondFactor: role.needsSecondFactor === 1,
        people: active.filter((person) => has(person, role.name)).length,
      }));
    },
    isManagedElsewhere: (userId, administratorId) => isManagedElsewhere(store.db, userId, administratorId),
  };
}

async function isManagedElsewhere(db: Store['db'], userId: number, administratorId: number): Promise<boolean> {
  const found = await db
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
}

/** Who changes a person. The history of people names somebody also where a program has done it. */
interface ChangeAuthor {
  readonly author: Author;
  readonly authorId: number;
}

/** The same as a part of another change, which holds the lock `people of project <id>`. */
export async function changePerson(
  transaction: StoreTransaction,
  { clock, adminLog }: { readonly clock: Clock; readonly adminLog: AdminLog },
  { projectId, userId }: { readonly projectId: number; readonly userId: number },
  change: PersonChange,
  { author, authorId }: ChangeAuthor,
): Promise<PersonRecord | undefined> {
  const { db } = transaction;
  const log = changeLog(adminLog, transaction, projectId, author);
  const before = await findPerson(db, projectId, userId, clock);
  if (!before) return undefined;
  const after = changed(before, change, clock.now());
  const locked = change.allowLockout ? undefined : await lockedOut(db, projectId, clock.now());
  const losesAdministration = isAdministrator(before) && !isAdministrator(after);
  if (losesAdministration) await refuseLast(transaction, projectId, before);
  const { permissionLevel, roleId, team, deactivatedAt } = after;
  const isOtherTeam = team !== before.team;
  for (const name of change.teams ?? []) await requireTeam(db, projectId, name);
  await endWhatLacksFactor(transaction, { projectId, author, clock, adminLog }, async () => {
    await db
      .updateTable('members')
      .set({ permissionLevel, roleId, team, deactivatedAt, ...byHand(change) })
      .where((the) => the.and({ projectId, userId }))
      .execute();
    const given = givenBeside(before, change);
    if (given) await replaceMemberships(transaction, { projectId, user: before }, 'given', given, log);
  });
  if (locked) await refuseNewLockout(db, projectId, locked, clock.now());
  const person = await foundPerson(db, projectId, userId, clock);
  await recordChange(transaction, clock, { projectId, authorId, before, after: person });
  logPerson(log, before, person);
  if (after.deactivatedAt !== null) {
    await endAccess(transaction, { user: person, clock, adminLog, author }, projectId);
    await endElevationsOf(transaction, projectId, userId, clock.now(), log);
  } else if (isOtherTeam) await endAgentSessions(transaction, userId, clock, projectId);
  if (losesAdministration) await endImpersonations(transaction, userId, clock, projectId);
  if (change.teams) await removeUnusedTeams(db, projectId, log);
  await tellAgents(transaction, projectId);
  return person;
}

type NewMember = Pick<PersonRecord, 'permissionLevel' | 'roleId' | 'team'> & {
  readonly projectId: number;
  readonly userId: number;
  /** What they are given beside the role and the team. */
  readonly further: readonly Omit<WantedMembership, 'sourceName'>[];
};

/**
 * Make somebody a member, as a part of another change. Agents learn about it, and it is written down who did it.
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
  const { further, ...row } = member;
  const { projectId, userId } = row;
  await db.insertInto('members').values(row).execute();
  await openFactorSetup(db, [userId], clock.now() + factorSetupMs.demanded);
  const user = await people(db, projectId).where('users.id', '=', userId).executeTakeFirstOrThrow();
  const given = further.map((each) => ({ ...each, sourceName: null }));
  await replaceMemberships(transaction, { projectId, user }, 'given', given, log);
  const after = await foundPerson(db, projectId, userId, clock);
  await recordChange(transaction, clock, { projectId, authorId, before: undefined, after });
  logPerson(log, undefined, after);
  await tellAgents(transaction, projectId);
}

/** What an administrator gives beside the first role and the first team; `undefined` where that stays. */
function givenBeside(before: PersonRecord, { roles, teams }: PersonChange): readonly WantedMembership[] | undefined {
  if (!roles && !teams) return undefined;
  const wanted = (kind: 'role' | 'team', all: readonly string[]) =>
    all.slice(1).map((name) => ({ kind, name, sourceName: null }));
  const [ownRoles, ownTeams] = [givenNames(before, 'role'), givenNames(before, 'team')];
  return [...wanted('role', roles?.map(({ name }) => name) ?? ownRoles), ...wanted('team', teams ?? ownTeams)];
}

/** By id. */
async function listPeople(db: Store['db'], projectId: number, clock: Clock): Promise<readonly PersonRecord[]> {
  const [members, memberships] = await Promise.all([
    people(db, projectId).orderBy('users.id').execute(),
    liveMemberships(db, projectId, clock.now()),
  ]);
  const further = Map.groupBy(memberships, ({ userId }) => userId);
  return members.map((member) => ({ ...member, further: further.get(member.id) ?? [] }));
}

async function findPerson(
  db: Store['db'],
  projectId: number,
  userId: number,
  clock: Clock,
): Promise<PersonRecord | undefined> {
  const member = await people(db, projectId).where('users.id', '=', userId).executeTakeFirst();
  return member && { ...member, further: await liveMemberships(db, projectId, clock.now(), userId) };
}

async function foundPerson(...place: Parameters<typeof findPerson>): Promise<PersonRecord> {
  const found = await findPerson(...place);
  if (found) return found;
  throw cloudError('INTERNAL_BUG', 'A member is gone in the middle of a change.');
}

/** The query of members, active or not. */
export function people(db: Store['db'], projectId: number) {
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
  { permissionLevel, roles, teams, isActive }: PersonChange,
  now: number,
): PersonRecord {
  const deactivatedAt = isActive === undefined ? before.deactivatedAt : isActive ? null : (before.deactivatedAt ?? now);
  return {
    ...before,
    permissionLevel: permissionLevel ?? before.permissionLevel,
    roleId: roles?.[0]?.id ?? before.roleId,
    team: teams?.[0] ?? before.team,
    deactivatedAt,
  };
}

/** What an administrator gives by hand no longer follows groups. */
function byHand({ permissionLevel, roles, teams }: PersonChange) {
  return {
    ...(roles || teams ? { defaultRole: null, defaultTeam: null } : {}),
    ...(permissionLevel ? { levelWithoutGroup: null } : {}),
  };
}

function isAdministrator({ permissionLevel, deactivatedAt }: PersonRecord): boolean {
  return permissionLevel === 'admin' && deactivatedAt === null;
}

/** Whether somebody is an active administrator of a project, and nobody else is one. */
export async function isLastAdministrator(db: Store['db'], projectId: number, userId: number): Promise<boolean> {
  const administrators = await db
    .selectFrom('members')
    .select('userId')
    .where((the) => the.and({ projectId, permissionLevel: 'admin', deactivatedAt: null }))
    .limit(2)
    .execute();
  return administrators.length === 1 && administrators[0]?.userId === userId;
}

async function refuseLast({ db }: StoreTransaction, projectId: number, { id, email }: PersonRecord): Promise<void> {
  if (!(await isLastAdministrator(db, projectId, id))) return;
  throw cloudError(
    'REQUEST_CONFLICT',
    `${email} is the last active administrator of the project, so that nobody could manage it any more.`,
    'Make somebody else an administrator first.',
  );
}

export function noSuchMember(id: number): CloudError {
  return cloudError('REQUEST_NOT_FOUND', `The project has no member ${id}.`, 'List the members with GET /api/people.');
}
