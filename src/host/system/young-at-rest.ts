import type { Timers } from '#kernel/ports/timers';
import { garbageCollector } from './garbage-collector.ts';

/** How long nothing was done before a thread has time, in milliseconds: the first requests after a reload have been answered. */
const restMs = 60;

/**
 * Collects the new objects of this thread a moment after a piece of work, so that the next one has all the space for new objects
 * and V8 need not collect them on its way. It takes a few milliseconds for what a reload leaves.
 *
 * @param collect for tests.
 * @returns to be called after each piece of work.
 */
export function youngAtRest(timers: Timers, collect = collectYoung()): () => void {
  let cancel: (() => void) | undefined;
  return () => {
    cancel?.();
    cancel = timers.after(restMs, collect);
  };
}

function collectYoung(): () => void {
  const collect = garbageCollector();
  return () => {
    // V8 keeps what lives among the new objects once, and moves it to the old ones the second time.
    collect({ type: 'minor', execution: 'sync' });
    collect({ type: 'minor', execution: 'sync' });
  };
}
