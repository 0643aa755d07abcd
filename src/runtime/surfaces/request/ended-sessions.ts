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
 * Whether the platform has ended the sessions of somebody since a token was issued.
 *
 * @param issuedAt in seconds since the epoch. A token of the second in which they were ended has ended as well.
 */
export type HasEnded = (userId: number, issuedAt: number) => MaybePromise<boolean>;

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
      shape: ({ people, askedAt }) => new Map(people.map(({ id, msAgo }) => [id, (askedAt - msAgo) / 1000] as const)),
    },
    clock,
    standIn,
  );
  const isEnded = (ended: ReadonlyMap<number, number>, userId: number, issuedAt: number) =>
    issuedAt <= (ended.get(userId) ?? Number.NEGATIVE_INFINITY);
  return {
    hasEnded: (userId, issuedAt) => {
      const atHand = list.atHand(listAgeMs);
      if (atHand) return isEnded(atHand.value, userId, issuedAt);
      return Promise.resolve(list.get(listAgeMs)).then((ended) => isEnded(ended, userId, issuedAt));
    },
    forget: list.forget,
    drop: list.drop,
  };
}
