import type { IdentityRepository, UserRecord } from '../identity/identity-repository.ts';
import { type Account, readAccountId } from '../tokens/account-id.ts';
import type { TokenService } from '../tokens/token-service.ts';

/** What whoever signed in with a token may do: no more than the token, and no longer. */
interface AccountLimit {
  readonly tokenId: number;
  readonly projectId: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface KnownAccount extends Account {
  readonly user: UserRecord;
  readonly limit: AccountLimit | undefined;
}

/** Looks up an account by its id; `undefined` where the person is gone, or their token was revoked or has expired. */
export type FindAccount = (accountId: string | undefined) => Promise<KnownAccount | undefined>;

export function createAccounts(identity: IdentityRepository, tokens: TokenService): FindAccount {
  return async (accountId) => {
    if (accountId === undefined) return undefined;
    const account = readAccountId(accountId);
    const user = await identity.findUser(account.userId);
    if (!user) return undefined;
    if (account.tokenId === undefined) return { ...account, user, limit: undefined };
    const token = await tokens.findSignIn(account.tokenId);
    const environment = token && (await identity.findEnvironment(token.environmentId));
    if (!environment) return undefined;
    const { projectId } = environment;
    return { ...account, user, limit: { tokenId: account.tokenId, projectId, expiresAt: token.expiresAt } };
  };
}

/** Whether the account reaches a project, as far as the token that it signed in with decides. */
export function reaches({ limit }: Pick<KnownAccount, 'limit'>, projectId: number): boolean {
  return limit === undefined || limit.projectId === projectId;
}
