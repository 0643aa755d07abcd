import * as z from 'zod';
import { requireFit } from '../render/answer-text.ts';
import { callerOf, collectionNameArgument, collectionOf } from './arguments.ts';
import { listArguments } from './list-arguments.ts';
import { packedRecordId, readRecordId, recordIdArgument } from './record-ids.ts';
import { defineTool, readingHints, type ToolCall } from './tool.ts';

const input = z.strictObject({
  chartName: z.string().min(1),
  collectionName: collectionNameArgument.optional().describe('For a chart about a record.'),
  recordId: recordIdArgument.optional(),
  parameters: z.record(z.string(), z.string()).default({}),
  timezone: listArguments.timezone,
  maxBytes: listArguments.maxBytes,
});

const output = z.object({ value: z.unknown() });

/** What a chart shows, as JSON. */
export const getChartTool = defineTool({
  name: 'getChart',
  title: 'Get a chart',
  description: 'The numbers of a chart of the project, or of a chart about one record.',
  hints: readingHints,
  scope: 'mcp:read',
  input,
  output,
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
});

function chartOf(
  { chartName, collectionName, recordId, parameters, timezone }: z.output<typeof input>,
  call: ToolCall,
) {
  const { charts } = call.state;
  const context = { caller: callerOf(call, timezone), signal: call.signal };
  if (collectionName === undefined) return charts.agentChart(chartName, parameters, context);
  const collection = collectionOf(call, collectionName);
  const readRecord = () => ({
    parameters,
    id: readRecordId(collection, recordId ?? '') as readonly (string | number)[],
  });
  return charts.collectionChart(collection.name, chartName, readRecord, context);
}
