import { sql } from 'kysely';
import type { MaybePromise } from '#kernel/async/maybe-promise';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import { type AdminLog, type Author, changeLog } from '../audit/admin-log.ts';
import { applyGroups, lastAdministratorStays } from '../groups/apply-groups.ts';
import { requireRole } from '../groups/group-repository.ts';
import { logPerson } from '../people/log-person.ts';
import { addMember, changePerson, isLastAdministrator, people } from '../people/people-repository.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { requireTeam } from '../teams/teams.ts';
import { conditionOf, lowered, sortOf, type WantedPage } from './filter-query.ts';
import { userAttributes } from './scim-attributes.ts';
import { scimError } from './scim-errors.ts';
import type { ScimUser, WantedUser } from './scim-resources.ts';

type Db = StoreTransaction['db'];

/** The project of a token, and what the token gives to people who are new. */
export interface ScimPlace {
  readonly projectId: number;
  readonly role: string;
  readonly team: string;
  /** Who made the token: the history of people names somebody. */
  readonly createdBy: number;
  readonly author: Author;
}

export interface ScimParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly adminLog: AdminLog;
  readonly logger: Logger;
}

export interface FoundPage<Each> {
  readonly total: number;
  readonly found: readonly Each[];
}

/** The members of one project, as SCIM reads and changes them. Those of other projects are neither seen nor changed. */
export interface ScimUsers {
  list(projectId: number, page: WantedPage): Promise<FoundPage<ScimUser>>;
  find(projectId: number, id: number): Promise<ScimUser | undefined>;
  /** Rejects with `REQUEST_CONFLICT` for a name or an address that a member has. */
  create(place: ScimPlace, wanted: WantedUser): Promise<ScimUser>;
  /**
   * Rejects with `REQUEST_NOT_FOUND`, `REQUEST_INVALID`, and `LAST_ADMINISTRATOR_STAYS`.
   *
   * @param want what the person is to be, of what they are: nobody changes them meanwhile.
   */
  replace(place: ScimPlace, id: number, want: (before: ScimUser) => MaybePromise<WantedUser>): Promise<ScimUser>;
  /** The person is deactivated, and SCIM does not see them from then on. @param check throws where the person is not to be removed. */
  remove(place: ScimPlace, id: number, check: (before: ScimUser) => void): Promise<void>;
}

export function createScimUsers(parts: ScimParts): ScimUsers {
  const { store } = parts;
  const change = <Result>({ projectId }: ScimPlace, work: (transaction: StoreTransaction) => Promise<Result>) =>
    store.transaction(async (transaction) => {
      await transaction.lock(`people of project ${projectId}`);
      return work(transaction);
    });
  return {
    list: async (projectId, page) => {
      const { filter, sort, startIndex, count } = page;
      const all = visible(store.db, projectId);
      const matching = filter ? all.where(conditionOf(userAttributes, filter, page.isOfSeveralKinds)) : all;
      const ordered = sort ? matching.orderBy(sortOf(userAttributes, sort)) : matching;
      const { total } = await store.db
        .selectFrom(matching.as('matching'))
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const rows =
        count === 0
          ? []
          : await ordered
              .orderBy('users.id')
              .limit(count)
              .offset(startIndex - 1)
              .execute();
      return { total: Number(total), found: await withGroups(store.db, projectId, rows) };
    },
    find: (projectId, id) => findUser(store.db, projectId, id),
    create: (place, wanted) =>
      change(place, async (transaction) => {
        const id = await createUser(transaction, parts, place, wanted);
        return requireUser(transaction.db, place.projectId, id);
      }),
    replace: (place, id, want) =>
      change(place, async (transaction) => {
        const before = await requireUser(transaction.db, place.projectId, id);
        await replaceUser(transaction, parts, place, before, await want(before));
        return requireUser(transaction.db, place.projectId, id);
      }),
    remove: (place, id, check) =>
      change(place, async (transaction) => {
        const { db } = transaction;
        const { projectId } = place;
        const user = await requireUser(db, projectId, id);
        check(user);
        await setActive(transaction, parts, place, user, false);
        await saveUser(transaction, parts, place, user.id, user, { isDeleted: 1 });
        await db
          .deleteFrom('scimGroupMembers')
          .where('userId', '=', id)
          .where('groupId', 'in', (own) => own.selectFrom('scimGroups').select('id').where('projectId', '=', projectId))
          .execute();
      }),
  };
}

