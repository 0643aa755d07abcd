import * as z from 'zod';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { conditionOfKeys, recordNotFound } from '../../../model/record-id.ts';
import type { RecordData } from '../../../query/record-query.ts';
import { untrustedColumns, withoutUntrusted } from '../marks/seen-text.ts';
import { collectionNameArgument, collectionOf } from './arguments.ts';
import { confirmationOutput } from './preview.ts';
import {
  packedIdsOf,
  packedRecordId,
  readRecordId,
  readRecordIds,
  recordIdArgument,
  recordIdsArgument,
} from './record-ids.ts';
import { sampleOf } from './sample-records.ts';
import { defineTool, type Prepared, type ToolCall } from './tool.ts';
import {
  confirmationTokenArgument,
  dryRunArgument,
  idempotencyKeyArgument,
  ifMatchArgument,
  objectArgument,
  readIfMatch,
  readObject,
  writeContext,
} from './write-arguments.ts';

const createInput = z.strictObject({
  collectionName: collectionNameArgument,
  attributes: objectArgument.describe('Values by field. Long numbers as text.'),
  idempotencyKey: idempotencyKeyArgument,
  dryRun: dryRunArgument,
});

const createOutput = z.looseObject({
  status: z.enum(['created', 'dry_run', 'confirmation_required']),
  record: z.record(z.string(), z.unknown()).optional(),
  wouldSet: z.record(z.string(), z.unknown()).optional(),
  missing: z.array(z.string()).optional(),
});

type CreateAnswer = z.input<typeof createOutput>;

/** Create a record, within the rights of the caller. */
export const createTool = defineTool({
  name: 'create',
  title: 'Create a record',
  description: 'Create a record of a collection.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  scope: 'mcp:write',
  input: createInput,
  output: createOutput,
  act: ({ collectionName }) => ({ action: 'create', collection: collectionName }),
  tryOut: async ({ collectionName, attributes }, call): Promise<CreateAnswer> => {
    const { name } = collectionOf(call, collectionName);
    const read = () => readObject('attributes', attributes);
    const { attributes: wouldSet, missing } = await call.state.recordService.checkCreate(
      name,
      read,
      writeContext(call),
    );
    return { status: 'dry_run', wouldSet, missing: [...missing] };
  },
  prepareForPerson: async ({ collectionName, attributes }, call): Promise<Prepared<CreateAnswer>> => {
    const { name } = collectionOf(call, collectionName);
    await call.state.recordService.checkCreate(name, () => readObject('attributes', attributes), writeContext(call));
    return { preview: { message: `Create a record of "${name}".`, count: 1, sample: [] } };
  },
  run: async ({ collectionName, attributes }, call): Promise<CreateAnswer> => {
    const collection = collectionOf(call, collectionName);
    const read = () => readObject('attributes', attributes);
    const record = await call.state.recordService.create(collection.name, read, writeContext(call));
    return { status: 'created', ...shownAfterWrite(record, collection, call) };
  },
});

const updateInput = z.strictObject({
  collectionName: collectionNameArgument,
  recordId: recordIdArgument,
  attributes: objectArgument,
  ifMatch: ifMatchArgument.describe('Values you saw. Refused if they have changed.'),
  dryRun: dryRunArgument,
});

const updateOutput = z.looseObject({
  status: z.enum(['updated', 'dry_run', 'confirmation_required']),
  record: z.record(z.string(), z.unknown()).optional(),
  changes: z.array(z.looseObject({ field: z.string() })).optional(),
});

type UpdateAnswer = z.input<typeof updateOutput>;

