import * as z from 'zod';
import type { Clock } from '#kernel/ports/clock';
import { sha256Hex } from '#node/system/digest';
import type { Store } from '../store/store.ts';
import type { SignOnSecrets } from './company-sign-on.ts';

const kind = 'CompanySignOn';
const lifetimeMs = 10 * 60_000;
const secretsSchema = z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string() });

/** Sign-ons with the company's provider that are under way. */
export interface SignOnRepository {
  /** @param uid of the sign-in at the platform that it is a part of. */
  add(uid: string, secrets: SignOnSecrets): Promise<void>;
  findUid(state: string): Promise<string | undefined>;
  /** What the sign-on was begun with, once. */
  take(uid: string, state: string): Promise<SignOnSecrets | undefined>;
}

export function createSignOnRepository(store: Store, clock: Clock): SignOnRepository {
  return {
    add: (uid, secrets) =>
      store.transaction(async ({ db }) => {
        const payload = JSON.stringify(secrets);
        const times = { expiresAt: clock.now() + lifetimeMs, createdAt: clock.now() };
        await db
          .insertInto('signIns')
          .values({ kind, id: sha256Hex(secrets.state), uid, payload, ...times })
          .execute();
      }),
    findUid: async (state) => {
      const found = await store.db
        .selectFrom('signIns')
        .select('uid')
        .where((the) => the.and({ kind, id: sha256Hex(state) }))
        .where('expiresAt', '>', clock.now())
        .executeTakeFirst();
      return found?.uid ?? undefined;
    },
    take: (uid, state) =>
      store.transaction(async ({ db }) => {
        const taken = await db
          .deleteFrom('signIns')
          .where((the) => the.and({ kind, id: sha256Hex(state), uid }))
          .where('expiresAt', '>', clock.now())
          .returning('payload')
          .executeTakeFirst();
        return taken && secretsSchema.parse(JSON.parse(taken.payload));
      }),
  };
}
