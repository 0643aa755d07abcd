import * as z from 'zod';
import { cloudError } from '#kernel/errors/cloud-error';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { relationNamed } from '../../../model/compiled-model.ts';
import { answerList } from './answer-list.ts';
import { callerOf, collectionNameArgument, collectionOf } from './arguments.ts';
import { listArguments, listOutput } from './list-arguments.ts';
import { isPermitted } from './permitted-collections.ts';
import { packedRecordId, readRecordId, recordIdArgument } from './record-ids.ts';
import { defineTool, readingHints, type ToolCall } from './tool.ts';

const input = z.strictObject({
  collectionName: collectionNameArgument,
  parentRecordId: recordIdArgument,
  relationName: z.string().min(1),
  ...listArguments,
});

/** A page of the records that a to-many relation leads to from one record. */
export const listRelatedTool = defineTool({
  name: 'listRelated',
  title: 'List related records',
  description: 'Records that a relation to many leads to from one record. Arguments are those of list.',
  hints: readingHints,
  scope: 'mcp:read',
  input,
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
