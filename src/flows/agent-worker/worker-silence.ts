/** A stretch of the silence of a worker, and the processor time that was used in it. Both in milliseconds. */
export interface Stretch {
  /** Time by the clock, without what a stop of the whole process took. */
  readonly attendedMs: number;
  readonly cpuMs: number;
}

/** What is known of a worker that does not beat. */
export interface Silence {
  /** From the first to the last time that the worker told its processor time, which this counts. */
  readonly told: Stretch;
  /** Since the worker was asked and has not told. This counts the processor time of the process without its main thread. */
  readonly untold: Stretch;
}

/** How long a worker may be silent, in milliseconds. */
export interface Patience {
  /** Processor time that its code may use without a pause. */
  readonly busyMs: number;
  /** Time by the clock in which it may do nothing. */
  readonly blockedMs: number;
}

/**
 * What keeps a worker silent. `loop`: its code computes. `wait`: its code stops the thread. `native`: it is inside a function that is no
 * JavaScript. `undecided`: nothing is known yet, as with a worker that gets no processor.
 */
export type Verdict = 'loop' | 'wait' | 'native' | 'undecided';

/** What waits uses less of a processor than this. Beside 200 other programs, one that computes uses as much. */
const idleShare = 0.005;
/** How many times the patience a native call gets that may be starved. */
const starvedFactor = 6;

/** The time by the clock says nothing by itself: a worker without a processor is as silent as one with an endless loop. */
export function judgeSilence({ told, untold }: Silence, { busyMs, blockedMs }: Patience): Verdict {
  if (told.cpuMs >= busyMs) return 'loop';
  if (told.attendedMs >= blockedMs && isIdle(told)) return 'wait';
  if (untold.attendedMs < blockedMs) return 'undecided';
  const mayBeStarved = !isIdle(untold) && untold.cpuMs < busyMs;
  return mayBeStarved && untold.attendedMs < starvedFactor * blockedMs ? 'undecided' : 'native';
}

function isIdle({ attendedMs, cpuMs }: Stretch): boolean {
  return cpuMs < idleShare * attendedMs;
}
