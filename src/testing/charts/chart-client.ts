import type { RecordId } from '../wire/record-id.ts';

/** A number where JSON holds it exactly, else its decimal text. */
export type ChartFigure = number | string;

/** What a chart is asked with. */
export interface ChartOptions {
  /** What the code of the chart gets as `context.parameters`. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
}

/** What a chart about one record is asked with. */
export interface RecordChartOptions extends ChartOptions {
  /** The record that the chart is about. */
  readonly recordId: RecordId;
}

/** A value, and an earlier one to compare it with. */
export interface ValueChart {
  readonly countCurrent: ChartFigure | null;
  /** Left out where the code gives no earlier value. */
  readonly countPrevious?: ChartFigure | null | undefined;
}

/** One value of a distribution, and the key that it belongs to. */
export interface ChartShare {
  readonly key: string;
  readonly value: ChartFigure;
}

/** A value, and the one to reach. */
export interface ObjectiveChart {
  readonly value: ChartFigure;
  readonly objective: ChartFigure;
}

/** The value of one stretch of time. */
export interface ChartStretch {
  /** The stretch of time, as clients show it: `Jan 26`. */
  readonly label: string;
  readonly values: { readonly value: ChartFigure | null };
}

/** Several lines over the same stretches of time. */
export interface MultipleTimeBasedChart {
  readonly labels: readonly string[] | null;
  readonly values: readonly { readonly key: string; readonly values: readonly (ChartFigure | null)[] }[] | null;
}

/**
 * Charts, one method for each type that the code can answer with. All reject with `TEST_ANSWER_UNEXPECTED` when the chart is of
 * another type, and with `AgentHttpError`; of status 404 where there is no such chart.
 */
export interface Charts<Options extends unknown[]> {
  valueChart(name: string, ...options: Options): Promise<ValueChart>;
  distributionChart(name: string, ...options: Options): Promise<readonly ChartShare[]>;
  /** The highest first. */
  leaderboardChart(name: string, ...options: Options): Promise<readonly ChartShare[]>;
  percentageChart(name: string, ...options: Options): Promise<ChartFigure>;
  objectiveChart(name: string, ...options: Options): Promise<ObjectiveChart>;
  /** Every stretch of time from the first to the last value. */
  timeBasedChart(name: string, ...options: Options): Promise<readonly ChartStretch[]>;
  multipleTimeBasedChart(name: string, ...options: Options): Promise<MultipleTimeBasedChart>;
  /** Whatever the code gave. */
  smartChart(name: string, ...options: Options): Promise<unknown>;
}

/** The charts of the agent. */
export type AgentCharts = Charts<[options?: ChartOptions]>;

/** The charts of a collection, each about one record. A chart that does not exist rejects with `UnknownNameError`. */
export type CollectionCharts = Charts<[options: RecordChartOptions]>;