/** Write some fields of a record. */
export const updateTool = defineTool({
  name: 'update',
  title: 'Update a record',
  description: 'Change fields of a record.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  scope: 'mcp:write',
  input: updateInput,
  output: updateOutput,
  act: ({ collectionName, recordId }) => ({
    action: 'update',
    collection: collectionName,
    recordIds: [packedRecordId(recordId)],
  }),
  tryOut: async ({ collectionName, recordId, attributes, ifMatch }, call): Promise<UpdateAnswer> => {
    const collection = collectionOf(call, collectionName);
    const changes = await call.state.recordService.checkUpdate(
      collection.name,
      () => readRecordId(collection, recordId),
      () => readObject('attributes', attributes),
      writeContext(call),
      readIfMatch(ifMatch),
    );
    if (!changes) throw recordNotFound(collection);
    for (const { field, from } of changes) call.seen.showValue(collection, field, from);
    return { status: 'dry_run', changes: changes.map((change) => ({ ...change })) };
  },
  prepareForPerson: async (
    { collectionName, recordId, attributes, ifMatch },
    call,
  ): Promise<Prepared<UpdateAnswer>> => {
    const collection = collectionOf(call, collectionName);
    const id = () => readRecordId(collection, recordId);
    const patch = () => readObject('attributes', attributes);
    const { recordService } = call.state;
    const context = writeContext(call);
    if (!(await recordService.checkUpdate(collection.name, id, patch, context, readIfMatch(ifMatch)))) {
      throw recordNotFound(collection);
    }
    const sample = await sampleOf(call, collection, { keys: [id()] }, context);
    return { preview: { message: `Change a record of "${collection.name}".`, count: 1, sample } };
  },
  run: async ({ collectionName, recordId, attributes, ifMatch }, call): Promise<UpdateAnswer> => {
    const collection = collectionOf(call, collectionName);
    const record = await call.state.recordService.update(
      collection.name,
      () => readRecordId(collection, recordId),
      () => readObject('attributes', attributes),
      writeContext(call),
      readIfMatch(ifMatch),
    );
    if (!record) throw recordNotFound(collection);
    return { status: 'updated', ...shownAfterWrite(record, collection, call) };
  },
});

/** A record that was written, without what people outside can write: whoever has written to it need not read that. */
function shownAfterWrite(record: RecordData, collection: CompiledCollection, { state: { model } }: ToolCall) {
  const untrusted = [...untrustedColumns(model, collection)].filter((name) => Object.hasOwn(record, name));
  if (untrusted.length === 0) return { record: { ...record } };
  const notes = [`Left out, because people outside can write them: ${untrusted.join(', ')}.`];
  return { record: withoutUntrusted(model, collection, record), notes };
}

const deleteInput = z.strictObject({
  collectionName: collectionNameArgument,
  recordIds: recordIdsArgument,
  ifMatch: ifMatchArgument,
  dryRun: dryRunArgument,
  confirmationToken: confirmationTokenArgument,
});

const deleteOutput = z.looseObject({
  status: z.enum(['deleted', 'dry_run', 'confirmation_required']),
  deletedCount: z.int().optional(),
  ...confirmationOutput,
});

type DeleteAnswer = z.input<typeof deleteOutput>;

type DeleteArguments = z.output<typeof deleteInput>;

/** Delete records. */
export const deleteTool = defineTool({
  name: 'delete',
  title: 'Delete records',
  description: 'Delete records. A person confirms it first.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  scope: 'mcp:delete',
  input: deleteInput,
  output: deleteOutput,
  act: ({ collectionName, recordIds }) => ({
    action: 'delete',
    collection: collectionName,
    recordIds: packedIdsOf(recordIds),
  }),
  tryOut: async (given, call): Promise<DeleteAnswer> => ({
    status: 'dry_run',
    count: await countToDelete(given, call),
  }),
  prepare: async (given, call): Promise<Prepared<DeleteAnswer>> => {
    const count = await countToDelete(given, call);
    if (count === 0) return { answer: { status: 'deleted', deletedCount: 0 } };
    const collection = collectionOf(call, given.collectionName);
    const keys = readRecordIds(collection, given.recordIds);
    const sample = await sampleOf(call, collection, { keys }, writeContext(call));
    return { preview: { message: `Delete ${count} of the records of "${collection.name}".`, count, sample } };
  },
  run: async ({ collectionName, recordIds, ifMatch }, call): Promise<DeleteAnswer> => {
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

function countToDelete({ collectionName, recordIds, ifMatch }: DeleteArguments, call: ToolCall): Promise<number> {
  const collection = collectionOf(call, collectionName);
  const where = () => conditionOfKeys(collection.primaryKey, readRecordIds(collection, recordIds));
  return call.state.recordService.checkDelete(collection.name, where, writeContext(call), readIfMatch(ifMatch));
}