/** Everybody of the project that SCIM may see. Who was not made by SCIM has an address as name. */
function visible(db: Db, projectId: number) {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .leftJoin('scimUsers', (join) =>
      join.onRef('scimUsers.userId', '=', 'users.id').onRef('scimUsers.projectId', '=', 'members.projectId'),
    )
    .select(['users.id', 'users.email', 'users.firstName', 'users.lastName', 'members.deactivatedAt'])
    .select(['users.createdAt as madeAt', 'scimUsers.userName', 'scimUsers.externalId', 'scimUsers.givenName'])
    .select(['scimUsers.familyName', 'scimUsers.createdAt', 'scimUsers.changedAt'])
    .where('members.projectId', '=', projectId)
    .where((the) => the.or([the('scimUsers.isDeleted', 'is', null), the('scimUsers.isDeleted', '=', 0)]));
}

type VisibleRow = Awaited<ReturnType<ReturnType<typeof visible>['executeTakeFirstOrThrow']>>;

async function withGroups(db: Db, projectId: number, rows: readonly VisibleRow[]): Promise<readonly ScimUser[]> {
  if (rows.length === 0) return [];
  const groups = await db
    .selectFrom('scimGroupMembers')
    .innerJoin('scimGroups', 'scimGroups.id', 'scimGroupMembers.groupId')
    .select(['scimGroupMembers.userId', 'scimGroups.id', 'scimGroups.name'])
    .where('scimGroups.projectId', '=', projectId)
    .where(
      'scimGroupMembers.userId',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('scimGroups.id')
    .execute();
  const byUser = Map.groupBy(groups, ({ userId }) => userId);
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    userName: row.userName ?? row.email,
    externalId: row.externalId,
    givenName: row.givenName ?? row.firstName,
    familyName: row.familyName ?? row.lastName,
    isActive: row.deactivatedAt === null,
    createdAt: row.createdAt ?? row.madeAt,
    changedAt: row.changedAt ?? row.madeAt,
    groups: (byUser.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
  }));
}

async function findUser(db: Db, projectId: number, id: number): Promise<ScimUser | undefined> {
  const row = await visible(db, projectId).where('users.id', '=', id).executeTakeFirst();
  return row && (await withGroups(db, projectId, [row]))[0];
}

async function requireUser(db: Db, projectId: number, id: number): Promise<ScimUser> {
  const found = await findUser(db, projectId, id);
  if (found) return found;
  throw noSuchResource('user', id);
}

export function noSuchResource(kind: 'user' | 'group', id: number | string) {
  return cloudError('REQUEST_NOT_FOUND', `The project has no ${kind} ${id}.`, 'List what there is.');
}

/** Resolves to the id of the person, whose account may have been there. */
async function createUser(
  transaction: StoreTransaction,
  parts: ScimParts,
  place: ScimPlace,
  wanted: WantedUser,
): Promise<number> {
  const { db, lock } = transaction;
  const { clock, adminLog } = parts;
  const { projectId, role, team, createdBy, author } = place;
  await refuseTaken(db, projectId, wanted, undefined);
  await lock(`account ${wanted.email}`);
  const account = await accountOf(db, wanted.email);
  const { givenName: firstName, familyName: lastName, email } = wanted;
  const id =
    account ??
    (
      await db
        .insertInto('users')
        .values({ email, firstName, lastName, createdAt: clock.now() })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id;
  const member = await people(db, projectId).where('users.id', '=', id).executeTakeFirst();
  await saveUser(transaction, parts, place, id, wanted, { isDeleted: 0, isOwn: account === undefined ? 1 : 0 });
  if (!member) {
    await requireRole(db, projectId, role);
    await requireTeam(db, projectId, team);
    const { id: roleId } = await db
      .selectFrom('roles')
      .select('id')
      .where((the) => the.and({ projectId, name: role }))
      .executeTakeFirstOrThrow();
    const log = changeLog(adminLog, transaction, projectId, author);
    const added = { projectId, userId: id, permissionLevel: 'user', roleId, team, further: [] } as const;
    await addMember(transaction, clock, added, createdBy, log);
    await db
      .updateTable('members')
      .set({ defaultRole: role, defaultTeam: team })
      .where((the) => the.and({ projectId, userId: id }))
      .execute();
  }
  await setActive(
    transaction,
    parts,
    place,
    { id, email, isActive: !member || member.deactivatedAt === null },
    wanted.isActive,
  );
  return id;
}

async function replaceUser(
  transaction: StoreTransaction,
  parts: ScimParts,
  place: ScimPlace,
  before: ScimUser,
  wanted: WantedUser,
): Promise<void> {
  const { db } = transaction;
  const { projectId, author } = place;
  const { id } = before;
  await refuseTaken(db, projectId, wanted, id);
  const isOtherAddress = wanted.email.toLowerCase() !== before.email.toLowerCase();
  const isAlone = await isOnlyHere(db, projectId, id);
  if (isOtherAddress) await refuseOtherAddress(db, place, id, wanted.email, isAlone);
  const { givenName: firstName, familyName: lastName, email } = wanted;
  if (isAlone && (isOtherAddress || firstName !== before.givenName || lastName !== before.familyName)) {
    const member = await people(db, projectId).where('users.id', '=', id).executeTakeFirstOrThrow();
    const names = { firstName, lastName, ...(isOtherAddress ? { email } : {}) };
    await db.updateTable('users').set(names).where('id', '=', id).execute();
    logPerson(changeLog(parts.adminLog, transaction, projectId, author), member, { ...member, ...names });
  }
  await saveUser(transaction, parts, place, id, wanted, { isDeleted: 0 });
  await setActive(transaction, parts, place, before, wanted.isActive);
}

/** A name or an address that a member of the project has who is visible. */
async function refuseTaken(
  db: Db,
  projectId: number,
  { userName, email }: WantedUser,
  own: number | undefined,
): Promise<void> {
  const taken = await visible(db, projectId)
    .where((the) =>
      the.or([
        the(sql`lower(coalesce(scim_users.user_name, users.email))`, '=', lowered(userName)),
        the(sql`lower(users.email)`, '=', lowered(email)),
      ]),
    )
    .where('users.id', '!=', own ?? 0)
    .executeTakeFirst();
  if (!taken) return;
  throw scimError('uniqueness', `A user "${userName}" is there already.`, `Find it: filter=userName eq "${userName}"`);
}

async function accountOf(db: Db, email: string): Promise<number | undefined> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where(({ fn, eb }) => eb(fn('lower', ['email']), '=', lowered(email)))
    .orderBy('id')
    .executeTakeFirst();
  return found?.id;
}

