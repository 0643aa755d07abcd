import type { Timers } from '#kernel/ports/timers';
import { atRest } from './at-rest.ts';
import { collectGarbage } from './garbage-collector.ts';

/** In milliseconds: the first requests after a reload have been answered by then. */
const restMs = 60;

/**
 * Collects the new objects of this thread a moment after a piece of work, so that the next one has all the space for new objects
 * and V8 need not collect them on its way. It takes a few milliseconds for what a reload leaves.
 *
 * @param collect for tests.
 * @returns to be called after each piece of work.
 */
export function youngAtRest(timers: Timers, collect = collectYoung): () => void {
  return atRest(timers, restMs, collect);
}

function collectYoung(): void {
  // V8 keeps what lives among the new objects once, and moves it to the old ones the second time.
  collectGarbage({ type: 'minor', execution: 'sync' });
  collectGarbage({ type: 'minor', execution: 'sync' });
}
