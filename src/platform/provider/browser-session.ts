import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Random } from '#kernel/ports/random';
import { sha256Hex } from '#node/system/digest';
import type { FindPageSession } from '../page-access/page-session.ts';
import { accountIdOf } from '../tokens/account-id.ts';
import type { FindAccount, KnownAccount } from './accounts.ts';
import type { OwnPage } from './clients.ts';
import type { OpenProvider } from './provider-holder.ts';

/** Somebody who is signed in to the platform in their browser. */
export interface BrowserSession {
  /** SHA-256 of the secret that only the cookie has. */
  readonly id: string;
  readonly userId: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
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
  const { accountId, jti, exp } = await provider.Session.get(provider.createContext(request.raw, reply.raw));
  const account = await findAccount(accountId);
  if (!account || exp === undefined) return undefined;
  const end = account.limit?.expiresAt ?? Number.POSITIVE_INFINITY;
  return {
    id: sha256Hex(jti),
    userId: account.userId,
    expiresAt: Math.min(exp * 1000, end),
    account,
    formToken: digest(`form of ${jti}`),
  };
}

/** Finds the sessions that pages of the platform are sent with. */
export function pageSessions(browsers: SignedInBrowsers): FindPageSession {
  return async (request, reply) => {
    const session = await browserSessionOf(request, reply, browsers);
    if (!session) return undefined;
    const { id, userId, expiresAt, account } = session;
    return { id, userId, accountId: accountIdOf(account), expiresAt, projectId: account.limit?.projectId };
  };
}

/** Sign a browser out: its session is no more, and its cookies go with the answer. Resolves to the id that the session had. */
export async function endBrowserSession(
  request: FastifyRequest,
  reply: FastifyReply,
  openProvider: OpenProvider,
): Promise<string> {
  const provider = await openProvider();
  const session = await provider.Session.get(provider.createContext(request.raw, reply.raw));
  await session.destroy();
  const isSecure = new URL(provider.issuer).protocol === 'https:';
  const name = provider.cookieName('session');
  const gone = `=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  reply.header('set-cookie', [name + gone, `${name}.sig${gone}`]);
  return sha256Hex(session.jti);
}

interface PageSignIn {
  /** Comes back with the browser. */
  readonly state?: string;
  /** Ask who it is even where somebody is signed in. Default false. */
  readonly isAnew?: boolean;
}

/**
 * Where a browser begins to sign in for a page of the platform. It comes back with a session, and that is all that counts: nobody
 * can exchange the code that it comes back with.
 */
export async function pageSignInUrl(
  openProvider: OpenProvider,
  random: Random,
  { clientId, callbackPath }: OwnPage,
  { state, isAnew = false }: PageSignIn = {},
): Promise<string> {
  const { origin } = new URL((await openProvider()).issuer);
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: origin + callbackPath,
    ...(state === undefined ? {} : { state }),
    ...(isAnew ? { prompt: 'login' } : {}),
    code_challenge: digest(random.hex(32)),
    code_challenge_method: 'S256',
  });
  return `/oidc/auth?${query}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
