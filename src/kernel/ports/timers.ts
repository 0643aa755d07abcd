/** Timers, as a port so that a test decides when they fire. */
export interface Timers {
  /**
   * Call `run` once after that many milliseconds. Returns a function that cancels it. The timer does not keep the
   * process alive.
   */
  after(ms: number, run: () => void): () => void;
}
