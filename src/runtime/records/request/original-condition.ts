import type { CompiledCollection } from '../../model/compiled-model.ts';
import { idCondition } from '../../model/record-id.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { CallContext } from '../calls/call-context.ts';
import { scopeCondition } from '../read/record-filter.ts';
import type { RecordReader } from './record-reader.ts';

/** The scope of a caller on a collection, in original names. */
export function scopeOf({ model, authoriser }: RecordReader, collection: CompiledCollection, { caller }: CallContext) {
  return scopeCondition(model, collection, authoriser, caller);
}

/** The condition of one record in original names. */
export function originalId(
  { model }: RecordReader,
  collection: CompiledCollection,
  id: readonly unknown[],
): ConditionTree {
  return model.names.originalTree(collection.name, idCondition(collection, id));
}
