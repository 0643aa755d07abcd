import type { MaybePromise } from '#kernel/async/maybe-promise';
import type { Clock } from '#kernel/ports/clock';
import { applyGroups } from '../groups/apply-groups.ts';
import type { StoreTransaction } from '../store/store.ts';
import { conditionOf, lowered, sortOf, type WantedPage } from './filter-query.ts';
import { groupAttributes } from './scim-attributes.ts';
import { scimError } from './scim-errors.ts';
import type { ScimGroup, WantedGroup } from './scim-resources.ts';
import { type FoundPage, noSuchResource, type ScimParts, type ScimPlace } from './scim-users.ts';

type Db = StoreTransaction['db'];

/** The groups of a project that SCIM keeps. What they give is what an administrator has mapped their names to. */
export interface ScimGroups {
  /** @param hasMembers whether the members are wanted: a group may have thousands. */
  list(projectId: number, page: WantedPage, hasMembers: boolean): Promise<FoundPage<ScimGroup>>;
  find(projectId: number, id: number, hasMembers: boolean): Promise<ScimGroup | undefined>;
  /** Rejects with `REQUEST_CONFLICT` for a name that another group has, and with `REQUEST_INVALID` for members who are not there. */
  create(place: ScimPlace, wanted: WantedGroup): Promise<ScimGroup>;
  /** Rejects with `LAST_ADMINISTRATOR_STAYS` too. @param want what the group is to be, of what it is. */
  replace(place: ScimPlace, id: number, want: (before: ScimGroup) => MaybePromise<WantedGroup>): Promise<ScimGroup>;
  /** @param check throws where the group is not to be removed. */
  remove(place: ScimPlace, id: number, check: (before: ScimGroup) => void): Promise<void>;
}

export function createScimGroups(parts: ScimParts): ScimGroups {
  const { store } = parts;
  return {
    list: async (projectId, page, hasMembers) => {
      const { filter, sort, startIndex, count } = page;
      const all = groups(store.db, projectId);
      const matching = filter ? all.where(conditionOf(groupAttributes, filter, page.isOfSeveralKinds)) : all;
      const ordered = sort ? matching.orderBy(sortOf(groupAttributes, sort)) : matching;
      const { total } = await store.db
        .selectFrom(matching.as('matching'))
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const rows =
        count === 0
          ? []
          : await ordered
              .orderBy('id')
              .limit(count)
              .offset(startIndex - 1)
              .execute();
      return { total: Number(total), found: await withMembers(store.db, rows, hasMembers) };
    },
    find: (projectId, id, hasMembers) => findGroup(store.db, projectId, id, hasMembers),
    ...createGroupChanges(parts),
  };
}

function createGroupChanges(parts: ScimParts): Pick<ScimGroups, 'create' | 'replace' | 'remove'> {
  const { store, clock } = parts;
  const change = <Result>({ projectId }: ScimPlace, work: (transaction: StoreTransaction) => Promise<Result>) =>
    store.transaction(async (transaction) => {
      await transaction.lock(`people of project ${projectId}`);
      return work(transaction);
    });
  const apply = async (transaction: StoreTransaction, { projectId, author }: ScimPlace, userIds: readonly number[]) => {
    for (const userId of userIds.toSorted((one, other) => one - other)) {
      await applyGroups(transaction, parts, { projectId, userId, author }, 'refuse');
    }
  };
  return {
    create: (place, wanted) =>
      change(place, async (transaction) => {
        const { db } = transaction;
        const { projectId } = place;
        await refuseTaken(db, projectId, wanted.name, undefined);
        const times = { createdAt: clock.now(), changedAt: clock.now() };
        const { id } = await db
          .insertInto('scimGroups')
          .values({ projectId, name: wanted.name, externalId: wanted.externalId, ...times })
          .returning('id')
          .executeTakeFirstOrThrow();
        await setMembers(db, projectId, id, [], wanted.memberIds);
        await apply(transaction, place, wanted.memberIds);
        return requireGroup(db, projectId, id);
      }),
    replace: (place, id, want) =>
      change(place, async (transaction) => {
        const { db } = transaction;
        const { projectId } = place;
        const before = await requireGroup(db, projectId, id);
        const wanted = await want(before);
        await refuseTaken(db, projectId, wanted.name, id);
        await rename(db, clock, id, wanted);
        const known = before.members.map((member) => member.id);
        const moved = await setMembers(db, projectId, id, known, wanted.memberIds);
        const isRenamed = before.name !== wanted.name;
        await apply(transaction, place, isRenamed ? [...new Set([...known, ...wanted.memberIds])] : moved);
        return requireGroup(db, projectId, id);
      }),
    remove: (place, id, check) =>
      change(place, async (transaction) => {
        const { db } = transaction;
        const before = await requireGroup(db, place.projectId, id);
        check(before);
        await db.deleteFrom('scimGroupMembers').where('groupId', '=', id).execute();
        await db.deleteFrom('scimGroups').where('id', '=', id).execute();
        await apply(
          transaction,
          place,
          before.members.map((member) => member.id),
        );
      }),
  };
}

