import type { PermissionFile } from '#contracts/permission-file';
import type { RenamedRole } from '#contracts/rights';
import { cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { LogChange, PersonAsAuthor } from '../audit/admin-log.ts';
import { announceEvent } from '../events/announce-event.ts';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import type { StoreTransaction } from '../store/store.ts';
import { newestRights, parseRights } from '../teams/named-in-rights.ts';
import { logRights } from './log-rights.ts';

type Db = StoreTransaction['db'];

/** Rights in which a role has another name: its rules, who may take it for a time, and the people that the rights give it to. */
export function withRenamedRole({ roles, people, ...rest }: PermissionFile, { from, to }: RenamedRole): PermissionFile {
  const nameOf = (name: string) => (name === from ? to : name);
  const renamed = Object.entries(roles).map(([name, { elevation, ...role }]) => [
    nameOf(name),
    { ...role, ...(elevation ? { elevation: { ...elevation, by: elevation.by.map(nameOf) } } : {}) },
  ]);
  const named = Object.entries(people ?? {}).map(([email, { role, roles: several, ...person }]) => [
    email,
    {
      ...person,
      ...(role === undefined ? {} : { role: nameOf(role) }),
      ...(several ? { roles: several.map(nameOf) } : {}),
    },
  ]);
  return { ...rest, roles: Object.fromEntries(renamed), ...(people ? { people: Object.fromEntries(named) } : {}) };
}

interface Renaming {
  /** The environment whose new document names the roles by their new names already. */
  readonly environment: Pick<EnvironmentRecord, 'id' | 'projectId'>;
  readonly document: PermissionFile | null;
  readonly renamedRoles: readonly RenamedRole[];
  readonly author: PersonAsAuthor;
  readonly now: number;
  readonly log: LogChange;
}

/**
 * Give roles of a project other names wherever they stand: people, invitations, groups, and the rights of the other environments, each of
 * which gets a revision. Everybody keeps what they have. Rejects with `REQUEST_CONFLICT`.
 */
export async function renameRoles(transaction: StoreTransaction, renaming: Renaming): Promise<void> {
  const { environment, document, renamedRoles, author, now, log } = renaming;
  if (renamedRoles.length === 0) return;
  const { db } = transaction;
  const { projectId } = environment;
  for (const renamed of renamedRoles) {
    if (!Object.hasOwn(document?.roles ?? {}, renamed.to)) throw notNamed(renamed);
    await renameRole(db, projectId, renamed);
    log({ type: 'update', resource: 'role', previousValue: { name: renamed.from }, newValue: { name: renamed.to } });
  }
  const renamedIn = (rights: PermissionFile) => renamedRoles.reduce(withRenamedRole, rights);
  for (const { environmentId, environment: name, revision, document: before } of await newestRights(db, projectId)) {
    announceEvent(transaction, environmentId, { name: 'refresh-users' });
    announceEvent(transaction, environmentId, { name: 'refresh-roles' });
    if (environmentId === environment.id || !before) continue;
    await transaction.lock(`rights of environment ${environmentId}`);
    const after = renamedIn(before);
    if (canonicalJson(after) === canonicalJson(before)) continue;
    await db
      .insertInto('rights')
      .values({
        environmentId,
        revision: revision + 1,
        document: canonicalJson(after),
        authorId: author.user.id,
        createdAt: now,
      })
      .execute();
    logRights(log, { environment: name, before, after, base: revision });
  }
  await renameInWatches(db, projectId, renamedIn);
}

/** Roles are rows of the project. Whatever was promised to somebody names them. */
async function renameRole(db: Db, projectId: number, { from, to }: RenamedRole): Promise<void> {
  const isTaken = await db
    .selectFrom('roles')
    .select('id')
    .where((the) => the.and({ projectId, name: to }))
    .executeTakeFirst();
  if (isTaken) throw cloudError('REQUEST_CONFLICT', `The project has a role "${to}" already.`, 'Choose another name.');
  const renamed = await db
    .updateTable('roles')
    .set({ name: to })
    .where((the) => the.and({ projectId, name: from }))
    .returning('id')
    .executeTakeFirst();
  if (!renamed)
    throw cloudError('REQUEST_CONFLICT', `The project has no role "${from}" any more.`, 'Look at the rights again.');
  const named = { kind: 'role', name: from } as const;
  await db
    .updateTable('memberships')
    .set({ name: to })
    .where((the) => the.and({ projectId, ...named }))
    .execute();
  await db
    .updateTable('members')
    .set({ defaultRole: to })
    .where((the) => the.and({ projectId, defaultRole: from }))
    .execute();
  await db
    .updateTable('elevations')
    .set({ role: to })
    .where((the) => the.and({ projectId, role: from }))
    .execute();
  await db
    .updateTable('scimTokens')
    .set({ role: to })
    .where((the) => the.and({ projectId, role: from }))
    .execute();
  await db
    .updateTable('invitedMemberships')
    .set({ name: to })
    .where((the) => the.and(named))
    .where('invitationId', 'in', (own) => own.selectFrom('invitations').select('id').where('projectId', '=', projectId))
    .execute();
  await db
    .updateTable('groupGrants')
    .set({ name: to })
    .where((the) => the.and(named))
    .where('mappingId', 'in', (own) => own.selectFrom('groupMappings').select('id').where('projectId', '=', projectId))
    .execute();
}

/** What is watched stays what it was. */
async function renameInWatches(
  db: Db,
  projectId: number,
  renamedIn: (rights: PermissionFile) => PermissionFile,
): Promise<void> {
  const watches = await db
    .selectFrom('rightsWatches')
    .innerJoin('environments', 'environments.id', 'rightsWatches.environmentId')
    .select(['environmentId', 'document'])
    .where('environments.projectId', '=', projectId)
    .execute();
  for (const { environmentId, document } of watches) {
    const watched = parseRights(document);
    if (!watched) continue;
    await db
      .updateTable('rightsWatches')
      .set({ document: canonicalJson(renamedIn(watched)) })
      .where('environmentId', '=', environmentId)
      .execute();
  }
}

function notNamed({ from, to }: RenamedRole) {
  return cloudError(
    'REQUEST_CONFLICT',
    `The role "${from}" is to be called "${to}", and the rights do not name "${to}".`,
    `Name "${to}" in the rights, or leave it out of "renamedRoles".`,
  );
}
