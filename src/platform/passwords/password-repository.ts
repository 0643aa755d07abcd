import type { Clock } from '#kernel/ports/clock';
import { type AdminLog, type Author, auditUserOf, authorOf, type PersonAsAuthor } from '../audit/admin-log.ts';
import { projectsOfPerson, type UserRecord } from '../identity/identity-repository.ts';
import { endAccess } from '../sessions/end-access.ts';
import type { Store, StoreTransaction } from '../store/store.ts';

interface NewPasswordReset {
  readonly secretHash: string;
  readonly user: UserRecord;
  /** Project in which it was made. */
  readonly projectId: number;
  readonly author: PersonAsAuthor;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Passwords as hashes, and the links that set new ones. */
export interface PasswordRepository {
  /** @param email in lower case. */
  findByEmail(email: string): Promise<{ readonly userId: number; readonly hash: string | undefined } | undefined>;
  /** Set the password and end all sessions of the person. The log of each of their projects has it. */
  set(user: UserRecord, passwordHash: string, author: Author): Promise<void>;
  /** Links made before for the same person stop working. */
  addReset(reset: NewPasswordReset): Promise<void>;
  findReset(
    secretHash: string,
  ): Promise<{ readonly email: string; readonly expiresAt: number; readonly usedAt: number | null } | undefined>;
  /**
   * The same, by a link. Resolves to `false` when it is no longer good.
   *
   * @param address where the person comes from.
   */
  useReset(secretHash: string, passwordHash: string, address: string | undefined): Promise<boolean>;
}

export function createPasswordRepository(store: Store, clock: Clock, adminLog: AdminLog): PasswordRepository {
  const replace = async (transaction: StoreTransaction, user: UserRecord, passwordHash: string, author: Author) => {
    const { db } = transaction;
    await savePassword(transaction, user.id, passwordHash, clock);
    const newValue = { user: auditUserOf(user) };
    // In the order of the projects, and before agents learn about it, because others hold the same things in this order.
    for (const projectId of await projectsOfPerson(db, user.id)) {
      adminLog(transaction, { projectId, author, type: 'update', resource: 'password', newValue });
    }
    await endAccess(transaction, { user, clock, adminLog, author });
  };
  return {
    findByEmail: async (email) => {
      const found = await store.db
        .selectFrom('users')
        .leftJoin('passwords', 'passwords.userId', 'users.id')
        .select(['users.id as userId', 'passwords.hash'])
        .where(({ fn, eb }) => eb(fn('lower', ['users.email']), '=', email))
        .orderBy('users.id')
        .executeTakeFirst();
      return found && { userId: found.userId, hash: found.hash ?? undefined };
    },
    set: (user, passwordHash, author) =>
      store.transaction((transaction) => replace(transaction, user, passwordHash, author)),
    addReset: ({ secretHash, user, projectId, author, expiresAt }) =>
      store.transaction(async (transaction) => {
        const { db } = transaction;
        await db.deleteFrom('passwordResets').where('userId', '=', user.id).execute();
        const made = { secretHash, userId: user.id, madeBy: author.user.id, expiresAt };
        await db.insertInto('passwordResets').values(made).execute();
        const newValue = { user: auditUserOf(user), expiresAt: new Date(expiresAt).toISOString() };
        adminLog(transaction, { projectId, author, type: 'add', resource: 'password', newValue });
      }),
    findReset: (secretHash) =>
      store.db
        .selectFrom('passwordResets')
        .innerJoin('users', 'users.id', 'passwordResets.userId')
        .select(['users.email', 'passwordResets.expiresAt', 'passwordResets.usedAt'])
        .where('secretHash', '=', secretHash)
        .executeTakeFirst(),
    useReset: (secretHash, passwordHash, address) =>
      store.transaction(async (transaction) => {
        const { db } = transaction;
        const used = await db
          .updateTable('passwordResets')
          .set({ usedAt: clock.now() })
          .where('secretHash', '=', secretHash)
          .where('usedAt', 'is', null)
          .where('expiresAt', '>', clock.now())
          .returning('userId')
          .executeTakeFirst();
        if (!used) return false;
        const user = await db
          .selectFrom('users')
          .select(['id', 'firstName', 'lastName', 'email'])
          .where('id', '=', used.userId)
          .executeTakeFirstOrThrow();
        await replace(transaction, user, passwordHash, authorOf(user, address));
        return true;
      }),
  };
}

/** As a part of another change. */
export async function savePassword(
  { db }: StoreTransaction,
  userId: number,
  hash: string,
  clock: Clock,
): Promise<void> {
  const row = { hash, changedAt: clock.now() };
  await db
    .insertInto('passwords')
    .values({ userId, ...row })
    .onConflict((same) => same.column('userId').doUpdateSet(row))
    .execute();
}
