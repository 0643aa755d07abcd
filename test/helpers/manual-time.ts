import type { Clock } from '#kernel/ports/clock';
import type { Timers } from '#kernel/ports/timers';

/** Time that passes when a test says so. */
export interface ManualTime {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Let time pass; what falls due on the way is called in order. */
  pass(ms: number): void;
  /** Milliseconds until each of the calls that are due later. */
  readonly due: readonly number[];
}

export function createManualTime(): ManualTime {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const calls = new Set<{ readonly at: number; readonly run: () => void }>();
  const next = (until: number) => [...calls].sort((a, b) => a.at - b.at).find(({ at }) => at <= until);
  return {
    clock: { now: () => now, monotonicMs: () => now },
    timers: {
      after: (ms, run) => {
        const call = { at: now + ms, run };
        calls.add(call);
        return () => void calls.delete(call);
      },
    },
    pass: (ms) => {
      const end = now + ms;
      for (let call = next(end); call; call = next(end)) {
        calls.delete(call);
        now = Math.max(now, call.at);
        call.run();
      }
      now = end;
    },
    get due() {
      return [...calls].map(({ at }) => at - now).sort((a, b) => a - b);
    },
  };
}
