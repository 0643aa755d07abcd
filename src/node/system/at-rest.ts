import type { Timers } from '#kernel/ports/timers';

/**
 * Do something once nothing was done for a while.
 *
 * @param restMs how long, in milliseconds.
 * @returns to be called after each piece of work.
 */
export function atRest(timers: Timers, restMs: number, run: () => void): () => void {
  let cancel: (() => void) | undefined;
  return () => {
    cancel?.();
    cancel = timers.after(restMs, run);
  };
}
