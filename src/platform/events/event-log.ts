import type { PlatformEvent } from '#contracts/platform-events';
import type { Store } from '../store/store.ts';

export interface NumberedEvent {
  readonly sequence: number;
  readonly event: PlatformEvent;
}

export interface EventLog {
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
      const rows = await db
        .selectFrom('events')
        .select(['sequence', 'event'])
        .where('environmentId', '=', environmentId)
        .where('sequence', '>', sequence)
        .orderBy('sequence')
        .execute();
      if (rows[0]?.sequence === sequence + 1) {
        return rows.map((row) => ({ sequence: row.sequence, event: JSON.parse(row.event) as PlatformEvent }));
      }
      const last = await newest(environmentId);
      return last === sequence ? [] : [{ sequence: last, event: { name: 'refresh-everything' } }];
    },
  };
}
