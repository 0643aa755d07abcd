import { LRUCache } from 'lru-cache';
import type { Clock } from '#kernel/ports/clock';
import { sha256Hex } from '#node/system/digest';
import type { Store, StoreTransaction } from '../store/store.ts';

/** After how many failures in a row a subject is locked. Many people may share an address. */
const limits = { account: 5, address: 50 } as const;
const firstLockMs = 2_000;
const longestLockMs = 15 * 60_000;
const forgottenAfterMs = 24 * 60 * 60_000;
const knownPlaces = 10_000;
const knownForMs = 30 * 24 * 60 * 60_000;

export interface SignInTry {
  readonly email: string;
  /** Where it comes from; `undefined` where that says nothing. */
  readonly address: string | undefined;
}

/**
 * Counts how often signing in failed, in the store, so that all processes of the platform agree. A stranger who guesses locks the
 * account, but not at addresses from which its owner has signed in lately, as far as this process has seen it.
 */
export interface SignInTries {
  /** How often the address has failed lately; `undefined` while it or the account is locked. Changes nothing. */
  failuresOf(signInTry: SignInTry): Promise<number | undefined>;
  /**
   * Count a try as a failure before its password is looked at, so that many tries at once are as slow as one after another.
   * Resolves to whether the account and the address may try now. A try while one of them is locked counts for neither.
   */
  begin(signInTry: SignInTry): Promise<boolean>;
  /** The password was right: the failures of the account are forgotten, and the try does not count against the address. */
  succeeded(signInTry: SignInTry): Promise<void>;
}

export function createSignInTries(store: Store, clock: Clock): SignInTries {
  const known = new LRUCache<string, true>({ max: knownPlaces, ttl: knownForMs });
  const countedFor = (signInTry: SignInTry) => {
    const [account, address] = subjectsOf(signInTry);
    return { account: known.has(placeOf(signInTry)) ? undefined : account, address };
  };
  const find = ({ db }: StoreTransaction, subject: string) =>
    db.selectFrom('signInTries').select(['failures', 'lockedUntil']).where('subject', '=', subject).executeTakeFirst();
  return {
    failuresOf: async (signInTry) => {
      const now = clock.now();
      const { account, address } = countedFor(signInTry);
      const found = await store.db
        .selectFrom('signInTries')
        .select(['subject', 'failures', 'lockedUntil'])
        .where('subject', 'in', [account?.subject ?? '', address?.subject ?? ''])
        .where('failedAt', '>', now - forgottenAfterMs)
        .execute();
      if (found.some(({ lockedUntil }) => lockedUntil > now)) return undefined;
      return found.find(({ subject }) => subject === address?.subject)?.failures ?? 0;
    },
    begin: (signInTry) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        const now = clock.now();
        const { account, address } = countedFor(signInTry);
        const subjects = [account, address].filter((subject) => subject !== undefined);
        for (const { subject } of subjects) await lock(`sign-in tries of ${subject}`);
        await db
          .deleteFrom('signInTries')
          .where('failedAt', '<=', now - forgottenAfterMs)
          .execute();
        const counts: { subject: string; failures: number; limit: number }[] = [];
        for (const { subject, limit } of subjects) {
          const found = await find(transaction, subject);
          if (found && found.lockedUntil > now) return false;
          counts.push({ subject, failures: (found?.failures ?? 0) + 1, limit });
        }
        for (const { subject, failures, limit } of counts) {
          const row = { failures, lockedUntil: now + lockMs(failures, limit), failedAt: now };
          await db
            .insertInto('signInTries')
            .values({ subject, ...row })
            .onConflict((same) => same.column('subject').doUpdateSet(row))
            .execute();
        }
        return true;
      }),
    succeeded: async (signInTry) => {
      await store.transaction(async ({ db }) => {
        const [account, address] = subjectsOf(signInTry);
        await db
          .deleteFrom('signInTries')
          .where('subject', '=', account?.subject ?? '')
          .execute();
        if (!address) return;
        await db
          .updateTable('signInTries')
          .set(({ ref, eb }) => ({ failures: eb(ref('failures'), '-', 1), lockedUntil: 0 }))
          .where('subject', '=', address.subject)
          .where('failures', '>', 0)
          .execute();
      });
      if (signInTry.address !== undefined) known.set(placeOf(signInTry), true);
    },
  };
}

function lockMs(failures: number, limit: number): number {
  return failures < limit ? 0 : Math.min(firstLockMs * 2 ** (failures - limit), longestLockMs);
}

/** An account at an address. */
function placeOf({ email, address }: SignInTry): string {
  return sha256Hex(`${email} at ${address}`);
}

/** The account first. Always in this order, so that two tries never wait for one another. */
function subjectsOf({ email, address }: SignInTry): { readonly subject: string; readonly limit: number }[] {
  const account = { subject: sha256Hex(`account ${email}`), limit: limits.account };
  if (address === undefined) return [account];
  return [account, { subject: sha256Hex(`address ${address}`), limit: limits.address }];
}
