import { type AgentTokenClaims, agentTokenClaimsSchema } from '#contracts/agent-token';
import type { McpScope } from '#contracts/mcp';
import { agentTokenLifetimeSeconds } from '#contracts/sessions';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { compactForm, derivedKey, type HasEnded, rememberVerified } from '../sign-in/session-tokens.ts';
import { issuerOfResource } from './mcp-routes.ts';

const algorithm = 'HS256';
const tokenType = 'at+jwt';
/** How long an access token is valid that a client was given: a refresh token brings the next one. */
export const mcpAccessTokenSeconds = 1800;

export interface McpTokenClaims {
  readonly caller: AgentTokenClaims;
  readonly scopes: readonly string[];
  /** The client that the token was given to; empty for a token that no client was given. */
  readonly clientId: string;
  /** When the token ends, in seconds since the epoch. */
  readonly expiresAt: number;
}

/** Access tokens of the MCP server: a key and an audience of their own, so that they open nothing else. */
export interface McpTokens {
  /**
   * @param audience Address of the MCP endpoint.
   * @param expiresAt in seconds since the epoch; an hour from now by default, and at the latest.
   */
  issue(claims: AgentTokenClaims, audience: string, scopes: readonly McpScope[], expiresAt?: number): Promise<string>;
  /** The claims of the token, or `undefined` when it is not a valid token for that audience. */
  verify(token: string, audience: string): Promise<McpTokenClaims | undefined>;
}

/** What access tokens are signed with. */
export function mcpTokenKey(authSecret: string): Uint8Array {
  return new Uint8Array(derivedKey(authSecret, 'mcp access token'));
}

/** @param hasEnded Refuses tokens that have not expired. */
export function createMcpTokens(authSecret: string, clock: Clock, random: Random, hasEnded: HasEnded): McpTokens {
  const key = mcpTokenKey(authSecret);
  const remembered = rememberVerified(async (tokenAndAudience) => {
    const [token, audience] = JSON.parse(tokenAndAudience) as [string, string];
    const claims = await claimsOf(token, audience);
    // A token that is not valid counts as ended.
    return { claims, expiresAt: claims?.said.expiresAt ?? 0 };
  }, clock);

  async function claimsOf(token: string, audience: string) {
    if (!compactForm.test(token)) return undefined;
    const { jwtVerify } = await import('jose');
    const options = {
      algorithms: [algorithm],
      typ: tokenType,
      audience,
      requiredClaims: ['exp'],
      currentDate: new Date(clock.now()),
    };
    const verified = await jwtVerify(token, key, options).catch(() => undefined);
    const caller = agentTokenClaimsSchema.safeParse(verified?.payload);
    if (!verified || !caller.success) return undefined;
    const { scope, iss, exp = 0, iat: issuedAt = 0, grant_id: grantId, client_id, client_name } = verified.payload;
    if (iss !== undefined && iss !== issuerOfResource(audience)) return undefined;
    if (!Number.isFinite(exp) || exp - issuedAt > agentTokenLifetimeSeconds) return undefined;
    const scopes = typeof scope === 'string' ? scope.split(' ').filter(Boolean) : [];
    const clientId = typeof client_id === 'string' ? client_id : '';
    const grant = typeof grantId === 'string' ? { grant: grantId } : {};
    const name = typeof client_name === 'string' ? client_name : clientId;
    const client = caller.data.client ?? { id: clientId, name, ...grant };
    const said: McpTokenClaims = { caller: { ...caller.data, client }, scopes, clientId, expiresAt: exp };
    return { said, issuedAt, ...(typeof grantId === 'string' ? { grantId } : {}) };
  }

  return {
    issue: async (claims, audience, scopes, expiresAt = Number.POSITIVE_INFINITY) => {
      const { SignJWT } = await import('jose');
      const issuedAt = Math.floor(clock.now() / 1000);
      return new SignJWT({ ...claims, scope: scopes.join(' ') })
        .setProtectedHeader({ alg: algorithm, typ: tokenType })
        .setSubject(String(claims.id))
        .setAudience(audience)
        .setJti(random.uuid())
        .setIssuedAt(issuedAt)
        .setExpirationTime(Math.min(expiresAt, issuedAt + agentTokenLifetimeSeconds))
        .sign(key);
    },
    verify: async (token, audience) => {
      const known = await remembered(JSON.stringify([token, audience]));
      return known && !(await hasEnded(known.said.caller.id, known.issuedAt, known.grantId)) ? known.said : undefined;
    },
  };
}
