import type { CompiledCollection, CompiledModel } from '../../model/compiled-model.ts';
import { resolvePath } from '../../model/field-path.ts';
import { closeCondition } from '../../query/condition-template.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { Page, RecordData } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import { type NativeList, prepareNativeList } from '../read/native-list.ts';
import { intersect, scopeCondition } from '../read/record-filter.ts';
import { hasHooks } from '../read/run-hooks.ts';
import { planSort } from './plan-query.ts';
import type { ListPlan, ListQuestion } from './planned-query.ts';
import { readList } from './read-list.ts';
import { asStored, type ReadPlan } from './read-plan.ts';
import type { RecordReader } from './record-reader.ts';

/** Plan a list request. Throws `REQUEST_INVALID` or `REQUEST_FIELD_UNKNOWN` for paths that cannot be read or sorted by. */
export function planList(reader: RecordReader, collection: CompiledCollection, question: ListQuestion): ListPlan {
  const { model, authoriser, engine } = reader;
  const plan = reader.planRead(collection, question.projection);
  const sort = planSort(reader, collection, question.sort);
  const foreignCollections = new Set([
    ...plan.foreignCollections,
    ...sort.foreignCollections,
    ...(question.filter ? foreignCollectionsOf(model, collection, question.filter.tree) : []),
  ]);
  const filter = question.filter && {
    ...question.filter,
    tree: model.names.originalTree(collection.name, question.filter.tree),
  };
  const original = engine.collectionNamed(collection.name);
  const isHooked = hasHooks(original, 'Before', 'List') || hasHooks(original, 'After', 'List');
  const native = isHooked
    ? undefined
    : prepareNativeList(engine, original, { projection: plan.projection, filter, sort: sort.clauses });
  return {
    async list(values, page, context) {
      if (foreignCollections.size > 0) await authoriser.requireReadOn(context.caller, foreignCollections);
      const scoping = scopeCondition(model, collection, authoriser, context.caller);
      const scope = scoping instanceof Promise ? await scoping : scoping;
      const reading = native && !context.unit ? readNatively(native, plan, values, scope, page, context) : undefined;
      if (reading) return reading;
      const where = intersect([filter && closeCondition(filter, values), scope]);
      return readList(reader, { collection, plan }, { where, sort: sort.clauses, page }, {}, context);
    },
  };
}

function readNatively(
  native: NativeList,
  { present }: ReadPlan,
  values: readonly unknown[],
  scope: ConditionTree | undefined,
  page: Page | undefined,
  context: CallContext,
): Promise<RecordData[]> | undefined {
  const reading = native.read(values, scope, page, context);
  return present === asStored ? reading : reading?.then((records) => records.map(present));
}

function foreignCollectionsOf(model: CompiledModel, collection: CompiledCollection, tree: ConditionTree): string[] {
  if (isBranch(tree)) return tree.conditions.flatMap((node) => foreignCollectionsOf(model, collection, node));
  const target = resolvePath(model, collection, tree.field, 'all');
  return target.relationPath === '' ? [] : [target.collection.name];
}
