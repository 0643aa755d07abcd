import type { PermissionFile } from '#contracts/permission-file';
import { administratorsLockedOut, type CheckedRights } from '#contracts/rights';
import type { StoreTransaction } from '../store/store.ts';
import { newestRights } from '../teams/named-in-rights.ts';
import { personIn } from './derive-permissions.ts';

type Db = StoreTransaction['db'];

/** An active member of the project, and the role that they would have in the environment. */
interface Holder {
  readonly role: string;
  readonly team: string;
  readonly isAdministrator: boolean;
}

/** Whom a document of rights leaves without any; nobody where there is no document, because the type of the environment decides then. */
export async function leftOutBy(db: Db, projectId: number, document: PermissionFile | null): Promise<CheckedRights> {
  if (!document) return { roles: [], teams: [], isLockout: false };
  const { roles, teams } = document;
  const holders = await holdersUnder(db, projectId, document);
  const administrators = holders.filter(({ isAdministrator }) => isAdministrator);
  return {
    roles: counted(holders.map(({ role }) => role).filter((role) => !Object.hasOwn(roles, role))),
    teams: teams ? counted(holders.map(({ team }) => team).filter((team) => !Object.hasOwn(teams, team))) : [],
    isLockout: !administrators.some((holder) => mayBrowse(document, holder)),
  };
}

/** Rejects with `ADMINISTRATORS_LOCKED_OUT` where a document leaves no administrator who may browse. */
export async function refuseLockout(
  db: Db,
  { projectId, name }: { readonly projectId: number; readonly name: string },
  document: PermissionFile | null,
): Promise<void> {
  if (!document) return;
  const checked = await leftOutBy(db, projectId, document);
  if (checked.isLockout) throw administratorsLockedOut(name, checked, document);
}

/** The environments of a project, by name, in which no administrator may browse, with their rights. */
export async function lockedOut(db: Db, projectId: number): Promise<ReadonlyMap<string, PermissionFile>> {
  const found = new Map<string, PermissionFile>();
  for (const { environment, document } of await newestRights(db, projectId)) {
    if (document && (await leftOutBy(db, projectId, document)).isLockout) found.set(environment, document);
  }
  return found;
}

/** Rejects with `ADMINISTRATORS_LOCKED_OUT` where a change of people has locked the administrators out of an environment. */
export async function refuseNewLockout(
  db: Db,
  projectId: number,
  before: ReadonlyMap<string, PermissionFile>,
): Promise<void> {
  for (const [environment, document] of await lockedOut(db, projectId)) {
    if (before.has(environment)) continue;
    throw administratorsLockedOut(environment, await leftOutBy(db, projectId, document), document);
  }
}

async function holdersUnder(db: Db, projectId: number, document: PermissionFile): Promise<readonly Holder[]> {
  const members = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .innerJoin('roles', 'roles.id', 'members.roleId')
    .select(['users.email', 'roles.name as role', 'members.team', 'members.permissionLevel'])
    .where((the) => the.and({ 'members.projectId': projectId, 'members.deactivatedAt': null }))
    .execute();
  return members.map(({ email, role, team, permissionLevel }) => ({
    role: personIn(document, email).role ?? role,
    team,
    isAdministrator: permissionLevel === 'admin',
  }));
}

function mayBrowse({ roles, teams }: PermissionFile, { role, team }: Holder): boolean {
  if (teams && !Object.hasOwn(teams, team)) return false;
  const own = Object.hasOwn(roles, role) ? roles[role] : undefined;
  return Object.values(own?.collections ?? {}).some(({ browse }) => browse === true);
}

/** Each name once, in order, with how often it stands there. */
function counted(names: readonly string[]): { name: string; people: number }[] {
  const counts = new Map<string, number>();
  for (const name of names.toSorted()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, people]) => ({ name, people }));
}
