import type { ContextFilter } from '../../customizer/customization-context.ts';
import {
  type CompiledCollection,
  type CompiledModel,
  collectionNamed,
  wholeModel,
} from '../../model/compiled-model.ts';
import { columnLookup } from '../../model/field-path.ts';
import { pageOrder } from '../../model/key-order.ts';
import { hasKey, packId } from '../../model/record-id.ts';
import type { CountSelected, RightOnRecords } from '../../permissions/authoriser.ts';
import { conditionInvalid } from '../../permissions/wire-condition.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { parseConditionTree } from '../../query/parse-condition-tree.ts';
import type { CallContext } from '../calls/call-context.ts';
import { recordBatches } from '../read/record-batches.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { intersect } from '../read/record-filter.ts';
import type { FilterQuery } from './plan-query.ts';
import type { RecordReader } from './record-reader.ts';

/** Counts within a selection, which is planned when the first condition is asked about: most actions have none. */
export function selectionCounter(
  reader: RecordReader,
  query: FilterQuery & { readonly collection: string },
  right: RightOnRecords,
  context: CallContext,
): CountSelected {
  const { model, engine } = reader;
  const collection = collectionNamed(model, query.collection);
  let selection: Promise<ConditionTree | undefined> | undefined;
  return async (condition) => {
    const asked = condition && originalCondition(wholeModel(model), collection.name, condition);
    selection ??= reader.filterOf(collection, query, right, context);
    return engine.count(engine.collectionNamed(collection.name), intersect([await selection, asked]), context);
  };
}

/** The condition in original names. Whoever wrote it chose what it looks at, so no right of the caller is asked for. */
function originalCondition(model: CompiledModel, name: string, condition: ConditionTree): ConditionTree | undefined {
  try {
    const tree = parseConditionTree(condition, columnLookup(model, collectionNamed(model, name)));
    return tree && model.names.originalTree(name, tree);
  } catch (error) {
    throw conditionInvalid(error);
  }
}

/** The ids of all records that a filter in original names selects, read in batches; `undefined` where there is no key. Records without one have none. */
export async function selectedIds(
  engine: RecordEngine,
  collection: CompiledCollection,
  { conditionTree: where }: ContextFilter,
  context: CallContext,
): Promise<readonly string[] | undefined> {
  const { primaryKey: projection } = collection;
  if (projection.length === 0) return undefined;
  const ids: string[] = [];
  for await (const batch of recordBatches(
    engine,
    collection,
    { projection, where, sort: pageOrder(collection) },
    context,
  )) {
    for (const record of batch) if (hasKey(collection, record)) ids.push(packId(collection, record));
  }
  return ids;
}
