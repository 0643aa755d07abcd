import type { TokenAudience } from '#contracts/printed-tokens';
import type { Clock } from '#kernel/ports/clock';
import type { AdminLog } from '../audit/admin-log.ts';
import { clientAddress } from '../server/client-address.ts';
import type { Store } from '../store/store.ts';
import { endPrintedTokens, revokedColumns } from './end-printed-tokens.ts';
import { logToken } from './log-token.ts';

export interface TokenRecord {
  readonly id: number;
  readonly tokenHash: string;
  readonly userId: number;
  readonly environmentId: number;
  /** Milliseconds since the epoch, as all times. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
  /** Id of the token that it was printed from; `null` for a sign-in. */
  readonly printedFrom: number | null;
  readonly audience: TokenAudience;
  readonly isReadOnly: boolean;
  /** Whether its owner had given a second factor. */
  readonly hasSecondFactor: boolean;
}

interface NewToken
  extends Pick<TokenRecord, 'tokenHash' | 'userId' | 'environmentId' | 'expiresAt' | 'hasSecondFactor'> {
  /** What it was made for. */
  readonly purpose: string;
  /** Where it was made from, where that is known. */
  readonly address: string | null;
}

type PrintedRecord = NewToken & Pick<TokenRecord, 'printedFrom' | 'audience' | 'isReadOnly'>;

/** Tokens of people, kept only as SHA-256. The log of changes has each that is made or revoked. */
export interface TokenRepository {
  /** Those that the same user has for the same environment and purpose are revoked. */
  replace(token: NewToken): Promise<void>;
  /** Keep a token that was printed from another one. Resolves to false where that one is no longer good. */
  addPrinted(token: PrintedRecord): Promise<boolean>;
  findByHash(tokenHash: string): Promise<TokenRecord | undefined>;
  findById(id: number): Promise<TokenRecord | undefined>;
  /** Ends what was printed from it, too. Silent when there is no such token or it was revoked before. */
  revoke(tokenHash: string): Promise<void>;
}

export function createTokenRepository(store: Store, clock: Clock, adminLog: AdminLog): TokenRepository {
  const find = (by: TokenKey) => findToken(store, by);
  return {
    replace: (token) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        const { userId, environmentId, purpose } = token;
        await lock(`tokens of user ${userId}`);
        const replaced = await db
          .updateTable('tokens')
          .set({ revokedAt: clock.now() })
          .where((the) => the.and({ userId, environmentId, purpose, revokedAt: null, printedFrom: null }))
          .returning(revokedColumns)
          .execute();
        await db
          .insertInto('tokens')
          .values({ ...token, hasSecondFactor: token.hasSecondFactor ? 1 : 0, createdAt: clock.now() })
          .execute();
        const by = { address: addressOf(token) };
        for (const each of replaced) {
          if (each.expiresAt > clock.now()) await logToken(transaction, adminLog, 'remove', each, by);
        }
        await endPrintedTokens(transaction, { clock, adminLog, by }, replaced);
        await logToken(transaction, adminLog, 'add', token, by);
      }),
    addPrinted: ({ isReadOnly, ...token }) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        await lock(`tokens of user ${token.userId}`);
        const signIn = await db
          .selectFrom('tokens')
          .select('id')
          .where((the) => the.and({ id: token.printedFrom ?? 0, revokedAt: null }))
          .executeTakeFirst();
        if (!signIn) return false;
        const flags = { isReadOnly: isReadOnly ? 1 : 0, hasSecondFactor: token.hasSecondFactor ? 1 : 0 };
        const values = { ...token, ...flags, createdAt: clock.now() };
        await db.insertInto('tokens').values(values).execute();
        await logToken(transaction, adminLog, 'add', token, { address: addressOf(token) });
        return true;
      }),
    findByHash: (tokenHash) => find({ tokenHash }),
    findById: (id) => find({ id }),
    revoke: (tokenHash) =>
      store.transaction(async (transaction) => {
        const revoked = await transaction.db
          .updateTable('tokens')
          .set({ revokedAt: clock.now() })
          .where('tokenHash', '=', tokenHash)
          .where('revokedAt', 'is', null)
          .returning(revokedColumns)
          .executeTakeFirst();
        if (!revoked) return;
        const by = { address: undefined };
        await logToken(transaction, adminLog, 'remove', revoked, by);
        await endPrintedTokens(transaction, { clock, adminLog, by }, [revoked]);
      }),
  };
}

type TokenKey = { readonly tokenHash: string } | { readonly id: number };

async function findToken({ db }: Store, by: TokenKey): Promise<TokenRecord | undefined> {
  const row = await db
    .selectFrom('tokens')
    .select(['id', 'tokenHash', 'userId', 'environmentId', 'expiresAt', 'revokedAt'])
    .select(['printedFrom', 'audience', 'isReadOnly', 'hasSecondFactor', 'createdAt'])
    .where((the) => the.and(by))
    .executeTakeFirst();
  if (!row) return undefined;
  const flags = { isReadOnly: row.isReadOnly === 1, hasSecondFactor: row.hasSecondFactor === 1 };
  return { ...row, audience: row.audience as TokenAudience, ...flags };
}

function addressOf({ address }: NewToken): string | undefined {
  return address === null ? undefined : clientAddress({ ip: address });
}
