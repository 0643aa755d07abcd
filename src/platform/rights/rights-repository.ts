import type { Kysely } from 'kysely';
import type { PermissionFile } from '#contracts/permission-file';
import type { CheckedRights, RenamedRole } from '#contracts/rights';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import { type AdminLog, changeLog, type LogChange, type PersonAsAuthor } from '../audit/admin-log.ts';
import { announceEvent, announceRenderings } from '../events/announce-event.ts';
import type { EnvironmentRecord, UserRecord } from '../identity/identity-repository.ts';
import { liveMemberships, type MembershipRecord } from '../identity/memberships.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { namedInRights, parseRights } from '../teams/named-in-rights.ts';
import { addTeams, listTeams, promisedNames, removeUnusedTeams, type TeamRecord } from '../teams/teams.ts';
import { logRights, logWatch } from './log-rights.ts';
import { endWhatLacksFactor } from './needs-second-factor.ts';
import { leftOutBy, refuseLockout } from './refuse-lockout.ts';
import { renameRoles } from './rename-roles.ts';

export interface RightsRecord {
  readonly revision: number;
  /** `null` where the rights were taken away: the environment is as if nobody had ever set any. */
  readonly document: PermissionFile | null;
}

export interface RightsChange extends RightsRecord {
  readonly author: UserRecord;
  readonly createdAt: number;
}

interface NewRights {
  readonly environment: Pick<EnvironmentRecord, 'id' | 'projectId' | 'name'>;
  readonly document: PermissionFile | null;
  /** Revision that it replaces; 0 for the first. */
  readonly base: number;
  readonly author: PersonAsAuthor;
  /** Take a document after which no administrator may browse. */
  readonly allowLockout?: boolean | undefined;
  /** Roles that it calls otherwise than the one before. Those who have them keep them. */
  readonly renamedRoles?: readonly RenamedRole[] | undefined;
}

/** The documents of rights; the newest one counts. A revision never changes. */
export interface RightsRepository {
  find(environmentId: number): Promise<RightsRecord | undefined>;
  /** The document that counts; `undefined` if there is none. */
  findDocument(environmentId: number): Promise<PermissionFile | undefined>;
  findRevision(environmentId: number, revision: number): Promise<RightsRecord | undefined>;
  /**
   * Add a revision, unless another one than `base` is the newest. The roles and teams that it names are added. Those that only
   * the one before named are removed, where nobody has them. The agents learn about it. A document that says the same as the newest
   * adds no revision. The log of the project has the difference.
   *
   * @returns whether the document counts now.
   * @throws `ADMINISTRATORS_LOCKED_OUT`.
   */
  replace(rights: NewRights): Promise<boolean>;
  /** The people who would have no rights under a document, once roles have other names. */
  leftOut(
    projectId: number,
    document: PermissionFile | null,
    renamedRoles?: readonly RenamedRole[],
  ): Promise<CheckedRights>;
  /** Newest first. */
  listChanges(environmentId: number, limit: number, before: number | undefined): Promise<readonly RightsChange[]>;
  /** The teams of a project, by name. */
  listTeams(projectId: number): Promise<TeamRecord[]>;
  /** Ids of the roles of a project, by name. */
  roleIds(projectId: number): Promise<ReadonlyMap<string, number>>;
  /** What the members of a project have now beside their first role and team; of one of them, where one is named. */
  listMemberships(projectId: number, userId?: number): Promise<readonly MembershipRecord[]>;
}

export function createRightsRepository(store: Store, clock: Clock, adminLog: AdminLog): RightsRepository {
  return {
    find: (environmentId) => findNewestRights(store.db, environmentId),
    findDocument: async (environmentId) => (await findNewestRights(store.db, environmentId))?.document ?? undefined,
    findRevision: async (environmentId, revision) => {
      const row = await store.db
        .selectFrom('rights')
        .select(['revision', 'document'])
        .where((the) => the.and({ environmentId, revision }))
        .executeTakeFirst();
      return row && recordOf(row);
    },
    leftOut: (projectId, document, renamedRoles) => leftOutBy(store.db, projectId, document, clock.now(), renamedRoles),
    replace: ({ environment, document, base, author, allowLockout = false, renamedRoles = [] }) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        await lock(`people of project ${environment.projectId}`);
        await lock(`rights of environment ${environment.id}`);
        const newest = await findNewestRights(db, environment.id);
        if ((newest?.revision ?? 0) !== base) return false;
        const text = canonicalJson(document);
        if (canonicalJson(newest?.document ?? null) === text) return true;
        const log = changeLog(adminLog, transaction, environment.projectId, author);
        await renameRoles(transaction, { environment, document, renamedRoles, author, now: clock.now(), log });
        if (!allowLockout) await refuseLockout(db, environment, document, clock.now());
        const row = { environmentId: environment.id, authorId: author.user.id, createdAt: clock.now() };
        const { projectId } = environment;
        await endWhatLacksFactor(transaction, { projectId, author, clock, adminLog }, () =>
          db
            .insertInto('rights')
            .values({ ...row, revision: base + 1, document: text })
            .execute(),
        );
        const before = newest?.document ?? null;
        await endWatchOf(db, environment, { before, document }, log);
        logRights(log, { environment: environment.name, before, after: document, base });
        await changeNames(db, environment.projectId, before, document, log);
        await announceChange(transaction, environment.id, newest?.document, document);
        return true;
      }),
    listChanges: async (environmentId, limit, before) => {
      const rows = await store.db
        .selectFrom('rights')
        .innerJoin('users', 'users.id', 'rights.authorId')
        .select(['revision', 'document', 'rights.createdAt', 'authorId', 'firstName', 'lastName', 'email'])
        .where('environmentId', '=', environmentId)
        .where('revision', '<', before ?? Number.MAX_SAFE_INTEGER)
        .orderBy('revision', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ createdAt, authorId: id, firstName, lastName, email, ...row }) => ({
        ...recordOf(row),
        createdAt,
        author: { id, firstName, lastName, email },
      }));
    },
    listTeams: (projectId) => listTeams(store.db, projectId),
    roleIds: (projectId) => roleIds(store.db, projectId),
    listMemberships: (projectId, userId) => liveMemberships(store.db, projectId, clock.now(), userId),
  };
}

