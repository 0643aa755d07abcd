import * as z from 'zod';
import { unprocessableRequest } from '#kernel/errors/request-errors';
import { listAction } from '../../../activity/act-reporter.ts';
import {
  type AggregateOperation,
  type AggregationGroup,
  aggregateOperations,
  dateBuckets,
} from '../../../query/aggregation.ts';
import type { AggregatedGroup } from '../../../records/request/record-service.ts';
import { requireFit, rowsThatFit } from '../render/answer-text.ts';
import { shownText } from '../render/shown-record.ts';
import { callerOf, collectionNameArgument, collectionOf } from './arguments.ts';
import { listArguments, selectionArguments } from './list-arguments.ts';
import { readSelection } from './list-question.ts';
import { packedRecordId, readRecordId, recordIdArgument } from './record-ids.ts';
import { defineTool, readingHints, type ToolCall } from './tool.ts';

const maxAggregates = 5;
const maxGroupFields = 3;

const aggregate = z.strictObject({ operation: z.enum(aggregateOperations), field: z.string().min(1).optional() });
const group = z.strictObject({ field: z.string().min(1), bucket: z.enum(dateBuckets).optional() });

const aggregateInput = z.strictObject({
  collectionName: collectionNameArgument,
  aggregates: z
    .array(aggregate)
    .min(1)
    .max(maxAggregates)
    .default([{ operation: 'Count' }])
    .describe('Default: the number of records.'),
  groupBy: z
    .array(group)
    .max(maxGroupFields)
    .default([])
    .describe('Columns, and paths "relation:column" to one record; "bucket" for dates.'),
  ...selectionArguments,
  limit: z.int().min(1).max(1_000).default(100),
  timezone: listArguments.timezone,
  maxBytes: listArguments.maxBytes,
});

const aggregateOutput = z.object({
  groups: z.array(z.object({ key: z.looseObject({}), values: z.looseObject({}) })),
  truncated: z.boolean().optional(),
});

/** Counts, sums, averages and extremes of the records of a collection, by group. */
export const aggregateTool = defineTool({
  name: 'aggregate',
  title: 'Aggregate records',
  description:
    'Counts, sums, averages, lowest and highest values of records, by group: orders per status in one call. By time for dates, else by the first aggregate, highest first. Filters: as in list.',
  hints: readingHints,
  scope: 'mcp:read',
  input: aggregateInput,
  output: aggregateOutput,
  act: ({ collectionName, search, filters, segment }) => ({
    action: listAction(search, filters !== undefined || segment !== undefined),
    collection: collectionName,
  }),
  run: aggregateRecords,
  recordsIn: ({ groups }) => groups.length,
  nothing: { groups: [], truncated: true },
});

async function aggregateRecords(args: z.output<typeof aggregateInput>, call: ToolCall) {
  const { recordService, model } = call.state;
  const collection = collectionOf(call, args.collectionName);
  const { noteCodeRead } = call.seen;
  const context = { caller: callerOf(call, args.timezone), signal: call.signal, reads: call.reads, noteCodeRead };
  const isByTime = args.groupBy.some(({ bucket }) => bucket !== undefined);
  // One more group than wanted tells that there are more. To put groups in order or together, all of them are needed.
  const limit = isByTime || args.aggregates.length > 1 ? maxGroups + 1 : args.limit + 1;
  const rowsOf = (aggregation: Aggregate) => {
    const read = () => ({
      ...readSelection(model, collection, args),
      aggregation: { ...aggregation, groups: args.groupBy },
      limit,
    });
    return recordService.aggregate({ collection: collection.name, read }, context);
  };
  const columns = await Promise.all(args.aggregates.map(rowsOf));
  const all = groupsOf(args, columns);
  const groups = rowsThatFit(all.slice(0, args.limit), args.maxBytes);
  for (const { key, values } of groups) {
    for (const [path, value] of Object.entries(key)) call.seen.showValue(collection, path, value);
    for (const { operation, field } of args.aggregates) {
      if (field !== undefined) call.seen.showValue(collection, field, values[labelOf({ operation, field })]);
    }
  }
  return { groups: [...groups], ...(groups.length < all.length ? { truncated: true } : {}) };
}

/** The most groups that are put together. */
const maxGroups = 10_000;

interface Aggregate {
  readonly operation: AggregateOperation;
  readonly field?: string | undefined;
}

