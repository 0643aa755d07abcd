import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import { type AdminLog, type Author, changeLog } from '../audit/admin-log.ts';
import { endAgentSessions } from '../events/end-agent-sessions.ts';
import { replaceMemberships, type WantedMembership } from '../people/change-memberships.ts';
import { logPerson } from '../people/log-person.ts';
import { isLastAdministrator, people } from '../people/people-repository.ts';
import { endWhatLacksFactor } from '../rights/needs-second-factor.ts';
import { endImpersonations } from '../sessions/end-access.ts';
import type { StoreTransaction } from '../store/store.ts';

type Db = StoreTransaction['db'];

export interface GroupParts {
  readonly clock: Clock;
  readonly adminLog: AdminLog;
  readonly logger: Logger;
}

export interface MappedGroup {
  readonly id: number;
  readonly group: string;
  readonly makesAdministrator: boolean;
  readonly grants: readonly { readonly kind: 'role' | 'team'; readonly name: string }[];
}

/** What the groups of a project give, in the order of the mapping. */
export async function listMappings(db: Db, projectId: number): Promise<readonly MappedGroup[]> {
  const mappings = await db
    .selectFrom('groupMappings')
    .selectAll()
    .where('projectId', '=', projectId)
    .orderBy('id')
    .execute();
  const grants = await db
    .selectFrom('groupGrants')
    .innerJoin('groupMappings', 'groupMappings.id', 'groupGrants.mappingId')
    .select(['mappingId', 'kind', 'groupGrants.name'])
    .where('projectId', '=', projectId)
    .orderBy('position')
    .execute();
  const byMapping = Map.groupBy(grants, ({ mappingId }) => mappingId);
  return mappings.map(({ id, groupName, makesAdministrator }) => ({
    id,
    group: groupName,
    makesAdministrator: makesAdministrator === 1,
    grants: (byMapping.get(id) ?? []).map(({ kind, name }) => ({ kind, name })),
  }));
}

/** Somebody in a project, and who says which groups they are in. */
interface GroupMember {
  readonly projectId: number;
  readonly userId: number;
  readonly author: Author;
}

/**
 * Make the memberships of somebody what their groups give: what an administrator gave by hand stays, and a group without a mapping gives
 * nothing. It is part of another change, which holds the lock `people of project <id>`.
 *
 * @param onLast what happens where the last active administrator would be none any more: nothing at all, with
 * `LAST_ADMINISTRATOR_STAYS`, or everything else, because nobody could sign in otherwise.
 */
export async function applyGroups(
  transaction: StoreTransaction,
  { clock, adminLog, logger }: GroupParts,
  { projectId, userId, author }: GroupMember,
  onLast: 'refuse' | 'keep',
): Promise<void> {
  const { db } = transaction;
  const before = await groupMembers(db, projectId).where('users.id', '=', userId).executeTakeFirst();
  // Somebody who is deactivated may come back, and must not come back with what groups no longer give.
  if (!before) return;
  const log = changeLog(adminLog, transaction, projectId, author);
  const names = await groupsOf(db, projectId, userId);
  const own = (await listMappings(db, projectId)).filter(({ group }) => names.has(group));
  const wanted = eachOnce(
    own.flatMap(({ group, grants }) => grants.map((grant): WantedMembership => ({ ...grant, sourceName: group }))),
  );
  await endWhatLacksFactor(transaction, { projectId, author, clock, adminLog }, async () => {
    await replaceMemberships(transaction, { projectId, user: before }, 'group', wanted, log);
    const first = await firstOf(db, projectId, before, wanted);
    const isAdministrator = own.some(({ makesAdministrator }) => makesAdministrator);
    const level = levelFor(before, isAdministrator);
    const isLosing = before.permissionLevel === 'admin' && level.permissionLevel !== undefined;
    const isKept = isLosing && (await isLastAdministrator(db, projectId, userId));
    if (isKept) {
      const refusal = lastAdministratorStays(before.email);
      if (onLast === 'refuse') throw refusal;
      logger.log('Warn', 'Groups were stopped at the last administrator.', { reason: refusal.message });
    }
    const row = { ...first, ...(isKept ? {} : level) };
    if (Object.keys(row).length > 0) {
      await db
        .updateTable('members')
        .set(row)
        .where((the) => the.and({ projectId, userId }))
        .execute();
    }
    const after = await people(db, projectId).where('users.id', '=', userId).executeTakeFirstOrThrow();
    logPerson(log, before, after);
    if (after.team !== before.team) await endAgentSessions(transaction, userId, clock, projectId);
    if (isLosing && !isKept) await endImpersonations(transaction, userId, clock, projectId);
  });
}

