import type { JWTPayload } from 'jose';
import { type AgentTokenClaims, agentTokenClaimsSchema } from '#contracts/agent-token';
import { CloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { rememberVerified } from '../request/verified-tokens.ts';

const algorithm = 'HS256';
const tokenLifetimeSeconds = 3600;

/** Tokens of the REST API: HS256 with the auth secret, without an audience, valid for an hour. */
export interface SessionTokens {
  issue(claims: AgentTokenClaims): Promise<string>;
  /** Rejects with `REQUEST_UNAUTHENTICATED`, the same error for every invalid token. */
  verify(token: string): Promise<AgentTokenClaims>;
}

export function createSessionTokens(authSecret: string, clock: Clock): SessionTokens {
  const key = new TextEncoder().encode(authSecret);
  return {
    issue: async (claims) => {
      const { SignJWT } = await import('jose');
      const issuedAt = Math.floor(clock.now() / 1000);
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: algorithm })
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + tokenLifetimeSeconds)
        .sign(key);
    },
    verify: rememberVerified(async (token) => {
      const { jwtVerify } = await import('jose');
      const options = { algorithms: [algorithm], requiredClaims: ['exp'], currentDate: new Date(clock.now()) };
      const { payload } = await jwtVerify(token, key, options).catch((error: unknown) => {
        throw unauthenticated(error);
      });
      return { claims: Object.freeze(claimsOf(payload)), expiresAt: payload.exp ?? 0 };
    }, clock),
  };
}

function claimsOf(payload: JWTPayload): AgentTokenClaims {
  // A token with an audience was made for another server, even where the secret happens to be the same.
  if (payload.aud !== undefined) throw unauthenticated();
  const claims = agentTokenClaimsSchema.safeParse(payload);
  if (!claims.success) throw unauthenticated(claims.error);
  return claims.data;
}

function unauthenticated(cause?: unknown): CloudError {
  return new CloudError({
    code: 'REQUEST_UNAUTHENTICATED',
    message: 'The session token is invalid, expired, or was made for something else.',
    nextSteps: ['Log in again and send the new token.'],
    cause,
  });
}
