import type { Clock } from '#kernel/ports/clock';
import type { Store } from '../store/store.ts';

export interface TokenRecord {
  readonly id: number;
  readonly tokenHash: string;
  readonly userId: number;
  readonly environmentId: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

export interface NewToken extends Omit<TokenRecord, 'id' | 'revokedAt'> {
  /** What it was made for. */
  readonly purpose: string;
  /** Where it was made from, where that is known. */
  readonly address: string | null;
}

/** Tokens of people, kept only as SHA-256. */
export interface TokenRepository {
  /** Those that the same user has for the same environment and purpose are revoked. */
  replace(token: NewToken): Promise<void>;
  findByHash(tokenHash: string): Promise<TokenRecord | undefined>;
  /** Silent when there is no such token or it was revoked before. */
  revoke(tokenHash: string): Promise<void>;
}

export function createTokenRepository(store: Store, clock: Clock): TokenRepository {
  return {
    replace: (token) =>
      store.transaction(async ({ db, lock }) => {
        const { userId, environmentId, purpose } = token;
        await lock(`tokens of user ${userId}`);
        await db
          .updateTable('tokens')
          .set({ revokedAt: clock.now() })
          .where((the) => the.and({ userId, environmentId, purpose, revokedAt: null }))
          .execute();
        await db
          .insertInto('tokens')
          .values({ ...token, createdAt: clock.now() })
          .execute();
      }),
    findByHash: (tokenHash) =>
      store.db
        .selectFrom('tokens')
        .select(['id', 'tokenHash', 'userId', 'environmentId', 'expiresAt', 'revokedAt'])
        .where('tokenHash', '=', tokenHash)
        .executeTakeFirst(),
    revoke: (tokenHash) =>
      store.transaction(async ({ db }) => {
        await db
          .updateTable('tokens')
          .set({ revokedAt: clock.now() })
          .where('tokenHash', '=', tokenHash)
          .where('revokedAt', 'is', null)
          .execute();
      }),
  };
}
