import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Random } from '#kernel/ports/random';
import type { FindAccount, KnownAccount } from './accounts.ts';
import { settingsCallbackPath, settingsClientId } from './clients.ts';
import type { OpenProvider } from './provider-holder.ts';

/** Somebody who is signed in to the platform in their browser. */
export interface BrowserSession {
  readonly userId: number;
  readonly account: KnownAccount;
  /**
   * Forms carry it, so that no other site can send one in somebody's name. It is derived from the secret of the session, which only
   * the cookie has.
   */
  readonly formToken: string;
}

/** Who knows the browsers that are signed in. */
export interface SignedInBrowsers {
  readonly openProvider: OpenProvider;
  readonly findAccount: FindAccount;
}

/** The session that the provider keeps for the browser of a request; `undefined` where nobody is signed in. */
export async function browserSessionOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { openProvider, findAccount }: SignedInBrowsers,
): Promise<BrowserSession | undefined> {
  const provider = await openProvider();
  const { accountId, jti } = await provider.Session.get(provider.createContext(request.raw, reply.raw));
  const account = await findAccount(accountId);
  return account && { userId: account.userId, account, formToken: digest(`form of ${jti}`) };
}

interface PageSignIn {
  /** Where the browser comes back to; `settingsCallbackPath` by default. */
  readonly callbackPath?: string;
  /** Ask who it is even where somebody is signed in. Default false. */
  readonly isAnew?: boolean;
}

/**
 * Where a browser begins to sign in for a page of the platform. It comes back with a session, and that is all that counts: nobody
 * can exchange the code that it comes back with.
 */
export async function settingsSignInUrl(
  openProvider: OpenProvider,
  random: Random,
  { callbackPath = settingsCallbackPath, isAnew = false }: PageSignIn = {},
): Promise<string> {
  const { origin } = new URL((await openProvider()).issuer);
  const query = new URLSearchParams({
    client_id: settingsClientId,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: origin + callbackPath,
    ...(isAnew ? { prompt: 'login' } : {}),
    code_challenge: digest(random.hex(32)),
    code_challenge_method: 'S256',
  });
  return `/oidc/auth?${query}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