function groups(db: Db, projectId: number) {
  return db
    .selectFrom('scimGroups')
    .select(['id', 'name', 'externalId', 'createdAt', 'changedAt'])
    .where('projectId', '=', projectId);
}

type GroupRow = Awaited<ReturnType<ReturnType<typeof groups>['executeTakeFirstOrThrow']>>;

async function withMembers(db: Db, rows: readonly GroupRow[], hasMembers: boolean): Promise<readonly ScimGroup[]> {
  const ids = rows.map(({ id }) => id);
  const members =
    !hasMembers || ids.length === 0
      ? []
      : await db
          .selectFrom('scimGroupMembers')
          .innerJoin('users', 'users.id', 'scimGroupMembers.userId')
          .select(['groupId', 'users.id', 'users.email'])
          .where('groupId', 'in', ids)
          .orderBy('users.id')
          .execute();
  const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
  return rows.map((row) => ({
    ...row,
    members: (byGroup.get(row.id) ?? []).map(({ id, email }) => ({ id, name: email })),
  }));
}

async function findGroup(db: Db, projectId: number, id: number, hasMembers: boolean): Promise<ScimGroup | undefined> {
  const row = await groups(db, projectId).where('id', '=', id).executeTakeFirst();
  return row && (await withMembers(db, [row], hasMembers))[0];
}

async function requireGroup(db: Db, projectId: number, id: number): Promise<ScimGroup> {
  const found = await findGroup(db, projectId, id, true);
  if (found) return found;
  throw noSuchResource('group', id);
}

async function refuseTaken(db: Db, projectId: number, name: string, own: number | undefined): Promise<void> {
  const taken = await groups(db, projectId)
    .where(({ fn, eb }) => eb(fn('lower', ['name']), '=', lowered(name)))
    .where('id', '!=', own ?? 0)
    .executeTakeFirst();
  if (!taken) return;
  throw scimError('uniqueness', `A group "${name}" is there already.`, `Find it: filter=displayName eq "${name}"`);
}

async function rename(db: Db, clock: Clock, id: number, { name, externalId }: WantedGroup): Promise<void> {
  await db.updateTable('scimGroups').set({ name, externalId, changedAt: clock.now() }).where('id', '=', id).execute();
}

/** Resolves to those who came or went. Rejects with `REQUEST_INVALID` for somebody that the project does not have. */
async function setMembers(
  db: Db,
  projectId: number,
  groupId: number,
  before: readonly number[],
  after: readonly number[],
): Promise<readonly number[]> {
  const [known, wanted] = [new Set(before), new Set(after)];
  const added = after.filter((id) => !known.has(id));
  const removed = before.filter((id) => !wanted.has(id));
  for (const userId of added) {
    const member = await db
      .selectFrom('members')
      .leftJoin('scimUsers', (join) =>
        join.onRef('scimUsers.userId', '=', 'members.userId').onRef('scimUsers.projectId', '=', 'members.projectId'),
      )
      .select('members.userId')
      .where((the) => the.and({ 'members.projectId': projectId, 'members.userId': userId }))
      .where((the) => the.or([the('scimUsers.isDeleted', 'is', null), the('scimUsers.isDeleted', '=', 0)]))
      .executeTakeFirst();
    if (!member) throw scimError('invalidValue', `The project has no user ${userId}.`, 'Create the user first.');
    await db.insertInto('scimGroupMembers').values({ groupId, userId }).execute();
  }
  for (const userId of removed) {
    await db
      .deleteFrom('scimGroupMembers')
      .where((the) => the.and({ groupId, userId }))
      .execute();
  }
  return [...added, ...removed];
}
