import type { CompiledCollection } from '../../model/compiled-model.ts';
import { joinPath, toManyBreak } from '../../model/field-path.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { unnestPath } from '../../query/record-path.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { keysCondition } from '../read/semi-joins.ts';
import type { SearchedScopes } from './search-audience.ts';

/**
 * Terms on related records that a condition tree cannot say, in which every condition may be met by another record. These say
 * that one and the same record meets all of them, or that none does. Each stands as a placeholder in the tree until the keys of
 * the records have been asked for.
 */
export interface RelatedTerms {
  isToMany(path: string): boolean;
  /**
   * The placeholder for "one record at the end of `path` meets `condition`", or with `isNegated` "none does".
   */
  postpone(path: string, condition: ConditionTree, isNegated: boolean): ConditionTree;
  /** The tree with conditions on keys for the placeholders. */
  settle(tree: ConditionTree): Promise<ConditionTree>;
}

interface Postponed {
  readonly path: string;
  readonly condition: ConditionTree;
  readonly isNegated: boolean;
}

/** Whether all parts of a condition must be met by one record. */
export function isOfOneRecord(condition: ConditionTree): boolean {
  return isBranch(condition) && condition.aggregator === 'And' && condition.conditions.length > 1;
}

export function createRelatedTerms(
  engine: RecordEngine,
  collection: CompiledCollection,
  call: CallContext,
  scopes: SearchedScopes | undefined,
): RelatedTerms {
  const postponed = new Map<ConditionTree, Postponed>();
  const terms: RelatedTerms = {
    isToMany: (path) => toManyBreak(engine.model, collection, path) !== undefined,
    postpone(path, condition, isNegated) {
      const placeholder: ConditionTree = { field: path, operator: isNegated ? 'Missing' : 'Present', value: null };
      postponed.set(placeholder, { path, condition, isNegated });
      return placeholder;
    },
    async settle(tree) {
      const term = postponed.get(tree);
      if (term) return settled(engine, collection, term, call, scopes);
      if (!isBranch(tree)) return tree;
      const conditions: ConditionTree[] = [];
      // One after the other: a search may have many terms, and is not to take the connections of all others.
      for (const condition of tree.conditions) conditions.push(await terms.settle(condition));
      return { aggregator: tree.aggregator, conditions };
    },
  };
  return terms;
}

/** From the last relation to many records back to the first. */
async function settled(
  engine: RecordEngine,
  collection: CompiledCollection,
  { path, condition, isNegated }: Postponed,
  call: CallContext,
  scopes: SearchedScopes | undefined,
): Promise<ConditionTree> {
  const found = toManyBreak(engine.model, collection, path);
  if (!found) return condition;
  const relationPath = joinPath(found.prefix, found.relation);
  const inner = { path: found.rest, condition: unnested(condition, relationPath), isNegated: false };
  const field = found.collection.fields.get(found.relation);
  const foreign = field && 'foreignCollection' in field ? engine.collectionNamed(field.foreignCollection) : undefined;
  const within = foreign ? await settled(engine, foreign, inner, call, scopes) : inner.condition;
  const seen = foreign && scopes ? await scopes.related(foreign, within) : within;
  return keysCondition(engine, found, seen, isNegated ? 'NotIn' : 'In', call);
}

function unnested(tree: ConditionTree, relationPath: string): ConditionTree {
  if (isBranch(tree)) {
    return { aggregator: tree.aggregator, conditions: tree.conditions.map((child) => unnested(child, relationPath)) };
  }
  return { ...tree, field: unnestPath(tree.field, relationPath) ?? tree.field };
}