interface GroupedBy {
  readonly aggregates: readonly Aggregate[];
  readonly groupBy: readonly AggregationGroup[];
}

interface ShownGroup {
  /** By field. */
  readonly key: Readonly<Record<string, unknown>>;
  /** By aggregate: `Count`, `Sum(total)`. */
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Put the results of several aggregates over the same groups together: by time where a date is grouped, else in the order of
 * the first aggregate. Throws `REQUEST_UNPROCESSABLE` for too many groups.
 *
 * @param columns The groups of each aggregate.
 */
function groupsOf({ aggregates, groupBy }: GroupedBy, columns: readonly (readonly AggregatedGroup[])[]) {
  if (columns.some(({ length }) => length > maxGroups)) {
    throw unprocessableRequest(
      `There are more than ${maxGroups} groups.`,
      'Filter, or group by something with fewer values.',
    );
  }
  const labels = aggregates.map(labelOf);
  const valuesOf = columns.map((rows) => new Map(rows.map((row) => [JSON.stringify(row.groups), row.value])));
  const [first = []] = columns;
  const shown = inOrder(first, groupBy).map(({ groups }): ShownGroup => {
    const place = JSON.stringify(groups);
    return {
      key: Object.fromEntries(groupBy.map(({ field }, index) => [field, shownText(groups[index] ?? null)])),
      values: Object.fromEntries(labels.map((label, index) => [label, valuesOf[index]?.get(place) ?? null])),
    };
  });
  return shown;
}

function labelOf({ operation, field }: Aggregate): string {
  return field === undefined ? operation : `${operation}(${field})`;
}

/** Dates in order, groups without one at the end. */
function inOrder(rows: readonly AggregatedGroup[], groupBy: readonly AggregationGroup[]): readonly AggregatedGroup[] {
  const dates = groupBy.findIndex(({ bucket }) => bucket !== undefined);
  if (dates === -1) return rows;
  const dayOf = ({ groups }: AggregatedGroup) => String(groups[dates] ?? '\uFFFF');
  return rows.toSorted((one, other) => (dayOf(one) < dayOf(other) ? -1 : Number(dayOf(one) > dayOf(other))));
}

const getChartInput = z.strictObject({
  chartName: z.string().min(1),
  collectionName: collectionNameArgument.optional().describe('For a chart about a record.'),
  recordId: recordIdArgument.optional(),
  parameters: z.record(z.string(), z.string()).default({}),
  timezone: listArguments.timezone,
  maxBytes: listArguments.maxBytes,
});

const getChartOutput = z.object({ value: z.unknown() });

/** What a chart shows, as JSON. */
export const getChartTool = defineTool({
  name: 'getChart',
  title: 'Get a chart',
  description: 'The numbers of a chart of the project or of one record.',
  hints: readingHints,
  scope: 'mcp:read',
  input: getChartInput,
  output: getChartOutput,
  act: ({ chartName, collectionName, recordId }) => ({
    action: 'read',
    label: chartName,
    collection: collectionName,
    recordIds: recordId === undefined ? undefined : [packedRecordId(recordId)],
  }),
  run: async (args, call) => {
    const value = (await chartOf(args, call)) ?? null;
    requireFit(value, args.maxBytes, 'Raise maxBytes, or give the chart parameters that make it smaller.');
    return { value };
  },
  recordsIn: ({ value }) => itemsIn(value),
  nothing: { value: null },
});

/** A chart gives as much as its lists hold. */
function itemsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value).map(itemsIn);
  return (Array.isArray(value) ? value.length : 0) + items.reduce((sum, count) => sum + count, 0);
}

async function chartOf(
  { chartName, collectionName, recordId, parameters, timezone }: z.output<typeof getChartInput>,
  call: ToolCall,
) {
  const { charts } = call.state;
  const { noteCodeRead } = call.seen;
  const context = { caller: callerOf(call, timezone), signal: call.signal, reads: call.reads, noteCodeRead };
  if (collectionName === undefined) return (await charts.agentChart(chartName, parameters, context)).value;
  const collection = collectionOf(call, collectionName);
  const readRecord = () => ({
    parameters,
    id: readRecordId(collection, recordId ?? '') as readonly (string | number)[],
  });
  return (await charts.collectionChart(collection.name, chartName, readRecord, context)).value;
}
