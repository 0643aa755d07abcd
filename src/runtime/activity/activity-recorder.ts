import { type Activity, type ActivityAction, activityLimits, activityTypes } from '#contracts/activity';
import type { Timers } from '#kernel/ports/timers';
import type { ActivitySpool } from './activity-spool.ts';

/** Takes activities in at once and hands them on together, a little later. */
export interface ActivityRecorder {
  /** @param activity as JSON. */
  record(activity: string): void;
  /** Hand on what was taken in, so that what is added to the spool next comes after it. */
  handOn(): void;
  /** Hand it on; resolves once it is written, or could not be. */
  flush(): Promise<void>;
}

const gatherMs = 100;
const gatherCount = 200;

export function createActivityRecorder(spool: ActivitySpool, timers: Timers, onKept: () => void): ActivityRecorder {
  const taken: string[] = [];
  let cancel: (() => void) | undefined;

  const handOn = () => {
    for (const activity of taken.splice(0)) spool.add(activity);
  };
  const flush = async () => {
    cancel?.();
    cancel = undefined;
    handOn();
    // The spool tells of a failure itself; what is in memory alone is sent all the same.
    await spool.written().catch(() => undefined);
    onKept();
  };
  const flushAfter = (ms: number) => {
    cancel?.();
    cancel = timers.after(ms, () => void flush());
  };

  return {
    handOn,
    flush,
    record: (activity) => {
      const count = taken.push(activity);
      if (count === gatherCount) flushAfter(0);
      else if (!cancel) flushAfter(gatherMs);
    },
  };
}

/** The facts of a request that are known when it begins. Names and ids only: no values, no filters, no search texts. */
export interface ActivityFacts {
  readonly action: ActivityAction;
  readonly label: string | undefined;
  readonly collection: string;
  /** `undefined` where it is about all records that match. */
  readonly recordIds: readonly string[] | undefined;
  readonly userId: number;
  readonly renderingId: number;
  readonly correlationId: string;
}

/**
 * The activity of these facts as JSON, everything in it as short as the platform takes it.
 *
 * @param recordIds those of the facts, unless only the end of the request tells them.
 */
export function activityText(
  facts: ActivityFacts,
  { id, occurredAt, status }: Pick<Activity, 'id' | 'occurredAt' | 'status'>,
  recordIds: ActivityFacts['recordIds'],
): string {
  const { nameLength, recordIdLength, correlationIdLength } = activityLimits;
  const ids = (recordIds ?? []).slice(0, activityLimits.recordIds);
  return JSON.stringify({
    id,
    occurredAt,
    type: activityTypes[facts.action],
    action: facts.action,
    label: facts.label?.slice(0, nameLength),
    collection: facts.collection.slice(0, nameLength),
    recordIds: ids.map((recordId) => recordId.slice(0, recordIdLength)),
    recordCount: recordIds?.length ?? null,
    userId: facts.userId,
    renderingId: facts.renderingId,
    correlationId: facts.correlationId.slice(0, correlationIdLength),
    status,
  } satisfies Record<keyof Activity, unknown>);
}
