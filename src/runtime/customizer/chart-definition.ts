import type { RecordData } from '../query/record-query.ts';
import type { Caller } from './caller.ts';
import type { ContextDataSourceOn, WithSchema } from './context-on.ts';
import type { ContextDataSource, CustomizationContext } from './customization-context.ts';
import type { RecordOf } from './record-types.ts';
import type { PathsOn } from './schema-path.ts';
import type { CollectionName, SchemaShape } from './schema-types.ts';

/** What a chart looks like. */
export type ChartKind = 'Value' | 'Objective' | 'Percentage' | 'Pie' | 'Line' | 'Leaderboard' | 'Smart';

/** The length of the stretches of time of a chart. */
export type TimeRange = 'Day' | 'Week' | 'Month' | 'Quarter' | 'Year';

/** A number; as text where a JavaScript number does not hold it, as decimals of records are. */
export type ChartNumber = number | string | bigint;

/** One moment and its value; `null` marks missing data. */
export interface ChartPoint {
  /** An instant, taken in the time zone of the caller, or a day `YYYY-MM-DD`, which belongs to no zone. */
  readonly date: Date | string;
  readonly value: ChartNumber | null;
}

/** One line of a chart of several: a value for each date. */
export interface ChartLine {
  readonly label: string;
  readonly values: readonly (ChartNumber | null)[];
}

/** The value of a chart, made by a `ChartResultBuilder`. */
export interface ChartResult {
  readonly type: 'chart';
  /** The method that made it. */
  readonly kind?: ChartKind;
  /** As it is sent. */
  readonly value: unknown;
}

/** Builds what a chart shows. */
export interface ChartResultBuilder {
  /** One number, and the one before to compare it with. */
  value(value: ChartNumber | null, previousValue?: ChartNumber | null): ChartResult;
  /** The parts of a whole. */
  distribution(values: Readonly<Record<string, ChartNumber>>): ChartResult;
  /**
   * One line. Values in the same stretch of time are added up; a stretch without any is 0, one with `null` alone stays
   * `null`.
   */
  timeBased(
    timeRange: TimeRange,
    values: readonly ChartPoint[] | Readonly<Record<string, ChartNumber | null>>,
  ): ChartResult;
  /** Several lines over the same dates. */
  multipleTimeBased(timeRange: TimeRange, dates: readonly (Date | string)[], lines: readonly ChartLine[]): ChartResult;
  percentage(value: ChartNumber): ChartResult;
  /** Progress toward a goal. */
  objective(value: ChartNumber, objective: ChartNumber): ChartResult;
  /** A distribution, the highest first. */
  leaderboard(values: Readonly<Record<string, ChartNumber>>): ChartResult;
  /** Anything, for a chart of your own in the client. */
  smart(value: unknown): ChartResult;
}

interface ChartCall {
  /** IANA time zone of the caller. */
  readonly timezone: string;
  /** The parameters of the request, as texts. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The context of a chart of the agent. */
export interface AgentChartContext extends ChartCall {
  readonly caller: Caller;
  readonly dataSource: ContextDataSource;
}

/** The context of a chart about a record. */
export interface CollectionChartContext extends ChartCall, CustomizationContext {
  /** The key of the record; its packed form (`a|b`) where it is composite. */
  readonly recordId: string | number;
  readonly compositeRecordId: readonly (string | number)[];
  /** Throws `REQUEST_NOT_FOUND` when there is no such record, or the caller may not see it. */
  getRecord(fields: readonly string[]): Promise<RecordData>;
}

type Chart<Context> = (context: Context, resultBuilder: ChartResultBuilder) => ChartResult | Promise<ChartResult>;

export type AgentChart = Chart<AgentChartContext>;
export type CollectionChart = Chart<CollectionChartContext>;

/** A chart of the agent, whose collections are known. */
export type AgentChartOn<S extends SchemaShape<S>> = Chart<
  string extends keyof S ? AgentChartContext : TypedAgentChartContext<S>
>;

interface TypedAgentChartContext<S extends SchemaShape<S>> extends Omit<AgentChartContext, 'dataSource'> {
  readonly dataSource: ContextDataSourceOn<S>;
}

interface TypedChartRecord<S extends SchemaShape<S>, C extends CollectionName<S>> {
  getRecord<const P extends readonly string[]>(fields: PathsOn<S, C, P>): Promise<RecordOf<S, C, P[number]>>;
}

/** A chart about a record whose fields are known. */
export type CollectionChartOn<S extends SchemaShape<S>, C extends CollectionName<S>> = Chart<
  WithSchema<S, C, Omit<CollectionChartContext, 'getRecord'>> & TypedChartRecord<S, C>
>;
