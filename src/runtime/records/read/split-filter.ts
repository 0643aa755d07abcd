import type { CompiledCollection, ModelView } from '../../model/compiled-model.ts';
import { pathBreak, resolvePath } from '../../model/field-path.ts';
import { type ConditionLeaf, type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { StoredPlace } from '../../query/stored-form.ts';

/** A condition in two parts, both of which must hold. */
export interface SplitFilter {
  /** The part that the database carries out. */
  readonly native: ConditionTree | undefined;
  /** The part that the agent evaluates on the remaining records. */
  readonly residual: ConditionTree | undefined;
}

/** Give the database as much of a rewritten condition as it can carry out. */
export function splitFilter(
  model: ModelView,
  collection: CompiledCollection,
  tree: ConditionTree | undefined,
): SplitFilter {
  if (!tree) return { native: undefined, residual: undefined };
  if (isNativeFilter(model, collection, tree)) return { native: tree, residual: undefined };
  if (!isBranch(tree) || tree.aggregator === 'Or') return { native: undefined, residual: tree };
  const parts = tree.conditions.map((condition) => splitFilter(model, collection, condition));
  return {
    native: allOf(parts.flatMap(({ native }) => native ?? [])),
    residual: allOf(parts.flatMap(({ residual }) => residual ?? [])),
  };
}

/** Whether the database can carry out a rewritten condition by itself. */
export function isNativeFilter(model: ModelView, collection: CompiledCollection, tree: ConditionTree): boolean {
  if (isBranch(tree)) return tree.conditions.every((condition) => isNativeFilter(model, collection, condition));
  const { collection: owner, field } = resolvePath(model, collection, tree.field, 'all');
  if (field.kind !== 'column' || pathBreak(model, collection, tree.field)) return false;
  if (tree.value instanceof StoredPlace) return true;
  const native = owner.native.fields.get(field.name);
  return native?.kind === 'column' && native.operators.has(tree.operator);
}

/** Whether the operator of a condition means what the customization says of it. */
export function isReplaced(model: ModelView, collection: CompiledCollection, leaf: ConditionLeaf): boolean {
  if (leaf.value instanceof StoredPlace) return false;
  const { collection: owner, field } = resolvePath(model, collection, leaf.field, 'all');
  return owner.rules.get(field.name)?.replacedOperators.has(leaf.operator) ?? false;
}

/** Whether a condition cannot hold for any record, so that there is nothing to ask the database. */
export function isNeverTrue(tree: ConditionTree | undefined): boolean {
  if (!tree) return false;
  if (!isBranch(tree)) return tree.operator === 'In' && Array.isArray(tree.value) && tree.value.length === 0;
  return tree.aggregator === 'Or' ? tree.conditions.every(isNeverTrue) : tree.conditions.some(isNeverTrue);
}

function allOf(conditions: readonly ConditionTree[]): ConditionTree | undefined {
  const [only] = conditions;
  return conditions.length > 1 ? { aggregator: 'And', conditions } : only;
}
