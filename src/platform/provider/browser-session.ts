import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Random } from '#kernel/ports/random';
import { sha256Hex } from '#node/system/digest';
import { isSameSecret } from '#node/system/secrets';
import type { FindPageSession } from '../page-access/page-session.ts';
import { type Account, accountIdOf, readAccountId } from '../tokens/account-id.ts';
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
  /** When the person signed in, in milliseconds since the epoch. */
  readonly signedInAt: number;
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
  const {
    accountId,
    jti,
    exp,
    loginTs = 0,
  } = await provider.Session.get(provider.createContext(request.raw, reply.raw));
  const account = await findAccount(accountId);
  if (!account || exp === undefined) return undefined;
  const end = account.limit?.expiresAt ?? Number.POSITIVE_INFINITY;
  return {
    id: sha256Hex(jti),
    userId: account.userId,
    expiresAt: Math.min(exp * 1000, end),
    signedInAt: loginTs * 1000,
    account,
    formToken: digest(`form of ${jti}`),
  };
}

/** Finds the sessions that pages of the platform are sent with. */
export function pageSessions(browsers: SignedInBrowsers): FindPageSession {
  return async (request, reply) => {
    const session = await browserSessionOf(request, reply, browsers);
    if (!session) return undefined;
    const { id, userId, expiresAt, signedInAt, account } = session;
    return { id, userId, accountId: accountIdOf(account), expiresAt, signedInAt, projectId: account.limit?.projectId };
  };
}

/** Throws `REQUEST_FORBIDDEN` for a form that another site, or a page of another sign-in, has sent. */
export function refuseForeignForm(
  { formToken }: BrowserSession,
  { formToken: sent }: Readonly<Record<string, unknown>>,
): void {
  if (isSameSecret(String(sent), formToken)) return;
  throw cloudError(
    'REQUEST_FORBIDDEN',
    'The form is of another sign-in, or does not come from this page.',
    'Open the page again and repeat what you did.',
  );
}

/**
 * Note that whoever is signed in in the browser of a request has given a second factor. The provider would sign the person out first, because
 * the account has another name from then on.
 */
export async function raiseBrowserSession(
  request: FastifyRequest,
  reply: FastifyReply,
  openProvider: OpenProvider,
  account: Account,
): Promise<void> {
  const provider = await openProvider();
  const session = await provider.Session.get(provider.createContext(request.raw, reply.raw));
  if (session.accountId === undefined) return;
  const before = readAccountId(session.accountId);
  if (before.userId !== account.userId || before.tokenId !== account.tokenId) return;
  if (before.hasSecondFactor || !account.hasSecondFactor) return;
  session.accountId = accountIdOf(account);
  await session.persist();
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
  /** Who is likely to sign in. */
  readonly email?: string | undefined;
}

/**
 * Where a browser begins to sign in for a page of the platform. It comes back with a session, and that is all that counts: nobody
 * can exchange the code that it comes back with.
 */
export async function pageSignInUrl(
  openProvider: OpenProvider,
  random: Random,
  { clientId, callbackPath }: OwnPage,
  { state, isAnew = false, email }: PageSignIn = {},
): Promise<string> {
  const { origin } = new URL((await openProvider()).issuer);
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: origin + callbackPath,
    ...(state === undefined ? {} : { state }),
    ...(isAnew ? { prompt: 'login' } : {}),
    ...(email === undefined ? {} : { login_hint: email }),
    code_challenge: digest(random.hex(32)),
    code_challenge_method: 'S256',
  });
  return `/oidc/auth?${query}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
