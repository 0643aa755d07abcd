import type { PermissionLevel } from '#contracts/identity';
import { firstTeam } from '#contracts/permission-file';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { type AdminLog, type Author, auditUserOf, changeLog, type PersonAsAuthor } from '../audit/admin-log.ts';
import type { UserRecord } from '../identity/identity-repository.ts';
import { savePassword } from '../passwords/password-repository.ts';
import type { WantedMembership } from '../people/change-memberships.ts';
import { addMember } from '../people/people-repository.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { requireTeam } from '../teams/teams.ts';
import { logInvitation } from './log-invitation.ts';

type InvitedMembership = Omit<WantedMembership, 'sourceName'>;

export interface InvitationRecord {
  readonly id: number;
  readonly projectId: number;
  /** In lower case. */
  readonly email: string;
  readonly permissionLevel: PermissionLevel;
  readonly roleId: number;
  readonly roleName: string;
  /** `null` means the first one of the project. */
  readonly team: string | null;
  /** What it gives beside them. */
  readonly further: readonly InvitedMembership[];
  /** Milliseconds since the epoch, as all times. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly acceptedAt: number | null;
  readonly revokedAt: number | null;
}

/** An invitation, and what somebody who holds its link may know of where it leads. */
interface ReceivedInvitation extends InvitationRecord {
  readonly project: string;
  readonly inviter: { readonly firstName: string; readonly lastName: string };
}

interface NewInvitation
  extends Pick<InvitationRecord, 'projectId' | 'email' | 'permissionLevel' | 'roleId' | 'further'> {
  readonly team: string | null;
  readonly secretHash: string;
  readonly author: PersonAsAuthor;
  readonly expiresAt: number;
}

/** Whoever accepts. */
export interface JoiningPerson {
  readonly firstName: string;
  readonly lastName: string;
  /** The password of a new account, or of one that has no password and works in no project. */
  readonly passwordHash?: string;
}

export interface InvitationRepository {
  /**
   * Open ones of the same e-mail in the project are revoked. Rejects with `REQUEST_CONFLICT` for somebody who is a member, and with
   * `REQUEST_INVALID` for a team that the project does not have.
   */
  add(invitation: NewInvitation): Promise<InvitationRecord>;
  /** The newest first. */
  list(projectId: number): Promise<readonly InvitationRecord[]>;
  findBySecret(secretHash: string): Promise<ReceivedInvitation | undefined>;
  /** That one can accept now, in any project. */
  listOpen(email: string): Promise<readonly InvitationRecord[]>;
  /** Resolves to whether it was open. */
  revoke(projectId: number, id: number, author: Author): Promise<boolean>;
  /**
   * Make the person a member; the account is made if there is none. Resolves to the person's id. Rejects with
   * `REQUEST_CONFLICT` when the invitation is no longer open, or the account takes no first password any more.
   *
   * @param authorOf whose doing it is, of the person who joins.
   */
  accept(
    invitation: Pick<InvitationRecord, 'id' | 'projectId'>,
    person: JoiningPerson,
    authorOf: (joined: UserRecord) => Author,
  ): Promise<number>;
}

const isOpen = { acceptedAt: null, revokedAt: null } as const;

export function createInvitationRepository(store: Store, clock: Clock, adminLog: AdminLog): InvitationRepository {
  return {
    add: (invitation) =>
      store.transaction((transaction) => addInvitation(transaction, { clock, adminLog }, invitation)),
    list: (projectId) =>
      withFurther(
        store.db,
        invitations(store.db)
          .where('invitations.projectId', '=', projectId)
          .orderBy('invitations.id', 'desc')
          .limit(500),
      ),
    findBySecret: (secretHash) => findBySecret(store.db, secretHash),
    listOpen: (email) =>
      withFurther(
        store.db,
        invitations(store.db)
          .where((the) => the.and({ email, ...isOpen }))
          .where('expiresAt', '>', clock.now())
          .orderBy('invitations.id'),
      ),
    revoke: (projectId, id, author) =>
      store.transaction(async (transaction) => {
        const { db } = transaction;
        const revoked = await db
          .updateTable('invitations')
          .set({ revokedAt: clock.now() })
          .where((the) => the.and({ id, projectId, ...isOpen }))
          .returning('id')
          .executeTakeFirst();
        if (!revoked) return false;
        const invitation = await invitationOf(db, id);
        const wasGood = invitation.expiresAt > clock.now();
        if (wasGood) logInvitation(changeLog(adminLog, transaction, projectId, author), 'revoked', invitation);
        return true;
      }),
    accept: (invitation, person, authorOf) =>
      store.transaction((transaction) => accept(transaction, { clock, adminLog }, invitation, person, authorOf)),
  };
}

/** What an invitation is written with. */
interface Means {
  readonly clock: Clock;
  readonly adminLog: AdminLog;
}

async function addInvitation(
  transaction: StoreTransaction,
  { clock, adminLog }: Means,
  { author, further, ...invitation }: NewInvitation,
): Promise<InvitationRecord> {
  const { db, lock } = transaction;
  const { projectId, email, team } = invitation;
  await lock(`people of project ${projectId}`);
  await refuseMember(transaction, projectId, email);
  const teams = further.flatMap(({ kind, name }) => (kind === 'team' ? [name] : []));
  for (const name of team === null ? teams : [team, ...teams]) await requireTeam(db, projectId, name);
  const same = invitations(db).where((the) => the.and({ 'invitations.projectId': projectId, email, ...isOpen }));
  const replaced = await withFurther(db, same);
  await db
    .updateTable('invitations')
    .set({ revokedAt: clock.now() })
    .where((the) => the.and({ projectId, email, ...isOpen }))
    .execute();
  const { id } = await db
    .insertInto('invitations')
    .values({ ...invitation, invitedBy: author.user.id, createdAt: clock.now() })
    .returning('id')
    .executeTakeFirstOrThrow();
  const rows = further.map((each) => ({ invitationId: id, ...each }));
  if (rows.length > 0) await db.insertInto('invitedMemberships').values(rows).execute();
  const added = await invitationOf(db, id);
  const log = changeLog(adminLog, transaction, projectId, author);
  for (const each of replaced) if (each.expiresAt > clock.now()) logInvitation(log, 'revoked', each);
  logInvitation(log, 'made', added);
  return added;
}

async function accept(
  transaction: StoreTransaction,
  { clock, adminLog }: Means,
  ...[{ id, projectId }, person, authorOf]: Parameters<InvitationRepository['accept']>
): Promise<number> {
  const { db, lock } = transaction;
  await lock(`people of project ${projectId}`);
  const invitation = await db
    .updateTable('invitations')
    .set({ acceptedAt: clock.now() })
    .where((the) => the.and({ id, ...isOpen }))
    .where('expiresAt', '>', clock.now())
    .returning(['email', 'permissionLevel', 'roleId', 'team', 'invitedBy'])
    .executeTakeFirst();
  if (!invitation) throw notOpen();
  const { email, invitedBy, team, ...rights } = invitation;
  const user = await openAccount(transaction, email, person, clock);
  await refuseMember(transaction, projectId, email);
  const log = changeLog(adminLog, transaction, projectId, authorOf(user));
  const accepted = await invitationOf(db, id);
  logInvitation(log, 'accepted', accepted);
  const { further } = accepted;
  const member = { ...rights, projectId, userId: user.id, team: team ?? firstTeam, further };
  await addMember(transaction, clock, member, invitedBy, log);
  if (person.passwordHash !== undefined) {
    log({ type: 'add', resource: 'password', newValue: { user: auditUserOf(user) } });
  }
  return user.id;
}

function invitations(db: Store['db']) {
  return db
    .selectFrom('invitations')
    .innerJoin('roles', 'roles.id', 'invitations.roleId')
    .select(['invitations.id', 'invitations.projectId', 'invitations.email', 'invitations.permissionLevel'])
    .select(['invitations.roleId', 'roles.name as roleName', 'invitations.team', 'invitations.createdAt'])
    .select(['invitations.expiresAt', 'invitations.acceptedAt', 'invitations.revokedAt']);
}

async function withFurther<Row extends { readonly id: number }>(
  db: Store['db'],
  query: { execute(): Promise<readonly Row[]> },
): Promise<readonly (Row & Pick<InvitationRecord, 'further'>)[]> {
  const rows = await query.execute();
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const all = await db
    .selectFrom('invitedMemberships')
    .select(['invitationId', 'kind', 'name'])
    .where('invitationId', 'in', ids)
    .orderBy('name')
    .execute();
  const further = Map.groupBy(all, ({ invitationId }) => invitationId);
  return rows.map((row) => ({
    ...row,
    further: (further.get(row.id) ?? []).map(({ kind, name }) => ({ kind, name })),
  }));
}

async function invitationOf(db: Store['db'], id: number): Promise<InvitationRecord> {
  const [found] = await withFurther(db, invitations(db).where('invitations.id', '=', id));
  if (found) return found;
  throw cloudError('INTERNAL_BUG', 'An invitation is gone in the middle of a change.');
}

async function findBySecret(db: Store['db'], secretHash: string): Promise<ReceivedInvitation | undefined> {
  const query = invitations(db)
    .innerJoin('projects', 'projects.id', 'invitations.projectId')
    .innerJoin('users', 'users.id', 'invitations.invitedBy')
    .select(['projects.name as project', 'users.firstName', 'users.lastName'])
    .where('secretHash', '=', secretHash);
  const [found] = await withFurther(db, query);
  if (!found) return undefined;
  const { firstName, lastName, ...invitation } = found;
  return { ...invitation, inviter: { firstName, lastName } };
}

function findUser({ db }: StoreTransaction, email: string): Promise<UserRecord | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'firstName', 'lastName', 'email'])
    .where(({ fn, eb }) => eb(fn('lower', ['email']), '=', email))
    .orderBy('id')
    .executeTakeFirst();
}

