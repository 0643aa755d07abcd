import type { PermissionFile } from '#contracts/permission-file';
import { administratorsLockedOut, type CheckedRights, type RenamedRole } from '#contracts/rights';
import { liveMemberships } from '../identity/memberships.ts';
import type { StoreTransaction } from '../store/store.ts';
import { newestRights } from '../teams/named-in-rights.ts';
import { placeOf } from './place-of-person.ts';

type Db = StoreTransaction['db'];

/** An active member of the project, and what they would have in the environment for as long as nobody takes it away. */
interface Holder {
  readonly roles: readonly string[];
  readonly teams: readonly string[];
  readonly isAdministrator: boolean;
}

/** The people who have no rights at all under a document; nobody where there is no document, because the type of the environment decides then. */
export async function leftOutBy(
  db: Db,
  projectId: number,
  document: PermissionFile | null,
  now: number,
  renamedRoles: readonly RenamedRole[] = [],
): Promise<CheckedRights> {
  if (!document) return { roles: [], teams: [], isLockout: false };
  const { roles, teams } = document;
  const nameNow = (name: string) => renamedRoles.find(({ from }) => from === name)?.to ?? name;
  const holders = (await holdersUnder(db, projectId, document, now)).map((holder) => ({
    ...holder,
    roles: holder.roles.map(nameNow),
  }));
  const administrators = holders.filter(({ isAdministrator }) => isAdministrator);
  return {
    roles: counted(holders.map((holder) => holder.roles).filter((own) => !isNamed(own, roles))),
    teams: teams ? counted(holders.map((holder) => holder.teams).filter((own) => !isNamed(own, teams))) : [],
    isLockout: !administrators.some((holder) => mayBrowse(document, holder)),
  };
}

/** Rejects with `ADMINISTRATORS_LOCKED_OUT` where a document leaves no administrator who may browse. */
export async function refuseLockout(
  db: Db,
  { projectId, name }: { readonly projectId: number; readonly name: string },
  document: PermissionFile | null,
  now: number,
): Promise<void> {
  if (!document) return;
  const checked = await leftOutBy(db, projectId, document, now);
  if (checked.isLockout) throw administratorsLockedOut(name, checked, document);
}

/** The environments of a project, by name, in which no administrator may browse, with their rights. */
export async function lockedOut(db: Db, projectId: number, now: number): Promise<ReadonlyMap<string, PermissionFile>> {
  const found = new Map<string, PermissionFile>();
  for (const { environment, document } of await newestRights(db, projectId)) {
    if (document && (await leftOutBy(db, projectId, document, now)).isLockout) found.set(environment, document);
  }
  return found;
}

/** Rejects with `ADMINISTRATORS_LOCKED_OUT` where a change of people has locked the administrators out of an environment. */
export async function refuseNewLockout(
  db: Db,
  projectId: number,
  before: ReadonlyMap<string, PermissionFile>,
  now: number,
): Promise<void> {
  for (const [environment, document] of await lockedOut(db, projectId, now)) {
    if (before.has(environment)) continue;
    throw administratorsLockedOut(environment, await leftOutBy(db, projectId, document, now), document);
  }
}

async function holdersUnder(
  db: Db,
  projectId: number,
  document: PermissionFile,
  now: number,
): Promise<readonly Holder[]> {
  const members = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .innerJoin('roles', 'roles.id', 'members.roleId')
    .select(['users.id', 'users.email', 'roles.name as roleName', 'members.team', 'members.permissionLevel'])
    .where((the) => the.and({ 'members.projectId': projectId, 'members.deactivatedAt': null }))
    .execute();
  // What ends by itself keeps nobody in.
  const lasting = (await liveMemberships(db, projectId, now)).filter(({ endsAt }) => endsAt === null);
  return members.map(({ id, permissionLevel, ...member }) => {
    const own = lasting.filter(({ userId, environmentId }) => userId === id && environmentId === null);
    const { roles, teams } = placeOf(0, member, own, document);
    return { roles: roles.map(nameOf), teams: teams.map(nameOf), isAdministrator: permissionLevel === 'admin' };
  });
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

function mayBrowse({ roles, teams }: PermissionFile, holder: Holder): boolean {
  if (teams && !isNamed(holder.teams, teams)) return false;
  return holder.roles.some((role) => {
    const own = Object.hasOwn(roles, role) ? roles[role] : undefined;
    return Object.values(own?.collections ?? {}).some(({ browse }) => browse === true);
  });
}

function isNamed(own: readonly string[], named: Readonly<Record<string, unknown>>): boolean {
  return own.some((name) => Object.hasOwn(named, name));
}

/** Each name once, in order, with how many people have it. */
function counted(ofPeople: readonly (readonly string[])[]): { name: string; people: number }[] {
  const counts = new Map<string, number>();
  for (const name of ofPeople.flat().toSorted()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, people]) => ({ name, people }));
}
