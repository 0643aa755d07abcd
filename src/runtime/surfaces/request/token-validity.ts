import { hash } from 'node:crypto';
import { type EndedSessions, endedSessionsSchema } from '#contracts/ended-sessions';
import type { MaybePromise } from '#kernel/async/maybe-promise';
import type { Clock } from '#kernel/ports/clock';
import { createKeptDocument, type StandIn } from '../../permissions/kept-document.ts';

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
}

/** Knows whose tokens are refused although they have not expired. */
export interface EndedSessionList {
  readonly hasEnded: HasEnded;
  /** Ask for the list again before the next request; while the platform is away, the last known one counts. */
  forget(): void;
  /** The list has changed: no earlier one counts any more. */
  drop(): void;
}

/** @param standIn The list to use while the platform is away; without it nobody passes then. */
export function createEndedSessionList(source: EndedSessionSource, clock: Clock, standIn?: StandIn): EndedSessionList {
  const list = createKeptDocument(
    {
      name: 'ended sessions',
      // Kept by the clock of this machine, which also issues the tokens.
      ask: async () => ({ ...(await source.endedSessions()), askedAt: clock.now() }),
      schema: endedSessionsSchema.extend({ askedAt: endedSessionsSchema.shape.people.element.shape.msAgo }),
      shape: ({ people, grants = [], askedAt }): Ended => ({
        people: new Map(people.map(({ id, msAgo }) => [id, (askedAt - msAgo) / 1000] as const)),
        grants: new Set(grants.map(({ id }) => id)),
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
    forget: list.forget,
    drop: list.drop,
  };
}

/** The claims of a valid token, and its end in seconds since 1970. */
export interface VerifiedToken<Claims> {
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
