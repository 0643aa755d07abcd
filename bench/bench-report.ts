export interface BenchOptions {
  /** Fewer samples, so that it ends within a minute. */
  readonly isQuick: boolean;
  /** How many rows there are, where a bench takes another number. */
  readonly size?: number | undefined;
}

/** What a bench measured. The name of a figure ends in its unit; one without is a ratio or a count. */
export interface BenchReport {
  readonly name: string;
  readonly figures: Readonly<Record<string, number>>;
}

export type Bench = (options: BenchOptions) => Promise<BenchReport>;