/** The account of an e-mail, made if there is none, with the password that somebody who accepts has given it. */
async function openAccount(
  transaction: StoreTransaction,
  email: string,
  person: JoiningPerson,
  clock: Clock,
): Promise<UserRecord> {
  await transaction.lock(`account ${email}`);
  const known = await findUser(transaction, email);
  const user = known ?? (await addUser(transaction, email, person, clock));
  if (person.passwordHash === undefined) return user;
  if (known !== undefined) await refuseAccountInUse(transaction, known.id);
  await savePassword(transaction, user.id, person.passwordHash, clock);
  return user;
}

async function addUser(
  { db }: StoreTransaction,
  email: string,
  { firstName, lastName }: JoiningPerson,
  clock: Clock,
): Promise<UserRecord> {
  const user = { email, firstName, lastName };
  const { id } = await db
    .insertInto('users')
    .values({ ...user, createdAt: clock.now() })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, ...user };
}

async function refuseMember({ db }: StoreTransaction, projectId: number, email: string): Promise<void> {
  const member = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .select('members.deactivatedAt')
    .where('members.projectId', '=', projectId)
    .where(({ fn, eb }) => eb(fn('lower', ['users.email']), '=', email))
    .executeTakeFirst();
  if (!member) return;
  const isActive = member.deactivatedAt === null;
  throw cloudError(
    'REQUEST_CONFLICT',
    `${email} is a member of the project already${isActive ? '' : ', and deactivated'}.`,
    isActive ? 'Change the level or the role of the member.' : 'Activate the member again.',
  );
}

/** Somebody accepted two invitations at once: the password that came first stays. */
async function refuseAccountInUse({ db }: StoreTransaction, userId: number): Promise<void> {
  const password = await db.selectFrom('passwords').select('userId').where('userId', '=', userId).executeTakeFirst();
  const member = await db
    .selectFrom('members')
    .select('userId')
    .where((the) => the.and({ userId, deactivatedAt: null }))
    .executeTakeFirst();
  if (!password && !member) return;
  throw cloudError(
    'REQUEST_CONFLICT',
    'You have joined another project of this platform at the same time.',
    'Accept the invitation again, with the password that you have now.',
  );
}

/** Why an invitation cannot be accepted, whatever the reason. */
export function notOpen(reason = 'was accepted, revoked or replaced, or has expired'): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `The invitation ${reason}.`,
    'Ask an administrator of the project for a new invitation.',
  );
}
