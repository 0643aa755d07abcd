import { hash, hkdfSync } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { type AgentTokenClaims, agentTokenClaimsSchema } from '#contracts/agent-token';
import type { McpSession } from '#contracts/mcp-marks';
import { agentTokenLifetimeSeconds, type EndedSessions, endedSessionsSchema } from '#contracts/sessions';
import type { MaybePromise } from '#kernel/async/maybe-promise';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { createCachedDocument, type StandIn } from '../../permissions/cached-document.ts';

const algorithm = 'HS256';

/** Tokens of the REST API: HS256 with the auth secret, without an audience, valid for an hour. */
export interface SessionTokens {
  /**
   * A token that is issued now, even where the claims take a while: whatever ends sessions meanwhile ends this one too.
   *
   * @param endsAt when it ends at the latest, in seconds since the epoch. Default: within the hour.
   */
  issue(claims: MaybePromise<AgentTokenClaims>, endsAt?: MaybePromise<number>): Promise<string>;
  /** Rejects with `REQUEST_UNAUTHENTICATED`, the same error for every invalid token. */
  verify(token: string): Promise<AgentTokenClaims>;
}

/** Three parts without padding: the same token is written in one way only (RFC 7515, 2). */
export const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** @param hasEnded Refuses tokens that have not expired. */
export function createSessionTokens(authSecret: string, clock: Clock, hasEnded: HasEnded): SessionTokens {
  const key = new TextEncoder().encode(authSecret);
  const verified = rememberVerified(async (token) => {
    const { jwtVerify } = await import('jose');
    const options = { algorithms: [algorithm], requiredClaims: ['exp'], currentDate: new Date(clock.now()) };
    if (!compactForm.test(token)) throw unauthenticated();
    const { payload } = await jwtVerify(token, key, options).catch((error: unknown) => {
      throw unauthenticated(error);
    });
    // JSON has numbers that are read as infinite, such as 1e999.
    if (!Number.isFinite(payload.exp)) throw unauthenticated();
    return {
      claims: { caller: Object.freeze(claimsOf(payload)), issuedAt: payload.iat ?? 0 },
      expiresAt: payload.exp ?? 0,
    };
  }, clock);
  return {
    issue: (claims, endsAt) => signSessionToken(authSecret, claims, clock, endsAt),
    verify: async (token) => {
      const { caller, issuedAt } = await verified(token);
      if (await hasEnded(caller.id, issuedAt)) throw unauthenticated();
      if (caller.impersonator && (await hasEnded(caller.impersonator.id, issuedAt))) throw unauthenticated();
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
  expiresAt: MaybePromise<number> = Number.POSITIVE_INFINITY,
): Promise<string> {
  const issuedAt = Math.floor(clock.now() / 1000);
  const [said, end] = await Promise.all([claims, expiresAt]);
  const { SignJWT } = await import('jose');
  return new SignJWT({ ...said })
    .setProtectedHeader({ alg: algorithm })
    .setIssuedAt(issuedAt)
    .setExpirationTime(Math.min(end, issuedAt + agentTokenLifetimeSeconds))
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

/** A key of 32 bytes for one purpose only. All agents with the same auth secret have the same one. */
export function derivedKey(authSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', authSecret, '', `vendor-cloud ${purpose}`, 32));
}

/** How old the list may be that nobody has announced a change of. */
const listAgeMs = 15 * 60_000;

/** Where the list comes from: the platform. */
export interface EndedSessionSource {
  endedSessions(): Promise<EndedSessions>;
}

/**
 * Whether the platform has ended the sessions of somebody since a token was issued, or the grant that the token came of.
 *
 * @param issuedAt in seconds since the epoch. A token of the second in which they were ended has ended as well.
 * @param grantId SHA-256 of the id of the grant to an MCP client.
 */
export type HasEnded = (userId: number, issuedAt: number, grantId?: string) => MaybePromise<boolean>;

interface Ended {
  /** By person, in seconds since the epoch. */
  readonly people: ReadonlyMap<number, number>;
  readonly grants: ReadonlySet<string>;
  readonly marked: ReadonlySet<string>;
}

/** Knows whose tokens are refused although they have not expired. */
export interface EndedSessionList {
  readonly hasEnded: HasEnded;
  /** Whether an MCP session has read what people outside can write, as far as the list at hand says. */
  isMarked(session: McpSession): boolean;
  /** Ask for the list again before the next request; while the platform is away, the last known one counts. */
  forget(): void;
  /** The list has changed: no earlier one counts any more. */
  drop(): void;
}

/** @param standIn The list to use while the platform is away; without it nobody passes then. */
export function createEndedSessionList(source: EndedSessionSource, clock: Clock, standIn?: StandIn): EndedSessionList {
  const list = createCachedDocument(
    {
      name: 'ended sessions',
      // Kept by the clock of this machine, which also issues the tokens.
      ask: async () => ({ ...(await source.endedSessions()), askedAt: clock.now() }),
      schema: endedSessionsSchema.extend({ askedAt: endedSessionsSchema.shape.people.element.shape.msAgo }),
      shape: ({ people, grants = [], marked = [], askedAt }): Ended => ({
        people: new Map(people.map(({ id, msAgo }) => [id, (askedAt - msAgo) / 1000] as const)),
        grants: new Set(grants.map(({ id }) => id)),
        marked: new Set(marked.map(nameOfSession)),
      }),
    },
    clock,
    standIn,
  );
  const isEnded = ({ people, grants }: Ended, userId: number, issuedAt: number, grantId = '') =>
    issuedAt <= (people.get(userId) ?? Number.NEGATIVE_INFINITY) || grants.has(grantId);
  return {
    hasEnded: (...token) => {
      const atHand = list.atHand(listAgeMs);
      if (atHand) return isEnded(atHand.value, ...token);
      return Promise.resolve(list.get(listAgeMs)).then((ended) => isEnded(ended, ...token));
    },
    isMarked: (session) => list.atHand(listAgeMs)?.value.marked.has(nameOfSession(session)) ?? false,
    forget: list.forget,
    drop: list.drop,
  };
}

function nameOfSession({ personId, client }: McpSession): string {
  return `${personId} ${client}`;
}

/** The claims of a valid token, and its end in seconds since 1970. */
interface VerifiedToken<Claims> {
  readonly claims: Claims;
  readonly expiresAt: number;
}

const maxTokens = 1000;

/**
 * Verify a token once and remember its claims until it ends: the signature of a token does not change, and checking it is a
 * quarter of a small request. Tokens are kept as digests. One that fails, or is over when it was verified, is not
 * remembered.
 */
export function rememberVerified<Claims>(
  verify: (token: string) => Promise<VerifiedToken<Claims>>,
  clock: Clock,
): (token: string) => Promise<Claims> {
  const known = new Map<string, VerifiedToken<Claims>>();
  return async (token) => {
    const digest = hash('sha256', token);
    const found = known.get(digest);
    if (found && clock.now() < found.expiresAt * 1000) return found.claims;
    known.delete(digest);
    const verified = await verify(token);
    if (clock.now() >= verified.expiresAt * 1000) return verified.claims;
    known.set(digest, verified);
    if (known.size > maxTokens) {
      const [oldest = digest] = known.keys();
      known.delete(oldest);
    }
    return verified.claims;
  };
}
