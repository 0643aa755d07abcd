import * as z from 'zod';
import { conditionOfKeys } from '../../../model/record-id.ts';
import { collectionNameArgument, collectionOf } from './arguments.ts';
import { confirmationOutput } from './preview.ts';
import { packedIdsOf, readRecordIds, recordIdsArgument } from './record-ids.ts';
import { sampleOf } from './sample-records.ts';
import { defineTool, type Prepared, type ToolCall } from './tool.ts';
import {
  confirmationTokenArgument,
  dryRunArgument,
  ifMatchArgument,
  readIfMatch,
  writeContext,
} from './write-arguments.ts';

const input = z.strictObject({
  collectionName: collectionNameArgument,
  recordIds: recordIdsArgument,
  ifMatch: ifMatchArgument,
  dryRun: dryRunArgument,
  confirmationToken: confirmationTokenArgument,
});

const output = z.looseObject({
  status: z.enum(['deleted', 'dry_run', 'confirmation_required']),
  deletedCount: z.int().optional(),
  ...confirmationOutput,
});

type Answer = z.input<typeof output>;

type Input = z.output<typeof input>;

/** Delete records. */
export const deleteTool = defineTool({
  name: 'delete',
  title: 'Delete records',
  description: 'Delete records. A person confirms it first.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  scope: 'mcp:delete',
  input,
  output,
  act: ({ collectionName, recordIds }) => ({
    action: 'delete',
    collection: collectionName,
    recordIds: packedIdsOf(recordIds),
  }),
  tryOut: async (given, call): Promise<Answer> => ({ status: 'dry_run', count: await countOf(given, call) }),
  prepare: async (given, call): Promise<Prepared<Answer>> => {
    const count = await countOf(given, call);
    if (count === 0) return { answer: { status: 'deleted', deletedCount: 0 } };
    const collection = collectionOf(call, given.collectionName);
    const keys = readRecordIds(collection, given.recordIds);
    const sample = await sampleOf(call, collection, { keys }, writeContext(call));
    return { preview: { message: `Delete ${count} of the records of "${collection.name}".`, count, sample } };
  },
  run: async ({ collectionName, recordIds, ifMatch }, call): Promise<Answer> => {
    const collection = collectionOf(call, collectionName);
    const where = () => conditionOfKeys(collection.primaryKey, readRecordIds(collection, recordIds));
    const deletedCount = await call.state.recordService.delete(
      collection.name,
      where,
      writeContext(call),
      readIfMatch(ifMatch),
    );
    return { status: 'deleted', deletedCount };
  },
});

function countOf({ collectionName, recordIds, ifMatch }: Input, call: ToolCall): Promise<number> {
  const collection = collectionOf(call, collectionName);
  const where = () => conditionOfKeys(collection.primaryKey, readRecordIds(collection, recordIds));
  return call.state.recordService.checkDelete(collection.name, where, writeContext(call), readIfMatch(ifMatch));
}
