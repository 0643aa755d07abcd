import { firstTeam } from '#contracts/permission-file';
import { cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { LogChange } from '../audit/admin-log.ts';
import type { StoreTransaction } from '../store/store.ts';
import { namedInRights } from './named-in-rights.ts';

type Db = StoreTransaction['db'];

export interface TeamRecord {
  readonly name: string;
  /** Active members. */
  readonly people: number;
}

/** The teams of a project, by name. */
export function listTeams(db: Db, projectId: number): Promise<TeamRecord[]> {
  return db
    .selectFrom('renderings')
    .innerJoin('environments', 'environments.id', 'renderings.environmentId')
    .leftJoin(belongings(db).as('belonging'), (join) =>
      join.onRef('belonging.projectId', '=', 'environments.projectId').onRef('belonging.team', '=', 'renderings.team'),
    )
    .select(({ fn }) => ['renderings.team as name', fn.count<number>('belonging.userId').distinct().as('people')])
    .where('environments.projectId', '=', projectId)
    .groupBy('renderings.team')
    .orderBy('renderings.team')
    .execute();
}

/** Which active members belong to which teams. */
function belongings(db: Db) {
  return db
    .selectFrom('members')
    .select(['projectId', 'userId', 'team'])
    .where('deactivatedAt', 'is', null)
    .unionAll(
      db
        .selectFrom('memberships')
        .innerJoin('members', (join) =>
          join
            .onRef('members.projectId', '=', 'memberships.projectId')
            .onRef('members.userId', '=', 'memberships.userId'),
        )
        .select(['memberships.projectId', 'memberships.userId', 'memberships.name as team'])
        .where('memberships.kind', '=', 'team')
        .where('members.deactivatedAt', 'is', null),
    );
}

/**
 * The roles or teams that nobody need have now, for a `not in`. Open invitations name them beside the first ones, groups give them, and SCIM
 * tokens name them. People may have them where no group gives one.
 */
export function promisedNames(db: Db, projectId: number, kind: 'role' | 'team') {
  return db
    .selectFrom('invitedMemberships')
    .innerJoin('invitations', 'invitations.id', 'invitedMemberships.invitationId')
    .select('invitedMemberships.name')
    .where((the) => the.and({ projectId, kind, acceptedAt: null, revokedAt: null }))
    .union(
      db
        .selectFrom('groupGrants')
        .innerJoin('groupMappings', 'groupMappings.id', 'groupGrants.mappingId')
        .select('groupGrants.name')
        .where((the) => the.and({ projectId, kind })),
    )
    .union(
      db
        .selectFrom('scimTokens')
        .select(`${kind} as name`)
        .where((the) => the.and({ projectId, revokedAt: null })),
    )
    .union(
      db
        .selectFrom('members')
        .select((the) =>
          the
            .ref(kind === 'role' ? 'defaultRole' : 'defaultTeam')
            .$notNull()
            .as('name'),
        )
        .where('projectId', '=', projectId)
        .where(kind === 'role' ? 'defaultRole' : 'defaultTeam', 'is not', null),
    );
}

/** Rejects with `REQUEST_INVALID` for a team that the project does not have. */
export async function requireTeam(db: Db, projectId: number, name: string): Promise<void> {
  const names = (await listTeams(db, projectId)).map((team) => team.name);
  if (names.includes(name)) return;
  throw cloudError(
    'REQUEST_INVALID',
    `The project has no team "${name}".${didYouMean(nearestName(name, names))}`,
    `Name one of: ${names.join(', ')}. Administrators create others.`,
  );
}

/**
 * Every environment of a project has a rendering for each of its teams.
 *
 * @param type of the change that is logged for each team that is new.
 */
export async function addTeams(
  db: Db,
  projectId: number,
  names: readonly string[],
  log: LogChange,
  type: 'add' | 'initial' = 'add',
): Promise<void> {
  const environmentIds = await environmentsOf(db, projectId);
  const rows = environmentIds.flatMap((environmentId) => names.map((team) => ({ environmentId, team })));
  if (rows.length === 0) return;
  const known = new Set((await listTeams(db, projectId)).map(({ name }) => name));
  await db
    .insertInto('renderings')
    .values(rows)
    .onConflict((same) => same.doNothing())
    .execute();
  for (const name of new Set(names)) if (!known.has(name)) log({ type, resource: 'team', newValue: { name } });
}

/** Remove the teams that nobody has created by name, no rights name, and nobody belongs or is invited to. */
export async function removeUnusedTeams(db: Db, projectId: number, log: LogChange): Promise<void> {
  const { teams } = await namedInRights(db, projectId);
  const all = await listTeams(db, projectId);
  const others = all.map(({ name }) => name).filter((name) => name !== firstTeam && !teams.has(name));
  const environmentIds = await environmentsOf(db, projectId);
  if (others.length === 0 || environmentIds.length === 0) return;
  const removed = await db
    .deleteFrom('renderings')
    .where('team', 'in', others)
    .where('environmentId', 'in', environmentIds)
    .where('team', 'not in', (kept) => kept.selectFrom('keptTeams').select('name').where('projectId', '=', projectId))
    .where('team', 'not in', (members) =>
      members.selectFrom('members').select('team').where('projectId', '=', projectId),
    )
    .where('team', 'not in', (held) =>
      held
        .selectFrom('memberships')
        .select('name')
        .where((the) => the.and({ projectId, kind: 'team' })),
    )
    .where('team', 'not in', promisedNames(db, projectId, 'team'))
    .where('team', 'not in', (invitations) =>
      invitations
        .selectFrom('invitations')
        .select((the) => the.ref('team').$notNull().as('team'))
        .where((the) => the.and({ projectId, acceptedAt: null, revokedAt: null }))
        .where('team', 'is not', null),
    )
    .returning('team')
    .execute();
  const names = new Set(removed.map(({ team }) => team));
  for (const name of [...names].sort()) log({ type: 'remove', resource: 'team', previousValue: { name } });
}

async function environmentsOf(db: Db, projectId: number): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('environments')
    .select('id')
    .where('projectId', '=', projectId)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
