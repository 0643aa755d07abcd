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

/** Whether a role of somebody demands a second factor. */
export type NeedsSecondFactor = (userId: number) => Promise<boolean>;

export interface Accounts {
  /** Finds nobody who needs a second factor and has not given it, so that what they are signed in with opens nothing. */
  readonly findAccount: FindAccount;
  /** The same for a sign-in that is under way: the second factor comes afterwards. */
  readonly findAccountInSignIn: FindAccount;
}

export function createAccounts(
  identity: IdentityRepository,
  tokens: TokenService,
  needsSecondFactor: NeedsSecondFactor,
): Accounts {
  const findAccountInSignIn: FindAccount = async (accountId) => {
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
  return {
    findAccountInSignIn,
    findAccount: async (accountId) => {
      const account = await findAccountInSignIn(accountId);
      if (!account || account.hasSecondFactor || !(await needsSecondFactor(account.userId))) return account;
      return undefined;
    },
  };
}

/** Whether the account reaches a project, as far as the token that it signed in with decides. */
export function reaches({ limit }: Pick<KnownAccount, 'limit'>, projectId: number): boolean {
  return limit === undefined || limit.projectId === projectId;
}
