/** The time, as a port so that a test can stop it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary origin, never going back: for measuring durations. */
  monotonicMs(): number;
}
