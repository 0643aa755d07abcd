/** Work for later, as a port so that a test decides when that is. */
export interface Timers {
  /** Call `run` once after so many milliseconds, unless what comes back is called before. A process does not live on for it. */
  after(ms: number, run: () => void): () => void;
}
