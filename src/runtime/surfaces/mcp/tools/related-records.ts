import * as z from 'zod';
import type { Act } from '../../../activity/act-reporter.ts';
import { type CompiledCollection, type CompiledModel, relationNamed } from '../../../model/compiled-model.ts';
import type { RelationSchema } from '../../../query/collection-schema.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import { collectionNameArgument, collectionOf } from './arguments.ts';
import { packedRecordId, type RecordId, readRecordId, recordIdArgument } from './record-ids.ts';
import type { ToolCall } from './tool.ts';

/** A record, and one of its relations. */
export const relationArguments = {
  collectionName: collectionNameArgument,
  parentRecordId: recordIdArgument,
  relationName: z.string().min(1),
};

interface RelationArguments {
  readonly collectionName: string;
  readonly parentRecordId: RecordId;
  readonly relationName: string;
}

export interface RelatedRecords {
  readonly relation: RelationSchema;
  readonly foreign: CompiledCollection;
  /** The id is read after the right is known, because it may be invalid. */
  readonly end: RelationEnd;
}

/** Throws `REQUEST_NOT_FOUND`, with the names there are. */
export function relatedRecords(
  call: ToolCall,
  { collectionName, parentRecordId, relationName }: RelationArguments,
  kinds: readonly RelationSchema['kind'][],
): RelatedRecords {
  const collection = collectionOf(call, collectionName);
  const { foreign, field } = relationNamed(call.state.model, collection.name, relationName, kinds);
  const id = () => readRecordId(collection, parentRecordId);
  return { relation: field, foreign, end: { collection: collection.name, id, relation: relationName } };
}

/** Changing what a record is linked to is an update of it. */
export function linkingAct(verb: 'associate' | 'dissociate', given: RelationArguments): Act {
  return {
    action: 'update',
    label: `${verb} ${given.relationName}`,
    collection: given.collectionName,
    recordIds: [packedRecordId(given.parentRecordId)],
  };
}

/** The same act on the related records: an update of them too. A to-one relation has none of its own. */
export function linkedAct(
  verb: 'associate' | 'dissociate',
  { collectionName, relationName }: RelationArguments,
  recordIds: readonly string[],
  model: CompiledModel,
): Act | undefined {
  const field = model.collections.get(collectionName)?.fields.get(relationName);
  if (field?.kind !== 'OneToMany' && field?.kind !== 'ManyToMany') return undefined;
  const label = `${verb} ${relationName} of ${collectionName}`;
  return { action: 'update', label, collection: field.foreignCollection, recordIds };
}
