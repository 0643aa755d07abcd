import type { ExchangeCode, ExchangedCode } from '#contracts/agent-codes';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { PrintedTokenOwner } from '#contracts/printed-tokens';
import type { SignedInUser } from '#contracts/sign-in';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { SignInClient } from '#platform-client/index';
import { type SealedSignIns, signInCookie } from './sealed-sign-in.ts';
import type { SessionTokens } from './session-tokens.ts';

/** The path that browsers come back to, below the prefix. */
export const callbackPath = '/authentication/callback';

/** Signs people in for the REST API. Only the browser that began a sign-in can finish it: its cookie holds the secrets. */
export interface SignIn {
  /** @param askedAt where the request says that the agent is, as `askedAddress` tells. */
  begin(
    renderingId: number,
    askedAt: string | undefined,
  ): Promise<{ readonly authorizationUrl: string; readonly cookie: SignInCookie }>;
  /**
   * @param query of the address the browser came back to.
   * @param cookieOf the value of a cookie that it sent along.
   * @param askedAt as in `begin`.
   * @throws `REQUEST_INVALID` for an invalid state, `SIGN_IN_REFUSED` where it was not begun in this browser or the provider
   * refuses, `PLATFORM_…`.
   */
  finish(
    query: URLSearchParams,
    cookieOf: (name: string) => string | undefined,
    askedAt: string | undefined,
  ): Promise<{ readonly token: string; readonly tokenData: AgentTokenClaims; readonly cookieName: string }>;
}

interface SignInCookie {
  readonly name: string;
  readonly value: string;
  readonly maxAgeSeconds: number;
}

export interface SignInOptions {
  readonly platform: SignInPlatform;
  readonly tokens: SessionTokens;
  readonly sealed: SealedSignIns;
  readonly random: Random;
  /** The address that browsers come back to; `undefined` when the agent does not know its own. */
  readonly callbackUrl: () => string | undefined;
  readonly logger: Logger;
}

export function createSignIn({ platform, tokens, sealed, random, callbackUrl, logger }: SignInOptions): SignIn {
  const backTo = (askedAt: string | undefined) =>
    callbackUrl() ?? (askedAt === undefined ? undefined : `${askedAt}${callbackPath}`);
  return {
    async begin(renderingId, askedAt) {
      const id = random.hex(16);
      // Clients read the rendering out of the state.
      const state = JSON.stringify({ renderingId, id });
      const { authorizationUrl, ...secrets } = await platform.signIn
        .begin(state, backTo(askedAt))
        .catch((error: unknown) => {
          // The cause is a setting that the person who signs in cannot change.
          logger.log('Warn', 'Nobody can sign in at this agent.', { error });
          throw error;
        });
      return { authorizationUrl, cookie: { name: signInCookie(id), ...(await sealed.seal(secrets)) } };
    },
    async finish(query, cookieOf, askedAt) {
      const { renderingId, id } = readState(query.get('state'));
      const cookieName = signInCookie(id);
      const secrets = await sealed.open(cookieOf(cookieName));
      if (secrets?.state !== query.get('state')) throw foreign();
      const { accessToken, endsAt } = await platform.signIn.finish(query, secrets, backTo(askedAt));
      const claims = platform.signedInUser(renderingId, accessToken).then((user) => claimsOf(user, renderingId));
      const token = await tokens.issue(claims, endsAt);
      return { token, tokenData: await claims, cookieName };
    },
  };
}

function claimsOf({ data }: SignedInUser, renderingId: number): AgentTokenClaims {
  const { email, first_name, last_name, teams, role, roles = [], permission_level, tags } = data.attributes;
  return {
    id: Number(data.id),
    email,
    firstName: first_name,
    lastName: last_name,
    team: teams[0] ?? '',
    role,
    ...(roles.length > 1 ? { roles } : {}),
    ...(teams.length > 1 ? { teams } : {}),
    permissionLevel: permission_level,
    renderingId,
    tags: Object.fromEntries((tags ?? []).map(({ key, value }) => [key, value])),
  };
}

function readState(state: string | null): { readonly renderingId: number; readonly id: string } {
  const { renderingId, id } = parsedState(state);
  if (typeof renderingId !== 'number' || !Number.isInteger(renderingId)) throw invalidState();
  // A state without an id was not made here, and has no cookie.
  return { renderingId, id: typeof id === 'string' ? id : '' };
}

function parsedState(state: string | null): { readonly renderingId?: unknown; readonly id?: unknown } {
  try {
    const value: unknown = JSON.parse(state ?? '');
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw invalidState(cause);
  }
  throw invalidState();
}

function invalidState(cause?: unknown): CloudError {
  return cloudError(
    'REQUEST_INVALID',
    '"state" is missing, or is not the one that the sign-in was begun with.',
    'Send the browser back with the query that the platform gave it.',
    { details: { parameter: 'state' }, ...(cause === undefined ? {} : { cause }) },
  );
}

function foreign(): CloudError {
  const description = 'The sign-in was not begun in this browser, or it has taken too long.';
  return cloudError('SIGN_IN_REFUSED', description, 'Begin to sign in again.', {
    details: { error: 'invalid_state', error_description: description },
  });
}

/** The parts of the platform that signing in needs. */
export interface SignInPlatform {
  readonly signIn: SignInClient;
  /** Whose a token is that somebody printed for the agent or its MCP server. */
  printedToken(token: string): Promise<PrintedTokenOwner | undefined>;
  /** Whose the token of a service account is. */
  serviceAccount(token: string, audience: 'agent' | 'mcp'): Promise<PrintedTokenOwner | undefined>;
  /** Who comes with a one-time code of the platform. */
  exchangedCode(exchange: ExchangeCode): Promise<ExchangedCode | undefined>;
  /** Rejects with `PLATFORM_REFUSED` when the person may not use the rendering. */
  signedInUser(renderingId: number, accessToken: string): Promise<SignedInUser>;
}
