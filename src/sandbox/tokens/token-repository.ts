import type { Clock } from '#kernel/ports/clock';
import type { RecordChange } from '../audit/admin-log.ts';
import { clientAddress } from '../server/client-address.ts';
import type { Store } from '../store/store.ts';
import { logToken } from './log-token.ts';

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

/** Tokens of people, kept only as SHA-256. The log of changes has each that is made or revoked. */
export interface TokenRepository {
  /** Those that the same user has for the same environment and purpose are revoked. */
  replace(token: NewToken): Promise<void>;
  findByHash(tokenHash: string): Promise<TokenRecord | undefined>;
  /** Silent when there is no such token or it was revoked before. */
  revoke(tokenHash: string): Promise<void>;
}

export function createTokenRepository(store: Store, clock: Clock, record: RecordChange): TokenRepository {
  return {
    replace: (token) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        const { userId, environmentId, purpose } = token;
        await lock(`tokens of user ${userId}`);
        const replaced = await db
          .updateTable('tokens')
          .set({ revokedAt: clock.now() })
          .where((the) => the.and({ userId, environmentId, purpose, revokedAt: null }))
          .returning(logged)
          .execute();
        await db
          .insertInto('tokens')
          .values({ ...token, createdAt: clock.now() })
          .execute();
        const by = { address: token.address === null ? undefined : clientAddress({ ip: token.address }) };
        for (const each of replaced) {
          if (each.expiresAt > clock.now()) await logToken(transaction, record, 'remove', each, by);
        }
        await logToken(transaction, record, 'add', token, by);
      }),
    findByHash: (tokenHash) =>
      store.db
        .selectFrom('tokens')
        .select(['id', 'tokenHash', 'userId', 'environmentId', 'expiresAt', 'revokedAt'])
        .where('tokenHash', '=', tokenHash)
        .executeTakeFirst(),
    revoke: (tokenHash) =>
      store.transaction(async (transaction) => {
        const revoked = await transaction.db
          .updateTable('tokens')
          .set({ revokedAt: clock.now() })
          .where('tokenHash', '=', tokenHash)
          .where('revokedAt', 'is', null)
          .returning(logged)
          .executeTakeFirst();
        if (revoked) await logToken(transaction, record, 'remove', revoked, { address: undefined });
      }),
  };
}

const logged = ['userId', 'environmentId', 'purpose', 'expiresAt'] as const;
