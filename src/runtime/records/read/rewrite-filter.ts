import { DateTime } from 'luxon';
import type { CloudError } from '#kernel/errors/cloud-error';
import { type CompiledCollection, columnOf, type FieldRules } from '../../model/compiled-model.ts';
import { joinPath, type ResolvedPath, resolvePath, toManyBreak } from '../../model/field-path.ts';
import { type ConditionLeaf, type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { rewriteLeaf } from '../../query/operator-equivalence.ts';
import { nestCondition } from '../../query/record-path.ts';
import { StoredPlace } from '../../query/stored-form.ts';
import { callHandler, customizationFailed } from '../../user-code/call-handler.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from './record-engine.ts';
import { checkedTree } from './record-filter.ts';

/**
 * A checked condition in which every leaf can be carried out: by the database where it has the operator, else on records
 * that have been read. Imports are replaced by what they stand for, replaced operators by what their handlers say, and
 * operators that nobody has by others that say the same.
 */
export async function rewriteFilter(
  engine: RecordEngine,
  collection: CompiledCollection,
  tree: ConditionTree,
  call: CallContext,
  trail: readonly string[] = [],
): Promise<ConditionTree> {
  if (isBranch(tree)) {
    const conditions = await Promise.all(
      tree.conditions.map((condition) => rewriteFilter(engine, collection, condition, call, trail)),
    );
    return { aggregator: tree.aggregator, conditions };
  }
  if (tree.value instanceof StoredPlace) return tree;
  const target = resolvePath(engine.model, collection, tree.field, 'all');
  // Conditions behind a relation to many are rewritten on the side of the related records, one by one.
  if (toManyBreak(engine.model, collection, tree.field)) return tree;
  const rules = target.collection.rules.get(target.field.name);
  const again = (next: ConditionTree, step?: string) =>
    rewriteFilter(engine, collection, next, call, step === undefined ? trail : [...trail, step]);

  if (rules?.replacedOperators.has(tree.operator)) {
    const step = `${target.collection.name}.${target.field.name} ${tree.operator}`;
    if (trail.includes(step)) throw replacementCycle([...trail.slice(trail.indexOf(step)), step]);
    return again(await replacement(engine, target, tree, rules, call), step);
  }
  const { field } = target;
  if (field.kind === 'imported') return again({ ...tree, field: joinPath(target.relationPath, field.path) });
  const native = field.kind === 'column' ? target.collection.native.fields.get(field.name) : undefined;
  const nativeOperators = native?.kind === 'column' ? native.operators : new Set<never>();
  if (nativeOperators.has(tree.operator) || rules?.emulatedOperators.has(tree.operator)) return tree;
  const context = {
    type: columnOf(field).type,
    isNullable: true,
    now: DateTime.now().setZone(call.caller.timezone),
  };
  const cheap = new Set([...nativeOperators, ...(rules?.replacedOperators.keys() ?? [])]);
  const supported = new Set([...cheap, ...(rules?.emulatedOperators ?? [])]);
  const said = rewriteLeaf(tree, cheap, context) ?? rewriteLeaf(tree, supported, context);
  // A plain computed field has no operator at all, and the check before has refused it.
  return said ? again(said) : tree;
}

/** The condition that the handler of an operator gives, on the collection of the filter. */
async function replacement(
  engine: RecordEngine,
  { collection, field, relationPath }: ResolvedPath,
  leaf: ConditionLeaf,
  rules: FieldRules,
  call: CallContext,
): Promise<ConditionTree> {
  const subject = `The operator "${leaf.operator}" of "${field.name}" of "${collection.name}"`;
  const handler = rules.replacedOperators.get(leaf.operator);
  const given = await callHandler(subject, () => handler?.(leaf.value, engine.contextOf(collection, call)));
  const tree = checkedTree(engine, collection, given as ConditionTree, subject);
  return relationPath === '' ? tree : nestCondition(tree, relationPath);
}

function replacementCycle(chain: readonly string[]): CloudError {
  return customizationFailed(`Replaced operators lead back to themselves: ${chain.join(' → ')}.`);
}
