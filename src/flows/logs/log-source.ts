import type { LogLine } from '#contracts/local-log';

/** A log that is read from its end, and then followed. */
export interface LogSource {
  /** Lines from the newest to the oldest; those that come meanwhile are left to `newLines`. */
  newest(): AsyncIterable<LogLine>;
  /** Those that came since the last call of either, in order. */
  newLines(): Promise<readonly LogLine[]>;
  /** How long to wait before the next call of `newLines`, in milliseconds. */
  readonly pauseMs: number;
}
