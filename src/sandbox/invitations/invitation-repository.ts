import type { PermissionLevel } from '#contracts/identity';
import { CloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { savePassword } from '../passwords/password-repository.ts';
import { addMember } from '../people/people-repository.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { firstTeam, requireTeam } from '../teams/teams.ts';

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
  /** Milliseconds since the epoch, as all times. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly acceptedAt: number | null;
  readonly revokedAt: number | null;
}

export interface NewInvitation extends Pick<InvitationRecord, 'projectId' | 'email' | 'permissionLevel' | 'roleId'> {
  readonly team: string | null;
  readonly secretHash: string;
  readonly invitedBy: number;
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
  findBySecret(secretHash: string): Promise<InvitationRecord | undefined>;
  /** That one can accept now, in any project. */
  listOpen(email: string): Promise<readonly InvitationRecord[]>;
  /** Resolves to whether it was open. */
  revoke(projectId: number, id: number): Promise<boolean>;
  /**
   * Make the person a member; the account is made where there is none. Resolves to the person's id. Rejects with
   * `REQUEST_CONFLICT` when the invitation is no longer open, or the account takes no first password any more.
   */
  accept(invitation: Pick<InvitationRecord, 'id' | 'projectId'>, person: JoiningPerson): Promise<number>;
}

export function createInvitationRepository(store: Store, clock: Clock): InvitationRepository {
  const isOpen = { acceptedAt: null, revokedAt: null } as const;
  return {
    add: (invitation) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        const { projectId, email } = invitation;
        await lock(`people of project ${projectId}`);
        await refuseMember(transaction, projectId, email);
        if (invitation.team !== null) await requireTeam(db, projectId, invitation.team);
        await db
          .updateTable('invitations')
          .set({ revokedAt: clock.now() })
          .where((the) => the.and({ projectId, email, ...isOpen }))
          .execute();
        const { id } = await db
          .insertInto('invitations')
          .values({ ...invitation, createdAt: clock.now() })
          .returning('id')
          .executeTakeFirstOrThrow();
        return invitations(db).where('invitations.id', '=', id).executeTakeFirstOrThrow();
      }),
    list: (projectId) =>
      invitations(store.db)
        .where('invitations.projectId', '=', projectId)
        .orderBy('invitations.id', 'desc')
        .limit(500)
        .execute(),
    findBySecret: (secretHash) => invitations(store.db).where('secretHash', '=', secretHash).executeTakeFirst(),
    listOpen: (email) =>
      invitations(store.db)
        .where((the) => the.and({ email, ...isOpen }))
        .where('expiresAt', '>', clock.now())
        .orderBy('invitations.id')
        .execute(),
    revoke: (projectId, id) =>
      store.transaction(async ({ db }) => {
        const revoked = await db
          .updateTable('invitations')
          .set({ revokedAt: clock.now() })
          .where((the) => the.and({ id, projectId, ...isOpen }))
          .returning('id')
          .executeTakeFirst();
        return revoked !== undefined;
      }),
    accept: ({ id, projectId }, person) =>
      store.transaction(async (transaction) => {
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
        const userId = await openAccount(transaction, email, person, clock);
        await refuseMember(transaction, projectId, email);
        await addMember(transaction, clock, { ...rights, projectId, userId, team: team ?? firstTeam }, invitedBy);
        return userId;
      }),
  };
}

function invitations(db: Store['db']) {
  return db
    .selectFrom('invitations')
    .innerJoin('roles', 'roles.id', 'invitations.roleId')
    .select(['invitations.id', 'invitations.projectId', 'invitations.email', 'invitations.permissionLevel'])
    .select(['invitations.roleId', 'roles.name as roleName', 'invitations.team', 'invitations.createdAt'])
    .select(['invitations.expiresAt', 'invitations.acceptedAt', 'invitations.revokedAt']);
}

async function findUser({ db }: StoreTransaction, email: string): Promise<number | undefined> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where(({ fn, eb }) => eb(fn('lower', ['email']), '=', email))
    .orderBy('id')
    .executeTakeFirst();
  return found?.id;
}

/** The account of an e-mail, made where there is none, with the password that somebody who accepts has given it. */
async function openAccount(
  transaction: StoreTransaction,
  email: string,
  person: JoiningPerson,
  clock: Clock,
): Promise<number> {
  await transaction.lock(`account ${email}`);
  const known = await findUser(transaction, email);
  const userId = known ?? (await addUser(transaction, email, person, clock));
  if (person.passwordHash === undefined) return userId;
  if (known !== undefined) await refuseAccountInUse(transaction, known);
  await savePassword(transaction, userId, person.passwordHash, clock);
  return userId;
}

async function addUser(
  { db }: StoreTransaction,
  email: string,
  { firstName, lastName }: JoiningPerson,
  clock: Clock,
): Promise<number> {
  const { id } = await db
    .insertInto('users')
    .values({ email, firstName, lastName, createdAt: clock.now() })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
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
  throw new CloudError({
    code: 'REQUEST_CONFLICT',
    message: `${email} is a member of the project already${isActive ? '' : ', and deactivated'}.`,
    nextSteps: [isActive ? 'Change the level or the role of the member.' : 'Activate the member again.'],
  });
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
  throw new CloudError({
    code: 'REQUEST_CONFLICT',
    message: 'You have joined another project of this platform at the same time.',
    nextSteps: ['Accept the invitation again, with the password that you have now.'],
  });
}

/** Why an invitation cannot be accepted, whatever the reason. */
export function notOpen(reason = 'was accepted, revoked or replaced, or has expired'): CloudError {
  return new CloudError({
    code: 'REQUEST_CONFLICT',
    message: `The invitation ${reason}.`,
    nextSteps: ['Ask an administrator of the project for a new invitation.'],
  });
}
