import { DateTime } from 'luxon';
import { cloudError } from '#kernel/errors/cloud-error';
import type { CompiledCollection, ModelView } from '../model/compiled-model.ts';
import { columnLookup, toManyBreak } from '../model/field-path.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import { parseDecimal } from '../query/exact-decimal.ts';
import type { CallContext } from '../records/calls/call-context.ts';
import type { AggregatedGroup, GroupQuery, RecordService } from '../records/request/record-service.ts';
import { type AggregateChart, type LineChart, leaderboardQuery, type NumberChart } from './aggregate-chart.ts';
import { bucketsBetween, previousPeriod } from './chart-periods.ts';
import { chartNumber } from './chart-result-builder.ts';

/** One more than a chart can show, to notice when there are too many. */
const maxRows = 10_001;

export interface ChartSource {
  readonly model: ModelView;
  readonly records: Pick<RecordService, 'aggregate'>;
  readonly collection: CompiledCollection;
  readonly context: CallContext;
  /** Whether a scope restricts the caller. */
  readonly isScoped: boolean;
}

/**
 * The value of a chart over the records of a collection, as JSON. Right: to browse the collection, and to read where paths
 * end.
 */
export async function runAggregateChart(source: ChartSource, chart: AggregateChart): Promise<unknown> {
  switch (chart.type) {
    case 'Value':
      return countWithPrevious(source, chart);
    case 'Objective':
      return { value: await numberOf(source, chart, chart.where) };
    case 'Line':
      return lineOf(source, chart);
    case 'Pie':
      return shares(checkedRows(await rowsOf(source, chart, [{ field: chart.groupBy }]), chart.groupBy));
    case 'Leaderboard': {
      const query = leaderboardQuery(source.model, source.collection, chart);
      return shares(await source.records.aggregate(query, source.context));
    }
  }
}

/** The value, with the number of the period before when the condition is only about a period of time. */
async function countWithPrevious(source: ChartSource, chart: NumberChart): Promise<unknown> {
  const { model, collection, context, isScoped } = source;
  const countCurrent = await numberOf(source, chart, chart.where);
  const now = DateTime.now().setZone(context.caller.timezone);
  const before = chart.where && !isScoped && previousPeriod(chart.where, movableColumns(model, collection), now);
  return before ? { countCurrent, countPrevious: await numberOf(source, chart, before) } : { countCurrent };
}

/** A path to many records is out: one record could fulfil the beginning of the period, another one its end. */
function movableColumns(model: ModelView, collection: CompiledCollection) {
  const columnAt = columnLookup(model, collection);
  return (path: string) => (toManyBreak(model, collection, path) ? undefined : columnAt(path));
}

async function numberOf(
  { records, collection, context }: ChartSource,
  { measure }: NumberChart,
  where: ConditionTree | undefined,
): Promise<unknown> {
  const aggregation = { ...measure, groups: [] };
  const [row] = await records.aggregate({ collection: collection.name, where, aggregation }, context);
  return shown(row?.value);
}

async function lineOf(source: ChartSource, chart: LineChart): Promise<unknown> {
  const rows = await rowsOf(source, chart, [{ field: chart.groupBy, bucket: chart.timeRange }]);
  const values = new Map(rows.map(({ value, groups: [day] }) => [day, value] as const).filter(([day]) => day !== null));
  const days = [...values.keys()].map(String);
  return checkedBuckets(days, chart).map(({ firstDay, label }) => ({
    label,
    values: { value: shown(values.get(firstDay)) },
  }));
}

function checkedRows(rows: readonly AggregatedGroup[], groupBy: string): readonly AggregatedGroup[] {
  if (rows.length < maxRows) return rows;
  throw cloudError(
    'REQUEST_UNPROCESSABLE',
    `"${groupBy}" has more values than the ${maxRows - 1} that a chart shows.`,
    'Group by something that has fewer values, or filter.',
    { details: { field: groupBy } },
  );
}

function checkedBuckets(days: readonly string[], { groupBy, timeRange }: LineChart) {
  try {
    return bucketsBetween(days, timeRange);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw cloudError('REQUEST_UNPROCESSABLE', error.message, 'Ask for longer stretches of time, or filter the dates.', {
      details: { field: groupBy },
      cause: error,
    });
  }
}

function rowsOf(
  { records, collection, context }: ChartSource,
  { measure, where }: AggregateChart,
  groups: GroupQuery['aggregation']['groups'],
): Promise<AggregatedGroup[]> {
  const aggregation = { ...measure, groups };
  return records.aggregate({ collection: collection.name, where, aggregation, limit: maxRows }, context);
}

function shares(rows: readonly AggregatedGroup[]): unknown {
  return rows.map(({ value, groups: [key] }) => ({ key, value: shown(value) }));
}

/** No value is 0; a number is a number of JSON where that is exact, else a text; a date or a text stays. */
function shown(value: unknown): unknown {
  if (value === null || value === undefined) return 0;
  const decimal = parseDecimal(value);
  return decimal ? chartNumber(decimal) : value;
}
