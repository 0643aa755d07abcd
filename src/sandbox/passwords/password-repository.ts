import type { Clock } from '#kernel/ports/clock';
import { endAccess } from '../sessions/end-access.ts';
import type { Store, StoreTransaction } from '../store/store.ts';

export interface NewPasswordReset {
  readonly secretHash: string;
  readonly userId: number;
  readonly madeBy: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Passwords as hashes, and the links that set new ones. */
export interface PasswordRepository {
  /** @param email in lower case. */
  findByEmail(email: string): Promise<{ readonly userId: number; readonly hash: string | undefined } | undefined>;
  /** Set the password and end all sessions of the person. */
  set(userId: number, passwordHash: string): Promise<void>;
  /** Links made before for the same person stop working. */
  addReset(reset: NewPasswordReset): Promise<void>;
  findReset(
    secretHash: string,
  ): Promise<{ readonly email: string; readonly expiresAt: number; readonly usedAt: number | null } | undefined>;
  /** Set the password and end all sessions of the person. Resolves to `false` when the link is no longer good. */
  useReset(secretHash: string, passwordHash: string): Promise<boolean>;
}

export function createPasswordRepository(store: Store, clock: Clock): PasswordRepository {
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
    set: (userId, passwordHash) =>
      store.transaction(async (transaction) => {
        await savePassword(transaction, userId, passwordHash, clock);
        await endAccess(transaction, userId, clock);
      }),
    addReset: (reset) =>
      store.transaction(async ({ db }) => {
        await db.deleteFrom('passwordResets').where('userId', '=', reset.userId).execute();
        await db.insertInto('passwordResets').values(reset).execute();
      }),
    findReset: (secretHash) =>
      store.db
        .selectFrom('passwordResets')
        .innerJoin('users', 'users.id', 'passwordResets.userId')
        .select(['users.email', 'passwordResets.expiresAt', 'passwordResets.usedAt'])
        .where('secretHash', '=', secretHash)
        .executeTakeFirst(),
    useReset: (secretHash, passwordHash) =>
      store.transaction(async (transaction) => {
        const used = await transaction.db
          .updateTable('passwordResets')
          .set({ usedAt: clock.now() })
          .where('secretHash', '=', secretHash)
          .where('usedAt', 'is', null)
          .where('expiresAt', '>', clock.now())
          .returning('userId')
          .executeTakeFirst();
        if (!used) return false;
        await savePassword(transaction, used.userId, passwordHash, clock);
        await endAccess(transaction, used.userId, clock);
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
