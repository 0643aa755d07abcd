import type { Kysely } from 'kysely';
import { type PermissionFile, permissionFileSchema } from '#contracts/permission-file';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import { announceEvent } from '../events/announce-event.ts';
import type { EnvironmentRecord, UserRecord } from '../identity/identity-repository.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

export interface RightsRecord {
  readonly revision: number;
  readonly document: PermissionFile;
}

export interface RightsChange extends RightsRecord {
  readonly author: UserRecord;
  readonly createdAt: number;
}

export interface NewRights {
  readonly environment: Pick<EnvironmentRecord, 'id' | 'projectId'>;
  readonly document: PermissionFile;
  /** Revision that it replaces; 0 for the first. */
  readonly base: number;
  readonly authorId: number;
}

/** The documents of rights, of which the newest counts. A revision never changes. */
export interface RightsRepository {
  find(environmentId: number): Promise<RightsRecord | undefined>;
  findRevision(environmentId: number, revision: number): Promise<RightsRecord | undefined>;
  /**
   * Add a revision, and the roles and renderings that it names, unless another revision than `base` is the newest. The agents
   * are told. A document that says the same as the newest adds none.
   *
   * @returns whether the document counts now.
   */
  replace(rights: NewRights): Promise<boolean>;
  /** Newest first. */
  listChanges(environmentId: number, limit: number, before: number | undefined): Promise<readonly RightsChange[]>;
  /** Ids of the roles of a project, by name. */
  roleIds(projectId: number): Promise<ReadonlyMap<string, number>>;
}

export function createRightsRepository(store: Store, clock: Clock): RightsRepository {
  return {
    find: (environmentId) => findNewest(store.db, environmentId),
    findRevision: async (environmentId, revision) => {
      const row = await store.db
        .selectFrom('rights')
        .select(['revision', 'document'])
        .where((the) => the.and({ environmentId, revision }))
        .executeTakeFirst();
      return row && recordOf(row);
    },
    replace: ({ environment, document, base, authorId }) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        await lock(`rights of environment ${environment.id}`);
        const newest = await findNewest(db, environment.id);
        if ((newest?.revision ?? 0) !== base) return false;
        const text = canonicalJson(document);
        if (newest && canonicalJson(newest.document) === text) return true;
        const row = { environmentId: environment.id, authorId, createdAt: clock.now() };
        await db
          .insertInto('rights')
          .values({ ...row, revision: base + 1, document: text })
          .execute();
        await addNames(db, environment, document);
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
    roleIds: async (projectId) => {
      const rows = await store.db
        .selectFrom('roles')
        .select(['id', 'name'])
        .where('projectId', '=', projectId)
        .execute();
      return new Map(rows.map(({ id, name }) => [name, id]));
    },
  };
}

async function findNewest(db: Kysely<Tables>, environmentId: number): Promise<RightsRecord | undefined> {
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
  return { revision, document: permissionFileSchema.parse(JSON.parse(document)) };
}

/** Agents know roles and teams by number. */
async function addNames(
  db: Kysely<Tables>,
  { id: environmentId, projectId }: NewRights['environment'],
  { roles, teams = {} }: PermissionFile,
): Promise<void> {
  for (const name of Object.keys(roles)) {
    await db
      .insertInto('roles')
      .values({ projectId, name })
      .onConflict((same) => same.doNothing())
      .execute();
  }
  for (const team of Object.keys(teams)) {
    await db
      .insertInto('renderings')
      .values({ environmentId, team })
      .onConflict((same) => same.doNothing())
      .execute();
  }
}

/** Agents ask again for what has changed, and keep the rest. */
async function announceChange(
  transaction: StoreTransaction,
  environmentId: number,
  before: PermissionFile | undefined,
  { roles, teams, people, ipRules }: PermissionFile,
): Promise<void> {
  const isOther = (old: unknown, value: unknown) =>
    !before || canonicalJson(old ?? null) !== canonicalJson(value ?? null);
  if (isOther(before?.people, people)) announceEvent(transaction, environmentId, { name: 'refresh-users' });
  if (isOther(before?.teams, teams)) {
    const renderings = await transaction.db
      .selectFrom('renderings')
      .select('id')
      .where('environmentId', '=', environmentId)
      .orderBy('id')
      .execute();
    const renderingIds = renderings.map(({ id }) => id);
    announceEvent(transaction, environmentId, { name: 'refresh-renderings', renderingIds });
  }
  if (isOther(before?.ipRules, ipRules)) announceEvent(transaction, environmentId, { name: 'refresh-ip-rules' });
  if (isOther(before?.roles, roles)) announceEvent(transaction, environmentId, { name: 'refresh-roles' });
}
