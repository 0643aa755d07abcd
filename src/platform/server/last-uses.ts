import type { Logger } from '#kernel/ports/logger';
import type { Timers } from '#kernel/ports/timers';
import { systemTimers } from '#node/system/system-timers';

/** How long something that was used again waits to be written, in milliseconds. */
const writeEveryMs = 60_000;

/** When things are used that people keep, such as tokens. No request waits until it is written. */
export interface LastUses<Use> {
  note(use: Use): void;
  /** Writes what is left. */
  stop(): Promise<void>;
}

export interface UsedThings<Use> {
  /** What they are, in the plural. */
  readonly name: string;
  /** The same for all uses of one of them. Only the last one is written. */
  readonly keyOf: (use: Use) => number | string;
  readonly save: (uses: readonly Use[]) => Promise<void>;
}

/** The first use after a quiet minute is written at once, and those that follow together once a minute. */
export function createLastUses<Use>(
  { name, keyOf, save }: UsedThings<Use>,
  logger: Logger,
  timers: Timers = systemTimers,
): LastUses<Use> {
  let latest = new Map<number | string, Use>();
  let writing: Promise<void> = Promise.resolve();
  let stopTimer: (() => void) | undefined;

  const write = () => {
    const uses = [...latest.values()];
    latest = new Map();
    if (uses.length === 0) return;
    writing = writing
      .then(() => save(uses))
      .catch((error: unknown) => logger.log('Warn', `The last uses of ${name} could not be stored.`, { error }));
  };
  const startMinute = () => {
    stopTimer = timers.after(writeEveryMs, () => {
      stopTimer = undefined;
      if (latest.size === 0) return;
      write();
      startMinute();
    });
  };

  return {
    note: (use) => {
      latest.set(keyOf(use), use);
      if (stopTimer) return;
      write();
      startMinute();
    },
    stop: async () => {
      stopTimer?.();
      write();
      await writing;
    },
  };
}
