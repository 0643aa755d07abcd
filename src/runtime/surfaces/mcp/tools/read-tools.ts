import * as z from 'zod';
import { cloudError } from '#kernel/errors/cloud-error';
import { listAction } from '../../../activity/act-reporter.ts';
import { type CompiledCollection, relationNamed } from '../../../model/compiled-model.ts';
import { untrustedColumns } from '../marks/seen-text.ts';
import { requireFit } from '../render/answer-text.ts';
import { shownRecord, valueFields } from '../render/shown-record.ts';
import { answerList, untrustedNote } from './answer-list.ts';
import { callerOf, collectionNameArgument, collectionOf } from './arguments.ts';
import { listArguments, listOutput, maxPageSize } from './list-arguments.ts';
import { isPermitted } from './permitted-collections.ts';
import { packedRecordId, readRecordId, recordIdArgument } from './record-ids.ts';
import { defineTool, readingHints, type ToolCall } from './tool.ts';

const { fields, filters, search, segment, deleted, sort, pagination, cursor, timezone, maxBytes } = listArguments;

const listInput = z.strictObject({
  collectionName: collectionNameArgument,
  ...listArguments,
  fields: fields.describe('Columns and paths "relation:column". Default: the first 20 columns.'),
  filters: filters.describe(
    '{field, operator, value} or {aggregator: "And" | "Or", conditions: […]}. Operators: describeCollection. A path to many records asks for one that fits.',
  ),
  search: search.describe('Words, "phrases", -excluded, OR, field:value, relation.field:>=5.'),
  segment: segment.describe('Name of a saved filter.'),
  sort: sort.describe('{field, ascending}, or "-total,customer:name".'),
  deleted: deleted.describe('Deleted records, where deletion marks them.'),
  pagination: pagination.describe(`Default size: 15, at most ${maxPageSize}.`),
  cursor: cursor.describe('page.nextCursor, with the same arguments.'),
  timezone: timezone.describe("IANA zone, for Today and the like. Default: the user's."),
  maxBytes: maxBytes.describe('Records beyond it are left out.'),
});

/** Nothing of a list. */
const noRecords = { records: [], page: { number: 1, size: 0, returned: 0, hasMore: true } };

/** A page of the records of a collection, within the rights of the caller. */
export const listTool = defineTool({
  name: 'list',
  title: 'List records',
  description: 'Records of a collection: filtered, searched, sorted, in pages.',
  hints: readingHints,
  scope: 'mcp:read',
  input: listInput,
  output: listOutput,
  act: ({ collectionName, search, filters, segment }) => ({
    action: listAction(search, filters !== undefined || segment !== undefined),
    collection: collectionName,
  }),
  run: async ({ collectionName, ...args }, call) => answerList(args, collectionOf(call, collectionName), call),
  recordsIn: ({ records }) => records.length,
  nothing: noRecords,
});

const listRelatedInput = z.strictObject({
  collectionName: collectionNameArgument,
  parentRecordId: recordIdArgument,
  relationName: z.string().min(1),
  ...listArguments,
});

/** A page of the records that a to-many relation leads to from one record. */
export const listRelatedTool = defineTool({
  name: 'listRelated',
  title: 'List related records',
  description: 'Records behind a relation to many of one record. Arguments: as in list.',
  hints: readingHints,
  scope: 'mcp:read',
  input: listRelatedInput,
  output: listOutput,
  act: ({ collectionName, parentRecordId, relationName }) => ({
    action: 'listRelatedData',
    collection: collectionName,
    label: relationName,
    recordIds: [packedRecordId(parentRecordId)],
  }),
  run: async ({ collectionName, parentRecordId, relationName, ...args }, call) => {
    const collection = collectionOf(call, collectionName);
    const foreign = await relatedCollection(call, collection, relationName);
    const id = packedRecordId(parentRecordId);
    const end = {
      collection: collection.name,
      id: () => readRecordId(collection, parentRecordId),
      relation: relationName,
    };
    return answerList(args, foreign, call, { end, id });
  },
  recordsIn: ({ records }) => records.length,
  nothing: noRecords,
});

const toMany = ['OneToMany', 'ManyToMany'] as const;

/** Throws `REQUEST_NOT_FOUND`, which names the nearest relation to those who may browse the collection. */
async function relatedCollection(
  call: ToolCall,
  { name, fields }: CompiledCollection,
  relation: string,
): Promise<CompiledCollection> {
  const { model, authoriser } = call.state;
  const isThere = toMany.some((kind) => kind === fields.get(relation)?.kind);
  if (!isThere && !(await isPermitted(authoriser.require(callerOf(call), name, 'browse')))) {
    throw cloudError(
      'REQUEST_NOT_FOUND',
      `The collection "${name}" has no such relation "${relation}".`,
      'Use one of the relations of the collection.',
    );
  }
  return relationNamed(model, name, relation, toMany).foreign;
}

const getRecordInput = z.strictObject({
  collectionName: collectionNameArgument,
  recordId: recordIdArgument,
  fields: listArguments.fields.describe('Default: all columns that people outside cannot write.'),
  deleted: listArguments.deleted,
  timezone: listArguments.timezone,
  maxBytes: listArguments.maxBytes,
});

const getRecordOutput = z.object({ record: z.looseObject({}), notes: z.array(z.string()).optional() });

/** One record. A record out of scope is not there. */
export const getRecordTool = defineTool({
  name: 'getRecord',
  title: 'Get a record',
  description: 'One record by its id. The arguments are those of list.',
  hints: readingHints,
  scope: 'mcp:read',
  input: getRecordInput,
  output: getRecordOutput,
  act: ({ collectionName, recordId }) => ({
    action: 'read',
    collection: collectionName,
    recordIds: [packedRecordId(recordId)],
  }),
  run: readRecord,
  recordsIn: () => 1,
  nothing: { record: {} },
});

async function readRecord(args: z.output<typeof getRecordInput>, call: ToolCall) {
  const { recordService, model } = call.state;
  const collection = collectionOf(call, args.collectionName);
  const deleted = args.deleted && { collection: collection.name, choice: args.deleted };
  const { noteCodeRead } = call.seen;
  const { signal, reads } = call;
  const context = { caller: callerOf(call, args.timezone), signal, reads, deleted, noteCodeRead };
  const paths = args.fields?.map((field) => field.replaceAll('@@@', ':'));
  const untrusted = paths ? new Set<string>() : untrustedColumns(model, collection);
  const projection = paths ?? valueFields(collection).filter((name) => !untrusted.has(name));
  const found = await recordService.get(
    collection.name,
    () => readRecordId(collection, args.recordId),
    () => projection,
    context,
  );
  const record = shownRecord(model, collection, found, new Set(paths));
  requireFit(record, args.maxBytes, 'Name fewer fields, or raise maxBytes.');
  call.seen.showRecords(collection, projection, [found]);
  return { record, ...(untrusted.size > 0 ? { notes: [untrustedNote([...untrusted])] } : {}) };
}
