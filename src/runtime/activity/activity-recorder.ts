import type { Timers } from '#kernel/ports/timers';
import type { ActEntries } from './activity-entries.ts';
import type { ActivitySpool } from './activity-spool.ts';

/** Takes acts in at once and hands them on together, a little later. */
export interface ActivityRecorder {
  record(act: ActEntries): void;
  /** Hand on what was taken in, so that what is added to the spool next comes after it. */
  handOn(): void;
  /** Hand it on; resolves once it is written, or could not be. */
  flush(): Promise<void>;
}

const gatherMs = 100;
const gatherCount = 200;

export function createActivityRecorder(spool: ActivitySpool, timers: Timers, onKept: () => void): ActivityRecorder {
  const taken: ActEntries[] = [];
  let cancel: (() => void) | undefined;

  const handOn = () => {
    for (const act of taken.splice(0)) spool.add(act);
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
    record: (act) => {
      const count = taken.push(act);
      if (count === gatherCount) flushAfter(0);
      else if (!cancel) flushAfter(gatherMs);
    },
  };
}
