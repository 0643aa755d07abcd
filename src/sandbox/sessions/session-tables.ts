export interface SessionTables {
  /** Whose sessions agents no longer accept, if they began before. */
  readonly endedSessions: {
    readonly environmentId: number;
    readonly userId: number;
    readonly endedAt: number;
  };
}
