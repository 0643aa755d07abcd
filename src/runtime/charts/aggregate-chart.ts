import type { TimeRange } from '../customizer/chart-definition.ts';
import type { AggregateOperation } from '../query/aggregation.ts';
import type { ConditionTree } from '../query/condition-tree.ts';

/** The number that a chart counts or adds up. */
export interface ChartMeasure {
  readonly operation: AggregateOperation;
  readonly field?: string | undefined;
}

interface ChartOf {
  readonly measure: ChartMeasure;
  readonly where: ConditionTree | undefined;
}

/** One number. */
export interface NumberChart extends ChartOf {
  readonly type: 'Value' | 'Objective';
}

/** One number for each value of a field. */
export interface PieChart extends ChartOf {
  readonly type: 'Pie';
  readonly groupBy: string;
}

/** One number for each period of time. */
export interface LineChart extends ChartOf {
  readonly type: 'Line';
  readonly groupBy: string;
  readonly timeRange: TimeRange;
}

/** The records with the highest numbers, measured on their related records. */
export interface LeaderboardChart extends ChartOf {
  readonly type: 'Leaderboard';
  /** A field of the collection. */
  readonly label: string;
  /** A to-many relation of the collection; its records are measured. */
  readonly relation: string;
  readonly limit: number;
}

/** A chart over the records of one collection, in published names. */
export type AggregateChart = NumberChart | PieChart | LineChart | LeaderboardChart;

export type AggregateChartType = AggregateChart['type'];
