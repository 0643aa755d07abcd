import type { JWK } from 'jose';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { Store } from '../store/store.ts';

export interface SignInKeys {
  /** Signs who somebody is: a private RSA key. */
  readonly signingKey: JWK;
  /** Signs the cookies of sign-ins under way. */
  readonly cookieKey: string;
}

/** The keys that every process of the platform signs with; made when they are first asked for. */
export async function openSignInKeys(store: Store, clock: Clock, random: Random): Promise<SignInKeys> {
  const kept = await find(store);
  if (kept) return kept;
  const signingKey = JSON.stringify(await makeSigningKey(random));
  const cookieKey = random.hex(32);
  await store.transaction(async ({ db }) => {
    await db
      .insertInto('signInKeys')
      .values({ id: 1, signingKey, cookieKey, createdAt: clock.now() })
      .onConflict((same) => same.doNothing())
      .execute();
  });
  // Another process may have been first.
  return (await find(store)) ?? openSignInKeys(store, clock, random);
}

async function find(store: Store): Promise<SignInKeys | undefined> {
  const row = await store.db.selectFrom('signInKeys').select(['signingKey', 'cookieKey']).executeTakeFirst();
  return row && { signingKey: JSON.parse(row.signingKey) as JWK, cookieKey: row.cookieKey };
}

async function makeSigningKey(random: Random): Promise<JWK> {
  const { exportJWK, generateKeyPair } = await import('jose');
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: random.uuid() };
}
