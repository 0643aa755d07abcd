import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Timers } from '#kernel/ports/timers';

/** How long nothing was done before a thread is at rest, in milliseconds: somebody who saves again and again works on. */
const restMs = 3_000;

/**
 * Gives the memory of this thread that is free back to the system once work is over. V8 keeps what some
 * work has used for the next, which may be hours away. The thread stands still meanwhile, for some 100 ms where its heap has 100 MB.
 *
 * @param giveBack for tests.
 * @returns to be called after each piece of work.
 */
export function giveBackMemoryAtRest(timers: Timers, giveBack = giveBackMemory): () => void {
  return atRest(timers, restMs, giveBack);
}

function giveBackMemory(): void {
  // "Last resort" is what makes V8 shrink its spaces.
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * Do something once nothing was done for a while.
 *
 * @param restMs how long, in milliseconds.
 * @returns to be called after each piece of work.
 */
function atRest(timers: Timers, restMs: number, run: () => void): () => void {
  let cancel: (() => void) | undefined;
  return () => {
    cancel?.();
    cancel = timers.after(restMs, run);
  };
}

/** As `gc` of V8 takes them: `minor` collects new objects only; the flavor `last-resort` also gives free memory back. */
type Collection =
  | { readonly type: 'minor'; readonly execution: 'sync' }
  | { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' };

let collect: ((collection: Collection) => void) | undefined;

/** Collect garbage of this thread now. The first call takes a millisecond more. */
function collectGarbage(collection: Collection): void {
  collect ??= garbageCollector();
  collect(collection);
}

/** Node.js hands the collector out with a flag of V8 only, and only contexts that are made later have it. */
function garbageCollector(): (collection: Collection) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as (collection: Collection) => void;
}

/** One of the two halves of V8's space for new objects, in MB. On a large machine each would grow to 64. */
const halfMb = 16;
const maxBytes = 2 * halfMb * 1024 * 1024;

let isWatched = false;

/**
 * Keep the memory for new objects of the main thread small. A server collects them a little more often, and its process stays
 * about 100 MB smaller. V8 takes its limit only at the start of a process, so the growth ends once the size is reached, and goes on
 * after V8 has given space back. It ends for all threads of the process: one that needs space must begin with it.
 */
export function limitYoungGeneration(): void {
  if (isWatched) return;
  isWatched = true;
  let isLimited = false;
  const observer = new PerformanceObserver(() => {
    const size = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
    const isLarge = size >= maxBytes;
    if (isLarge === isLimited) return;
    isLimited = isLarge;
    setFlagsFromString(`--semi-space-growth-factor=${isLarge ? 1 : 2}`);
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** How much V8 lets the old objects grow until it collects them, in percent of what lived the last time. By default they may double or more. */
const growthPercent = 40;

/** The same for a process that works through much data and holds little of it at once. It collects more often, and stays some 60 MB smaller. */
export function limitHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  limitYoungGeneration();
}

/** In milliseconds: the first requests after a reload have been answered by then. */
const youngAtRestMs = 60;

/**
 * Collects the new objects of this thread a moment after a piece of work. So the next piece has all the space for new objects,
 * and V8 need not collect them on its way. It takes a few milliseconds for what a reload leaves.
 *
 * @param collect for tests.
 * @returns to be called after each piece of work.
 */
export function collectYoungAtRest(timers: Timers, collect = collectYoung): () => void {
  return atRest(timers, youngAtRestMs, collect);
}

function collectYoung(): void {
  // V8 keeps what lives among the new objects once, and moves it to the old ones the second time.
  collectGarbage({ type: 'minor', execution: 'sync' });
  collectGarbage({ type: 'minor', execution: 'sync' });
}
