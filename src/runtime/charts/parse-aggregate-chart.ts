import { invalidRequest } from '#kernel/errors/request-errors';
import { isTooDeep } from '#kernel/json/read-json';
import type { CompiledCollection, ModelView } from '../model/compiled-model.ts';
import { columnLookup } from '../model/field-path.ts';
import { aggregateOperations, dateBuckets } from '../query/aggregation.ts';
import { parseConditionTree } from '../query/parse-condition-tree.ts';
import { type Variables, withVariables } from '../records/calls/call-variables.ts';
import { type AggregateChart, type AggregateChartType, type ChartMeasure, keyToGroupBy } from './aggregate-chart.ts';

type Body = Readonly<Record<string, unknown>>;

const types = ['Value', 'Objective', 'Pie', 'Line', 'Leaderboard'] as const satisfies readonly AggregateChartType[];
const defaultLimit = 10;
const maxLimit = 1000;

/** The definition of a chart as the body of a request says it. Throws `REQUEST_INVALID`, which names the key. */
export function parseAggregateChart(
  model: ModelView,
  collection: CompiledCollection,
  body: Body,
  variables: Variables,
): AggregateChart {
  const given = (key: string) => withVariables(body[key] ?? undefined, variables);
  const type = oneOf('type', body['type'], types);
  const measure = measureOf(given('aggregator'), given('aggregateFieldName'));
  const where = parseConditionTree(withVariables(chartFilter(body), variables), columnLookup(model, collection));
  const chart = { measure, where };
  const groupBy = () => text('groupByFieldName', given('groupByFieldName'));
  switch (type) {
    case 'Pie':
      return { ...chart, type, groupBy: keyToGroupBy(collection, groupBy()) ?? groupBy() };
    case 'Line':
      return {
        ...chart,
        type,
        groupBy: groupBy(),
        timeRange: oneOf('timeRange', given('timeRange'), dateBuckets),
      };
    case 'Leaderboard':
      return {
        ...chart,
        type,
        label: text('labelFieldName', given('labelFieldName')),
        relation: text('relationshipFieldName', given('relationshipFieldName')),
        limit: limitOf(given('limit')),
      };
    default:
      return { ...chart, type };
  }
}

/** The condition of a chart as it was sent, its variables not filled in: `filters` wins over `filter`. */
export function chartFilter(body: Body): unknown {
  const filter = body['filters'] ?? body['filter'] ?? undefined;
  if (typeof filter !== 'string' || filter.trim() === '' || isTooDeep(filter))
    return filter === '' ? undefined : filter;
  try {
    return JSON.parse(filter);
  } catch {
    // Variables may replace values. A filter that is not a condition is refused later.
    return filter;
  }
}

function measureOf(aggregator: unknown, field: unknown): ChartMeasure {
  const operation = oneOf('aggregator', aggregator, aggregateOperations);
  return field === undefined ? { operation } : { operation, field: text('aggregateFieldName', field) };
}

function oneOf<Name extends string>(key: string, value: unknown, names: readonly Name[]): Name {
  const found = names.find((name) => name === value);
  if (found !== undefined) return found;
  throw invalidRequest(`"${key}" must be one of ${names.join(', ')}.`, `Correct "${key}" of the chart.`);
}

function text(key: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidRequest(`"${key}" must be a text.`, `Correct "${key}" of the chart.`);
}

function limitOf(value: unknown): number {
  if (value === undefined) return defaultLimit;
  const limit = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= maxLimit) return limit;
  throw invalidRequest(`"limit" must be a whole number from 1 to ${maxLimit}.`, 'Correct "limit" of the chart.');
}
