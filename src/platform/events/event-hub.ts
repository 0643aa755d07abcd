import type { PlatformEvent } from '#contracts/platform-events';
import type { Store } from '../store/store.ts';
import type { AnnouncedEvent } from './announce-event.ts';

/** An agent that listens. */
interface EventSubscriber {
  send(event: PlatformEvent, sequence: number): void;
  /** The events that follow cannot be sent now. An agent gets them when it comes again. */
  end(): void;
}

/** Passes on what changes in an environment to the agents that listen. `announceEvent` tells it, in any process of the platform. */
export interface EventHub {
  /**
   * Send every event after `after`, in order and without a gap.
   *
   * @returns ends the subscription.
   */
  subscribe(environmentId: number, after: number, subscriber: EventSubscriber): () => void;
  /** Number of the newest event of the environment. */
  newest: EventLog['newest'];
}

export function createEventHub(store: Store): EventHub {
  const log = createEventLog(store);
  const feeds = new Map<number, Feed>();
  store.listen(
    'events',
    (payload) => {
      const { environmentId, ...announced } = JSON.parse(payload) as AnnouncedEvent;
      feeds.get(environmentId)?.pass(announced);
    },
    () => {
      for (const feed of feeds.values()) feed.catchUp();
    },
  );
  return {
    newest: log.newest,
    subscribe(environmentId, after, subscriber) {
      const feed = feeds.get(environmentId) ?? new Feed((sequence) => log.since(environmentId, sequence));
      feeds.set(environmentId, feed);
      const leave = feed.add(after, subscriber);
      return () => {
        leave();
        if (feed.isEmpty && feeds.get(environmentId) === feed) feeds.delete(environmentId);
      };
    },
  };
}

interface Listening {
  readonly subscriber: EventSubscriber;
  /** Number of the last event it was sent. */
  sent: number;
}

/** The events of one environment, for those who listen in this process. */
class Feed {
  readonly #since: (sequence: number) => Promise<readonly NumberedEvent[]>;
  readonly #all = new Set<Listening>();
  #isReading = false;
  #isReadingAgain = false;

  constructor(since: (sequence: number) => Promise<readonly NumberedEvent[]>) {
    this.#since = since;
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  add(after: number, subscriber: EventSubscriber): () => void {
    const listening = { subscriber, sent: after };
    this.#all.add(listening);
    this.catchUp();
    return () => this.#all.delete(listening);
  }

  /** An announcement that comes early, or after one that was lost, says that there is something to read. */
  pass(announced: NumberedEvent): void {
    let isBehind = false;
    for (const listening of this.#all) {
      if (announced.sequence === listening.sent + 1) send(listening, announced);
      else if (announced.sequence > listening.sent) isBehind = true;
    }
    if (isBehind) this.catchUp();
  }

  /** Send everybody what they have not been sent, from the store. */
  catchUp(): void {
    this.#isReadingAgain = true;
    if (!this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#isReadingAgain && !this.isEmpty) {
      this.#isReadingAgain = false;
      // Those who are as far as another are served by one reading.
      const starts = new Set([...this.#all].map(({ sent }) => sent));
      for (const start of starts) await this.#readFrom(start);
    }
    this.#isReading = false;
  }

  async #readFrom(start: number): Promise<void> {
    const behind = [...this.#all].filter(({ sent }) => sent === start);
    try {
      const events = await this.#since(start);
      for (const listening of behind) {
        for (const event of events) if (isNext(event, listening)) send(listening, event);
      }
    } catch {
      for (const { subscriber } of behind) subscriber.end();
    }
  }
}

/** An announcement may have overtaken the reading; a restored store may be behind the listener. */
function isNext({ sequence, event }: NumberedEvent, { sent }: Listening): boolean {
  return event.name === 'refresh-everything' ? sequence !== sent : sequence === sent + 1;
}

function send(listening: Listening, { sequence, event }: NumberedEvent): void {
  listening.sent = sequence;
  listening.subscriber.send(event, sequence);
}

interface NumberedEvent {
  readonly sequence: number;
  readonly event: PlatformEvent;
}

interface EventLog {
  /** Number of the newest event of the environment; 0 before the first. */
  newest(environmentId: number): Promise<number>;
  /**
   * The events after `sequence`, oldest first. Where the platform does not keep all of them any more, one `refresh-everything`
   * with the number of the newest event.
   */
  since(environmentId: number, sequence: number): Promise<readonly NumberedEvent[]>;
}

/** The events that `announceEvent` has written. */
export function createEventLog({ db }: Pick<Store, 'db'>): EventLog {
  const newest = async (environmentId: number) =>
    (
      await db
        .selectFrom('eventCounters')
        .select('newest')
        .where('environmentId', '=', environmentId)
        .executeTakeFirst()
    )?.newest ?? 0;
  return {
    newest,
    since: async (environmentId, sequence) => {
      // Before the events: one that is committed between the two readings would look like a gap.
      const last = await newest(environmentId);
      if (last === sequence) return [];
      const rows = await db
        .selectFrom('events')
        .select(['sequence', 'event'])
        .where('environmentId', '=', environmentId)
        .where('sequence', '>', sequence)
        .orderBy('sequence')
        .execute();
      if (rows[0]?.sequence !== sequence + 1) return [{ sequence: last, event: { name: 'refresh-everything' } }];
      return rows.map((row) => ({ sequence: row.sequence, event: JSON.parse(row.event) as PlatformEvent }));
    },
  };
}
