import type { Clock } from '#kernel/ports/clock';
import type { AdminLog, Author } from '../audit/admin-log.ts';
import { endAgentSessions } from '../events/end-agent-sessions.ts';
import { liveMemberships } from '../identity/memberships.ts';
import { removeMcpStateOf } from '../mcp-grants/ended-grants.ts';
import type { StoreTransaction } from '../store/store.ts';
import { newestRights } from '../teams/named-in-rights.ts';
import { personIn } from './derive-permissions.ts';

type Db = StoreTransaction['db'];

/**
 * Whether a role of somebody demands a second factor, in any project: a browser is signed in to all of them at once. It may be a role that the person
 * has, whatever its source, or one that the rights of an environment give them.
 */
export async function needsSecondFactor(db: Db, userId: number, now: number): Promise<boolean> {
  const demanding = await db
    .selectFrom('members')
    .innerJoin('roles', 'roles.projectId', 'members.projectId')
    .select('members.projectId')
    .distinct()
    .where((the) => the.and({ 'members.userId': userId, 'members.deactivatedAt': null, 'roles.needsSecondFactor': 1 }))
    .execute();
  for (const { projectId } of demanding) {
    if ((await peopleWhoNeedFactor(db, projectId, now, userId)).size > 0) return true;
  }
  return false;
}

/** The active members of a project, or one of them, who have a role that demands a second factor. */
async function peopleWhoNeedFactor(
  db: Db,
  projectId: number,
  now: number,
  userId?: number,
): Promise<ReadonlySet<number>> {
  const demanding = await db
    .selectFrom('roles')
    .select('name')
    .where((the) => the.and({ projectId, needsSecondFactor: 1 }))
    .execute();
  if (demanding.length === 0) return new Set();
  const demands = new Set(demanding.map(({ name }) => name));
  const documents = (await newestRights(db, projectId)).flatMap(({ document }) => document ?? []);
  const further = await liveMemberships(db, projectId, now, userId);
  const rolesBeside = Map.groupBy(
    further.filter(({ kind }) => kind === 'role'),
    (membership) => membership.userId,
  );
  let members = db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .innerJoin('roles', 'roles.id', 'members.roleId')
    .select(['users.id', 'users.email', 'roles.name'])
    .where((the) => the.and({ 'members.projectId': projectId, 'members.deactivatedAt': null }))
    .orderBy('users.id');
  if (userId !== undefined) members = members.where('users.id', '=', userId);
  const rows = await members.execute();
  const rolesOf = ({ id, email, name }: (typeof rows)[number]) => [
    name,
    ...(rolesBeside.get(id) ?? []).map((membership) => membership.name),
    ...documents.flatMap((document) => personIn(document, email).roles ?? []),
  ];
  return new Set(rows.filter((row) => rolesOf(row).some((role) => demands.has(role))).map(({ id }) => id));
}

const dayMs = 24 * 60 * 60_000;

/** How long people may set up their first factor at a sign-in: after they joined or a role began to demand it, and after a reset. */
export const factorSetupMs = { demanded: 7 * dayMs, reset: dayMs } as const;

/** From now on and until a time, these people may set up their first factor at a sign-in. @param until `null`: not at all. */
export async function openFactorSetup(db: Db, userIds: readonly number[], until: number | null): Promise<void> {
  if (userIds.length === 0) return;
  await db.updateTable('users').set({ factorSetupUntil: until }).where('id', 'in', userIds).execute();
}

export interface Demand {
  readonly projectId: number;
  readonly author: Author;
  readonly clock: Clock;
  readonly adminLog: AdminLog;
}

/**
 * Make a change after which more people of a project may need a second factor. What agents and MCP clients have of those people ends,
 * because neither knows how somebody has signed in. Browsers and tokens know: without a second factor, they open nothing from now on. Who has none
 * may set one up for a week.
 */
export async function endWhatLacksFactor<Result>(
  transaction: StoreTransaction,
  { projectId, author, clock, adminLog }: Demand,
  change: () => Promise<Result>,
): Promise<Result> {
  const { db } = transaction;
  const before = await peopleWhoNeedFactor(db, projectId, clock.now());
  const result = await change();
  const needing = await peopleWhoNeedFactor(db, projectId, clock.now());
  const begins = [...needing].filter((userId) => !before.has(userId));
  await openFactorSetup(db, begins, clock.now() + factorSetupMs.demanded);
  for (const userId of begins) {
    await removeMcpStateOf(transaction, userId, projectId, { adminLog, author, clock });
    await endAgentSessions(transaction, userId, clock, projectId);
  }
  return result;
}
