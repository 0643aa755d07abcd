import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { unknownOperator } from './check-condition.ts';
import type { CollectionSchema } from './collection-schema.ts';
import { type ConditionBranch, type ConditionLeaf, type ConditionTree, isBranch } from './condition-tree.ts';
import { type Operator, operatorFromWire } from './operators.ts';

/** Conditions: all (`And`) or at least one (`Or`) must hold. */
export class ConditionTreeBranch implements ConditionBranch {
  readonly aggregator: 'And' | 'Or';
  readonly conditions: readonly ConditionTree[];

  constructor(aggregator: 'And' | 'Or', conditions: readonly ConditionTree[]) {
    this.aggregator = aggregator;
    this.conditions = conditions;
  }
}

type MaybeTree = ConditionTree | null | undefined;

/** Makes condition trees out of others. */
export const ConditionTreeFactory = {
  /** Holds for no record. */
  matchNone: new ConditionTreeBranch('Or', []) as ConditionTree,

  /**
   * A tree from its plain form, `{field, operator, value}` or `{aggregator, conditions}`; a branch of one becomes that one.
   *
   * @throws `REQUEST_INVALID` for anything else.
   */
  fromPlainObject(plain: unknown): ConditionTree {
    return fromPlain(plain);
  },

  /** All of `trees`, what is absent left out; `undefined`, no restriction, when nothing is left. */
  intersect(trees: readonly MaybeTree[]): ConditionTree | undefined {
    const conditions = flattened('And', trees);
    const [only] = conditions;
    return conditions.length > 1 ? new ConditionTreeBranch('And', conditions) : only;
  },

  /** At least one of `trees`, without the absent ones. With no trees at all, no record fulfils it. */
  union(trees: readonly MaybeTree[]): ConditionTree {
    const conditions = flattened('Or', trees);
    const [only] = conditions;
    return conditions.length === 1 && only ? only : new ConditionTreeBranch('Or', conditions);
  },

  /**
   * The records with these primary keys, each key a list of its parts in the order of `primaryKey`. Keys that begin alike
   * share their conditions.
   *
   * @throws `REQUEST_INVALID` when the collection has no primary key, or one that cannot be filtered by.
   */
  matchIds(collection: CollectionSchema, ids: readonly (readonly unknown[])[]): ConditionTree {
    const { name, primaryKey, fields } = collection;
    if (primaryKey.length === 0) throw invalid(`The collection "${name}" has no primary key.`);
    for (const key of primaryKey) {
      const field = fields.get(key);
      const isUsable = field?.kind === 'column' && field.operators.has('Equal') && field.operators.has('In');
      if (!isUsable) throw invalid(`The primary key "${key}" of "${name}" cannot be filtered by.`);
    }
    return matchKeys(primaryKey, ids);
  },
};

function flattened(aggregator: 'And' | 'Or', trees: readonly MaybeTree[]): ConditionTree[] {
  return trees.flatMap((tree) => {
    if (!tree) return [];
    return isBranch(tree) && tree.aggregator === aggregator ? flattened(aggregator, tree.conditions) : [tree];
  });
}

function matchKeys(names: readonly string[], ids: readonly (readonly unknown[])[]): ConditionTree {
  const [first, ...rest] = names;
  if (first === undefined || ids.length === 0) return ConditionTreeFactory.matchNone;
  if (rest.length === 0) {
    const values = [...new Set(ids.map(([value]) => value))];
    return values.length === 1
      ? new ConditionTreeLeaf(first, 'Equal', values[0])
      : new ConditionTreeLeaf(first, 'In', values);
  }
  const groups = [...Map.groupBy(ids, ([value]) => value)].map(
    ([value, group]) =>
      new ConditionTreeBranch('And', [
        new ConditionTreeLeaf(first, 'Equal', value),
        ...flattened('And', [
          matchKeys(
            rest,
            group.map((id) => id.slice(1)),
          ),
        ]),
      ]),
  );
  return ConditionTreeFactory.union(groups);
}

function fromPlain(plain: unknown): ConditionTree {
  if (typeof plain !== 'object' || plain === null) throw invalid('A condition must be an object.');
  if ('field' in plain && 'operator' in plain) {
    const operator = typeof plain.operator === 'string' ? operatorFromWire(plain.operator) : undefined;
    if (typeof plain.field !== 'string') throw invalid('The "field" of a condition must be a text.');
    if (!operator)
      throw invalid(`A condition on "${plain.field}" is wrong: ${unknownOperator(plain.operator, 'code')}.`);
    return new ConditionTreeLeaf(plain.field, operator, 'value' in plain ? plain.value : null);
  }
  if (!('aggregator' in plain && 'conditions' in plain)) {
    throw invalid('A condition has either "field" and "operator", or "aggregator" and "conditions".');
  }
  const { aggregator, conditions } = plain;
  const isAnd = aggregator === 'And' || aggregator === 'and';
  if (!isAnd && aggregator !== 'Or' && aggregator !== 'or') throw invalid('An aggregator is "And" or "Or".');
  if (!Array.isArray(conditions)) throw invalid('The "conditions" of a branch must be a list.');
  const children = conditions.map(fromPlain);
  const [only] = children;
  return children.length === 1 && only ? only : new ConditionTreeBranch(isAnd ? 'And' : 'Or', children);
}

function invalid(message: string): CloudError {
  return cloudError('REQUEST_INVALID', message, 'Correct the condition.');
}

/** One condition on one field. */
export class ConditionTreeLeaf implements ConditionLeaf {
  readonly field: string;
  readonly operator: Operator;
  readonly value: unknown;

  /** @param field a column, or a path `relation:column`. */
  constructor(field: string, operator: Operator, value: unknown = null) {
    this.field = field;
    this.operator = operator;
    this.value = value;
  }
}