/** Within a transaction, as everything that it writes depends on it. */
export async function findNewestRights(db: Kysely<Tables>, environmentId: number): Promise<RightsRecord | undefined> {
  const row = await db
    .selectFrom('rights')
    .select(['revision', 'document'])
    .where('environmentId', '=', environmentId)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && recordOf(row);
}

function recordOf({ revision, document }: { readonly revision: number; readonly document: string }): RightsRecord {
  return { revision, document: parseRights(document) };
}

async function roleIds(db: Kysely<Tables>, projectId: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom('roles').select(['id', 'name']).where('projectId', '=', projectId).execute();
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** Rights that count now need no watch any more. */
async function endWatchOf(
  db: Kysely<Tables>,
  { id, name }: NewRights['environment'],
  { before, document }: { readonly before: PermissionFile | null; readonly document: PermissionFile | null },
  log: LogChange,
): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('rightsWatches')
    .where((the) => the.and({ environmentId: id, document: canonicalJson(document) }))
    .executeTakeFirst();
  if (document && numDeletedRows > 0)
    logWatch(log, { environment: name, before: document, after: undefined, rights: before });
}

/** Agents know roles and teams by number. */
async function changeNames(
  db: Kysely<Tables>,
  projectId: number,
  before: PermissionFile | null,
  after: PermissionFile | null,
  log: LogChange,
): Promise<void> {
  const roles = Object.keys(after?.roles ?? {});
  if (roles.length > 0) {
    const added = await db
      .insertInto('roles')
      .values(roles.map((name) => ({ projectId, name })))
      .onConflict((same) => same.doNothing())
      .returning('name')
      .execute();
    for (const { name } of added) log({ type: 'add', resource: 'role', newValue: { name } });
  }
  await addTeams(db, projectId, Object.keys(after?.teams ?? {}), log);
  await removeUnusedTeams(db, projectId, log);
  await removeUnusedRoles(db, projectId, Object.keys(before?.roles ?? {}), log);
}

/** Remove those of `names` that no rights name any more, that nobody has or was invited with, and that demand nothing. */
async function removeUnusedRoles(
  db: Kysely<Tables>,
  projectId: number,
  names: readonly string[],
  log: LogChange,
): Promise<void> {
  const { roles } = await namedInRights(db, projectId);
  const unnamed = names.filter((name) => !roles.has(name));
  if (unnamed.length === 0) return;
  const removed = await db
    .deleteFrom('roles')
    .where('projectId', '=', projectId)
    .where('name', 'in', unnamed)
    .where('needsSecondFactor', '=', 0)
    .where('id', 'not in', (members) =>
      members.selectFrom('members').select('roleId').where('projectId', '=', projectId),
    )
    .where('name', 'not in', (held) =>
      held
        .selectFrom('memberships')
        .select('name')
        .where((the) => the.and({ projectId, kind: 'role' })),
    )
    .where('name', 'not in', promisedNames(db, projectId, 'role'))
    .where('id', 'not in', (all) => all.selectFrom('invitations').select('roleId').where('projectId', '=', projectId))
    .returning('name')
    .execute();
  for (const { name } of removed) log({ type: 'remove', resource: 'role', previousValue: { name } });
}

/** Agents ask again for what has changed, and keep the rest. */
async function announceChange(
  transaction: StoreTransaction,
  environmentId: number,
  before: PermissionFile | null | undefined,
  after: PermissionFile | null,
): Promise<void> {
  // Where there are no rights, the type of the environment decides.
  const isOther = (part: 'people' | 'teams' | 'ipRules' | 'roles' | 'clients') =>
    !before || !after || canonicalJson(before[part] ?? null) !== canonicalJson(after[part] ?? null);
  if (isOther('people')) announceEvent(transaction, environmentId, { name: 'refresh-users' });
  if (isOther('teams')) await announceRenderings(transaction, environmentId);
  if (isOther('ipRules')) announceEvent(transaction, environmentId, { name: 'refresh-ip-rules' });
  if (isOther('roles') || isOther('clients')) announceEvent(transaction, environmentId, { name: 'refresh-roles' });
}
