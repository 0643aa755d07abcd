import type { MockTimers } from 'node:test';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** The date that the code under test reads. It stands still until a test moves it. */
export interface FixedDate {
  /** Now it is this moment, later or earlier. */
  set(now: Date | string): void;
  /** This many milliseconds pass, at once. */
  advance(ms: number): void;
}

/**
 * Make `Date` stand still for everything in this thread, until `release`. Timers go on as usual. Throws `TEST_OPTION_INVALID`
 * for what is not a moment, or while `Date` stands still already.
 */
export async function fixDate(now: Date | string): Promise<FixedDate & { release(): void }> {
  const { mock } = await import('node:test');
  const start = momentOf(now);
  enable(mock.timers, start);
  return {
    set: (moment) => mock.timers.setTime(momentOf(moment)),
    advance: (ms) => mock.timers.setTime(Date.now() + ms),
    release: () => mock.timers.reset(),
  };
}

function enable(timers: MockTimers, now: number): void {
  try {
    timers.enable({ apis: ['Date'], now });
  } catch (cause) {
    throw unusable('The date stands still already: another test agent of this thread is open.', cause);
  }
}

function momentOf(now: Date | string): number {
  const moment = new Date(now).getTime();
  if (Number.isFinite(moment)) return moment;
  throw unusable(`"${String(now)}" is not a moment.`);
}

function unusable(message: string, cause?: unknown): CloudError {
  return cloudError(
    'TEST_OPTION_INVALID',
    message,
    'Give a Date or a text in ISO 8601, and close a test agent before the next one is started.',
    { ...(cause === undefined ? {} : { cause }) },
  );
}