/** The members of a project, with what groups have lent them. */
export function groupMembers(db: Db, projectId: number) {
  return people(db, projectId).select(['members.defaultRole', 'members.defaultTeam', 'members.levelWithoutGroup']);
}

/** The groups that the OpenID provider or SCIM has named, and none of other projects. */
export async function groupsOf(db: Db, projectId: number, userId: number): Promise<ReadonlySet<string>> {
  const company = await db.selectFrom('companyGroups').select('name').where('userId', '=', userId).execute();
  const provisioned = await db
    .selectFrom('scimGroups')
    .innerJoin('scimGroupMembers', 'scimGroupMembers.groupId', 'scimGroups.id')
    .select('scimGroups.name')
    .where((the) => the.and({ projectId, userId }))
    .execute();
  return new Set([...company, ...provisioned].map(({ name }) => name));
}

/** A role that two groups give comes from the one that was mapped first. */
function eachOnce(all: readonly WantedMembership[]): readonly WantedMembership[] {
  const known = new Map<string, WantedMembership>();
  for (const each of all) {
    const key = `${each.kind} ${each.name}`;
    if (!known.has(key)) known.set(key, each);
  }
  return [...known.values()];
}

/** The first role and team of somebody who follows groups; nothing for who has them by hand. */
async function firstOf(
  db: Db,
  projectId: number,
  { defaultRole, defaultTeam }: Pick<MemberWithGroups, 'defaultRole' | 'defaultTeam'>,
  wanted: readonly WantedMembership[],
): Promise<{ readonly roleId?: number; readonly team?: string }> {
  if (defaultRole === null || defaultTeam === null) return {};
  const first = (kind: WantedMembership['kind']) => wanted.find((each) => each.kind === kind)?.name;
  const role = await db
    .selectFrom('roles')
    .select('id')
    .where((the) => the.and({ projectId, name: first('role') ?? defaultRole }))
    .executeTakeFirstOrThrow();
  return { roleId: role.id, team: first('team') ?? defaultTeam };
}

/** A group lends the level of an administrator. Without it, the level from before is back. */
function levelFor(
  { permissionLevel, levelWithoutGroup }: Pick<MemberWithGroups, 'permissionLevel' | 'levelWithoutGroup'>,
  isAdministrator: boolean,
): Partial<Pick<MemberWithGroups, 'permissionLevel' | 'levelWithoutGroup'>> {
  if (isAdministrator && permissionLevel !== 'admin') {
    return { permissionLevel: 'admin', levelWithoutGroup: permissionLevel };
  }
  if (!isAdministrator && levelWithoutGroup !== null) {
    return { permissionLevel: levelWithoutGroup, levelWithoutGroup: null };
  }
  return {};
}

type MemberWithGroups = Awaited<ReturnType<ReturnType<typeof groupMembers>['executeTakeFirstOrThrow']>>;

export function lastAdministratorStays(email: string): CloudError {
  return cloudError(
    'LAST_ADMINISTRATOR_STAYS',
    `${email} is the last active administrator of the project, and neither groups nor SCIM remove the last one.`,
    'Make somebody else an administrator first: vendor-cloud people set <email> --level admin',
  );
}
