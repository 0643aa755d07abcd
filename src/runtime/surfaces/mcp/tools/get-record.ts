import * as z from 'zod';
import { requireFit } from '../render/answer-text.ts';
import { shownRecord, valueFields } from '../render/shown-record.ts';
import { callerOf, collectionNameArgument, collectionOf } from './arguments.ts';
import { listArguments } from './list-arguments.ts';
import { packedRecordId, readRecordId, recordIdArgument } from './record-ids.ts';
import { defineTool, readingHints, type ToolCall } from './tool.ts';

const { fields, deleted, timezone, maxBytes } = listArguments;

const input = z.strictObject({
  collectionName: collectionNameArgument,
  recordId: recordIdArgument,
  fields: fields.describe('Default: all columns.'),
  deleted,
  timezone,
  maxBytes,
});

const output = z.object({ record: z.looseObject({}) });

/** One record. A record out of scope is not there. */
export const getRecordTool = defineTool({
  name: 'getRecord',
  title: 'Get a record',
  description: 'One record by its id. The arguments are those of list.',
  hints: readingHints,
  scope: 'mcp:read',
  input,
  output,
  act: ({ collectionName, recordId }) => ({
    action: 'read',
    collection: collectionName,
    recordIds: [packedRecordId(recordId)],
  }),
  run: readRecord,
});

async function readRecord(args: z.output<typeof input>, call: ToolCall) {
  const { recordService, model } = call.state;
  const collection = collectionOf(call, args.collectionName);
  const deleted = args.deleted && { collection: collection.name, choice: args.deleted };
  const context = { caller: callerOf(call, args.timezone), signal: call.signal, deleted };
  const paths = args.fields?.map((field) => field.replaceAll('@@@', ':'));
  const found = await recordService.get(
    collection.name,
    () => readRecordId(collection, args.recordId),
    () => paths ?? valueFields(collection),
    context,
  );
  const record = shownRecord(model, collection, found, new Set(paths));
  requireFit(record, args.maxBytes, 'Name fewer fields, or raise maxBytes.');
  return { record };
}
