import type { PermissionLevel } from '#contracts/identity';
import {
  addTeams,
  announceEvent,
  changeLog,
  type EnvironmentRecord,
  logPerson,
  type PlatformParts,
  replaceMemberships,
  type Store,
  thePlatform,
  type UserRecord,
} from '#platform/index';

export interface PersonInput {
  readonly environment: EnvironmentRecord;
  readonly person: Omit<UserRecord, 'id'>;
  readonly role: string;
  /** Name of the team that the person belongs to from now on. */
  readonly team: string;
  /** Roles and teams beside them, in place of those that the person has. */
  readonly furtherRoles?: readonly string[];
  readonly furtherTeams?: readonly string[];
  /** Default: that of the person now; `user` for somebody new. */
  readonly permissionLevel?: PermissionLevel;
}

export interface ProvisionedPerson {
  readonly userId: number;
  readonly renderingId: number;
}

/** Make sure that a person is a member of the project, with a role unless they have another one, and of the team. The agents learn about it. */
export function provisionPerson(
  { store, clock, adminLog }: Pick<PlatformParts, 'store' | 'clock' | 'adminLog'>,
  input: PersonInput,
): Promise<ProvisionedPerson> {
  const { environment, person, role, team, furtherRoles = [], furtherTeams = [], permissionLevel } = input;
  const { id: environmentId, projectId } = environment;
  return store.transaction(async (transaction) => {
    const { db } = transaction;
    const log = changeLog(adminLog, transaction, projectId, thePlatform);
    const before = await memberOf(db, projectId, person.email).executeTakeFirst();
    const known = await db.selectFrom('roles').select('name').where('projectId', '=', projectId).execute();
    const { id: userId } = await db
      .insertInto('users')
      .values({ ...person, createdAt: clock.now() })
      .onConflict((same) => same.column('email').doUpdateSet({ email: person.email }))
      .returning('id')
      .executeTakeFirstOrThrow();
    const rows = [role, ...furtherRoles].map((name) => ({ projectId, name }));
    await db
      .insertInto('roles')
      .values(rows)
      .onConflict((same) => same.doNothing())
      .execute();
    const { id: roleId } = await db
      .selectFrom('roles')
      .select('id')
      .where((the) => the.and({ projectId, name: role }))
      .executeTakeFirstOrThrow();
    await db
      .insertInto('members')
      .values({ projectId, userId, roleId, permissionLevel: permissionLevel ?? 'user', team })
      .onConflict((same) =>
        same.columns(['projectId', 'userId']).doUpdateSet({ team, ...(permissionLevel && { permissionLevel }) }),
      )
      .execute();
    const isNew = (name: string) => !known.some((each) => each.name === name);
    for (const { name } of rows) if (isNew(name)) log({ type: 'add', resource: 'role', newValue: { name } });
    logPerson(log, before, await memberOf(db, projectId, person.email).executeTakeFirstOrThrow());
    await addTeams(db, projectId, [team, ...furtherTeams], log);
    const further = [
      ...furtherRoles.map((name) => ({ kind: 'role' as const, name, sourceName: null })),
      ...furtherTeams.map((name) => ({ kind: 'team' as const, name, sourceName: null })),
    ];
    await replaceMemberships(transaction, { projectId, user: { id: userId, ...person } }, 'given', further, log);
    const { id: renderingId } = await db
      .selectFrom('renderings')
      .select('id')
      .where((the) => the.and({ environmentId, team }))
      .executeTakeFirstOrThrow();
    announceEvent(transaction, environmentId, { name: 'refresh-users' });
    return { userId, renderingId };
  });
}

function memberOf(db: Store['db'], projectId: number, email: string) {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .innerJoin('roles', 'roles.id', 'members.roleId')
    .select(['users.id', 'users.firstName', 'users.lastName', 'users.email', 'members.permissionLevel'])
    .select(['roles.name as roleName', 'members.team', 'members.deactivatedAt'])
    .where((the) => the.and({ 'members.projectId': projectId, 'users.email': email }));
}
