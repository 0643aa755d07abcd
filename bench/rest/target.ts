/** A server that is measured. */
export interface Target {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One in a process of its own. */
export interface ProcessTarget extends Target {
  readonly pid: number;
}

export interface AgentTarget extends ProcessTarget {
  /** Another agent of the same process, which reports no activities; started where `SILENT_TOO` is `yes`. */
  readonly silent: Target | undefined;
  /** A third one, whose writes do not wait until their reports are on the disk. */
  readonly lazy: Target | undefined;
  /** Where the agent spends its time while `work` runs: shares of what it is busy, by purpose. */
  profile(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>>;
}

export interface Scenario {
  readonly name: string;
  readonly path: string;
}
