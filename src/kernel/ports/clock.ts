/** Time, as a port so that a test can hold it still. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary origin, never going back: for measuring durations. */
  monotonicMs(): number;
}
