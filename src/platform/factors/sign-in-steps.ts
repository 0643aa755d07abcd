import * as z from 'zod';
import type { Clock } from '#kernel/ports/clock';
import { sha256Hex } from '#node/system/digest';
import type { Store } from '../store/store.ts';
import { type Account, accountIdOf, readAccountId } from '../tokens/account-id.ts';

const lifetimeMs = 10 * 60_000;

/** What a sign-in, or a change of factors, is in the middle of. */
const contents = {
  /** Who has signed in so far. */
  FirstFactor: z.object({ accountId: z.string(), isVouched: z.boolean().default(false) }),
  /** What a passkey is to sign. */
  PasskeyChallenge: z.object({ challenge: z.string() }),
  /** The secret of an authenticator app that nobody has confirmed yet, encrypted. */
  TotpSecret: z.object({ sealed: z.string() }),
} as const;

type Kind = keyof typeof contents;
type Content<Of extends Kind> = z.infer<(typeof contents)[Of]>;

/** Steps under way. Each is of one sign-in or one browser (`subject`), ends by itself, and with everything that its person has. */
export interface SignInSteps {
  put<Of extends Kind>(kind: Of, subject: string, userId: number, content: Content<Of>): Promise<void>;
  find<Of extends Kind>(kind: Of, subject: string): Promise<Content<Of> | undefined>;
  /** What `find` finds, once. */
  take<Of extends Kind>(kind: Of, subject: string): Promise<Content<Of> | undefined>;
}

export function createSignInSteps(store: Store, clock: Clock): SignInSteps {
  const read = <Of extends Kind>(kind: Of, payload: string | undefined) =>
    payload === undefined ? undefined : (contents[kind].parse(JSON.parse(payload)) as Content<Of>);
  return {
    put: (kind, subject, userId, content) =>
      store.transaction(async ({ db }) => {
        const times = { expiresAt: clock.now() + lifetimeMs, createdAt: clock.now() };
        const row = { accountId: userId, payload: JSON.stringify(content), ...times };
        await db
          .insertInto('signIns')
          .values({ kind, id: sha256Hex(subject), ...row })
          .onConflict((same) => same.columns(['kind', 'id']).doUpdateSet(row))
          .execute();
      }),
    find: async (kind, subject) => {
      const found = await store.db
        .selectFrom('signIns')
        .select('payload')
        .where((the) => the.and({ kind, id: sha256Hex(subject) }))
        .where('expiresAt', '>', clock.now())
        .executeTakeFirst();
      return read(kind, found?.payload);
    },
    take: async (kind, subject) => {
      const taken = await store.transaction(({ db }) =>
        db
          .deleteFrom('signIns')
          .where((the) => the.and({ kind, id: sha256Hex(subject) }))
          .where('expiresAt', '>', clock.now())
          .returning('payload')
          .executeTakeFirst(),
      );
      return read(kind, taken?.payload);
    },
  };
}

/** Who has signed in so far. */
export interface SignedIn extends Account {
  /** Whether the provider of the company, or the machine of the platform, says who they are, and no password does. */
  readonly isVouched?: boolean | undefined;
}

/** Who has signed in so far, at the sign-in of that name. */
export interface FirstFactors {
  note(uid: string, signedIn: SignedIn): Promise<void>;
  find(uid: string): Promise<SignedIn | undefined>;
}

export function createFirstFactors(steps: SignInSteps): FirstFactors {
  return {
    note: (uid, { isVouched = false, ...account }) =>
      steps.put('FirstFactor', signInSubject(uid), account.userId, { accountId: accountIdOf(account), isVouched }),
    find: async (uid) => {
      const found = await steps.find('FirstFactor', signInSubject(uid));
      return found && { ...readAccountId(found.accountId), isVouched: found.isVouched };
    },
  };
}

/** What steps of a sign-in are found by. */
export function signInSubject(uid: string): string {
  return `sign-in ${uid}`;
}
