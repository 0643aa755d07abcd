import { hkdfSync } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { type AgentTokenClaims, agentTokenClaimsSchema } from '#contracts/agent-token';
import { agentTokenLifetimeSeconds } from '#contracts/ended-sessions';
import type { MaybePromise } from '#kernel/async/maybe-promise';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { type HasEnded, rememberVerified } from '../request/token-validity.ts';

const algorithm = 'HS256';

/** Tokens of the REST API: HS256 with the auth secret, without an audience, valid for an hour. */
export interface SessionTokens {
  /** A token that is issued now, even where the claims take a while: whatever ends sessions meanwhile ends this one too. */
  issue(claims: MaybePromise<AgentTokenClaims>): Promise<string>;
  /** The same for claims that are known, with an end of its own: within the hour, in seconds since the epoch. */
  issueUntil(claims: AgentTokenClaims, expiresAt: number): Promise<string>;
  /** Rejects with `REQUEST_UNAUTHENTICATED`, the same error for every invalid token. */
  verify(token: string): Promise<AgentTokenClaims>;
}

/** @param hasEnded Refuses tokens that have not expired. */
export function createSessionTokens(authSecret: string, clock: Clock, hasEnded: HasEnded): SessionTokens {
  const key = new TextEncoder().encode(authSecret);
  const verified = rememberVerified(async (token) => {
    const { jwtVerify } = await import('jose');
    const options = { algorithms: [algorithm], requiredClaims: ['exp'], currentDate: new Date(clock.now()) };
    const { payload } = await jwtVerify(token, key, options).catch((error: unknown) => {
      throw unauthenticated(error);
    });
    return {
      claims: { caller: Object.freeze(claimsOf(payload)), issuedAt: payload.iat ?? 0 },
      expiresAt: payload.exp ?? 0,
    };
  }, clock);
  return {
    issue: (claims) => signSessionToken(authSecret, claims, clock),
    issueUntil: (claims, expiresAt) => signSessionToken(authSecret, claims, clock, expiresAt),
    verify: async (token) => {
      const { caller, issuedAt } = await verified(token);
      if (await hasEnded(caller.id, issuedAt)) throw unauthenticated();
      return caller;
    },
  };
}

/**
 * A session token of an agent with that secret.
 *
 * @param expiresAt in seconds since the epoch; an hour from now by default, and at the latest.
 */
export async function signSessionToken(
  authSecret: string,
  claims: MaybePromise<AgentTokenClaims>,
  clock: Clock,
  expiresAt = Number.POSITIVE_INFINITY,
): Promise<string> {
  const issuedAt = Math.floor(clock.now() / 1000);
  const said = await claims;
  const { SignJWT } = await import('jose');
  return new SignJWT({ ...said })
    .setProtectedHeader({ alg: algorithm })
    .setIssuedAt(issuedAt)
    .setExpirationTime(Math.min(expiresAt, issuedAt + agentTokenLifetimeSeconds))
    .sign(new TextEncoder().encode(authSecret));
}

function claimsOf(payload: JWTPayload): AgentTokenClaims {
  // A token with an audience was made for another server, even where the secret happens to be the same.
  if (payload.aud !== undefined) throw unauthenticated();
  const claims = agentTokenClaimsSchema.safeParse(payload);
  if (!claims.success) throw unauthenticated(claims.error);
  return claims.data;
}

function unauthenticated(cause?: unknown): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'The session token is invalid, expired, was ended, or was made for something else.',
    'Log in again and send the new token.',
    { cause },
  );
}

/** A key of 32 bytes for one purpose alone. All agents with the same auth secret have the same one. */
export function derivedKey(authSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', authSecret, '', `vendor-cloud ${purpose}`, 32));
}
