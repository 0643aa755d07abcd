import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Timers } from '#kernel/ports/timers';

/** How long nothing was done before a thread is at rest, in milliseconds: somebody who saves again and again works on. */
const restMs = 3_000;

type CollectGarbage = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Gives the memory of this thread that is free back to the system once work is over. V8 keeps what some
 * work has used for the next, which may be hours away. The thread stands still meanwhile, for some 100 ms where its heap has 100 MB.
 *
 * @param giveBack for tests.
 * @returns to be called after each piece of work.
 */
export function memoryAtRest(timers: Timers, giveBack = garbageCollector()): () => void {
  let cancel: (() => void) | undefined;
  return () => {
    cancel?.();
    cancel = timers.after(restMs, giveBack);
  };
}

/** Node.js hands the collector out with a flag of V8 alone, and only contexts that are made later have it. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as CollectGarbage;
  // "Last resort" is what makes V8 shrink its spaces.
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