/** Whether somebody is and was a member of no other project. */
async function isOnlyHere(db: Db, projectId: number, userId: number): Promise<boolean> {
  const other = await db
    .selectFrom('members')
    .select('projectId')
    .where('userId', '=', userId)
    .where('projectId', '!=', projectId)
    .executeTakeFirst();
  return other === undefined;
}

/** Whoever has an address signs in as its person. So SCIM moves the accounts that it made, and none of an administrator. */
async function refuseOtherAddress(
  db: Db,
  { projectId }: ScimPlace,
  userId: number,
  email: string,
  isAlone: boolean,
): Promise<void> {
  const row = await db
    .selectFrom('scimUsers')
    .innerJoin('members', (join) =>
      join.onRef('members.userId', '=', 'scimUsers.userId').onRef('members.projectId', '=', 'scimUsers.projectId'),
    )
    .select(['scimUsers.isOwn', 'members.permissionLevel'])
    .where((the) => the.and({ 'scimUsers.projectId': projectId, 'scimUsers.userId': userId }))
    .executeTakeFirst();
  if (row?.isOwn !== 1 || row.permissionLevel === 'admin' || !isAlone) {
    throw scimError(
      'mutability',
      'SCIM did not make this account, or it is of an administrator or of another project too, so its address stays.',
      'Create the person with the new address, and deactivate this one.',
    );
  }
  if ((await accountOf(db, email)) === undefined) return;
  throw scimError('uniqueness', `The address ${email} belongs to another account.`, 'Choose another address.');
}

async function saveUser(
  { db }: StoreTransaction,
  { clock }: ScimParts,
  { projectId }: ScimPlace,
  userId: number,
  { userName, externalId, givenName, familyName }: WantedUser,
  flags: { readonly isDeleted: number; readonly isOwn?: number },
): Promise<void> {
  const now = clock.now();
  const row = { userName, externalId, givenName, familyName, isDeleted: flags.isDeleted, changedAt: now };
  await db
    .insertInto('scimUsers')
    .values({ projectId, userId, isOwn: flags.isOwn ?? 0, createdAt: now, ...row })
    .onConflict((same) => same.columns(['projectId', 'userId']).doUpdateSet(row))
    .execute();
}

/**
 * Deactivating ends everything that the person has in the project at once. Whoever comes back has the level `user`, unless a group gives
 * another one: SCIM makes nobody an administrator.
 */
async function setActive(
  transaction: StoreTransaction,
  parts: ScimParts,
  { projectId, createdBy, author }: ScimPlace,
  { id: userId, email, isActive: wasActive }: Pick<ScimUser, 'id' | 'email' | 'isActive'>,
  isActive: boolean,
): Promise<void> {
  const { db } = transaction;
  if (isActive === wasActive) {
    await applyGroups(transaction, parts, { projectId, userId, author }, 'refuse');
    return;
  }
  if (!isActive && (await isLastAdministrator(db, projectId, userId))) throw lastAdministratorStays(email);
  const place = { projectId, userId };
  const change = isActive ? ({ isActive, permissionLevel: 'user' } as const) : { isActive };
  await changePerson(transaction, parts, place, change, { author, authorId: createdBy });
  if (isActive) await applyGroups(transaction, parts, { projectId, userId, author }, 'refuse');
}
