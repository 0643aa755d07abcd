import * as z from 'zod';
import { recordNotFound } from '../../../model/record-id.ts';
import { collectionNameArgument, collectionOf } from './arguments.ts';
import { packedRecordId, readRecordId, recordIdArgument } from './record-ids.ts';
import { defineTool } from './tool.ts';
import {
  dryRunArgument,
  ifMatchArgument,
  objectArgument,
  readIfMatch,
  readObject,
  writeContext,
} from './write-arguments.ts';

const input = z.strictObject({
  collectionName: collectionNameArgument,
  recordId: recordIdArgument,
  attributes: objectArgument,
  ifMatch: ifMatchArgument.describe('Values you saw. Refused if they have changed.'),
  dryRun: dryRunArgument,
});

const output = z.looseObject({
  status: z.enum(['updated', 'dry_run']),
  record: z.record(z.string(), z.unknown()).optional(),
  changes: z.array(z.looseObject({ field: z.string() })).optional(),
});

type Answer = z.input<typeof output>;

/** Write some fields of a record. */
export const updateTool = defineTool({
  name: 'update',
  title: 'Update a record',
  description: 'Change fields of a record.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  scope: 'mcp:write',
  input,
  output,
  act: ({ collectionName, recordId }) => ({
    action: 'update',
    collection: collectionName,
    recordIds: [packedRecordId(recordId)],
  }),
  tryOut: async ({ collectionName, recordId, attributes, ifMatch }, call): Promise<Answer> => {
    const collection = collectionOf(call, collectionName);
    const changes = await call.state.recordService.checkUpdate(
      collection.name,
      () => readRecordId(collection, recordId),
      () => readObject('attributes', attributes),
      writeContext(call),
      readIfMatch(ifMatch),
    );
    if (!changes) throw recordNotFound(collection);
    return { status: 'dry_run', changes: changes.map((change) => ({ ...change })) };
  },
  run: async ({ collectionName, recordId, attributes, ifMatch }, call): Promise<Answer> => {
    const collection = collectionOf(call, collectionName);
    const record = await call.state.recordService.update(
      collection.name,
      () => readRecordId(collection, recordId),
      () => readObject('attributes', attributes),
      writeContext(call),
      readIfMatch(ifMatch),
    );
    if (!record) throw recordNotFound(collection);
    return { status: 'updated', record };
  },
});
