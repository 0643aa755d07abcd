export interface EventTables {
  readonly eventCounters: {
    readonly environmentId: number;
    /** Sequence of the newest event of the environment. */
    readonly newest: number;
  };
  readonly events: {
    readonly environmentId: number;
    /** Counts from 1 in each environment, without a gap. */
    readonly sequence: number;
    /** JSON. */
    readonly event: string;
  };
}
