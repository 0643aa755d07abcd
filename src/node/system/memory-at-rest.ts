import type { Timers } from '#kernel/ports/timers';
import { atRest } from './at-rest.ts';
import { collectGarbage } from './garbage-collector.ts';

/** How long nothing was done before a thread is at rest, in milliseconds: somebody who saves again and again works on. */
const restMs = 3_000;

/**
 * Gives the memory of this thread that is free back to the system once work is over. V8 keeps what some
 * work has used for the next, which may be hours away. The thread stands still meanwhile, for some 100 ms where its heap has 100 MB.
 *
 * @param giveBack for tests.
 * @returns to be called after each piece of work.
 */
export function memoryAtRest(timers: Timers, giveBack = giveBackMemory): () => void {
  return atRest(timers, restMs, giveBack);
}

function giveBackMemory(): void {
  // "Last resort" is what makes V8 shrink its spaces.
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
