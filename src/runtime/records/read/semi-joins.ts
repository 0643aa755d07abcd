import { DateTime } from 'luxon';
import { type CompiledCollection, isValueField } from '../../model/compiled-model.ts';
import { columnLookup, isToManyAt, joinPath, type PathBreak, pathBreak, toManyBreak } from '../../model/field-path.ts';
import { conditionOfKeys } from '../../model/record-id.ts';
import type { JoinPairs, RelationSchema } from '../../query/collection-schema.ts';
import { type ConditionBranch, type ConditionLeaf, type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { evaluateCondition } from '../../query/evaluate-condition.ts';
import { inverseCondition } from '../../query/inverse-condition.ts';
import { customizationFailed } from '../../user-code/call-handler.ts';
import { type CallContext, callOfOthers } from '../calls/call-context.ts';
import type { RecordEngine } from './record-engine.ts';
import { rewriteFilter } from './rewrite-filter.ts';
import { isNativeFilter, isReplaced } from './split-filter.ts';

/** More than any sensible path goes through. */
const deepestRelation = 100;

/**
 * A rewritten condition without relations that have to be followed in the agent. What it says of the records behind one becomes
 * a list of keys. It is asked for once for all neighbouring conditions on the same relation.
 */
export async function followRelations(
  engine: RecordEngine,
  collection: CompiledCollection,
  tree: ConditionTree,
  call: CallContext,
): Promise<ConditionTree> {
  const found = breakOf(engine, collection, tree);
  if (found) return semiJoin(engine, collection, found, tree, call);
  if (!isBranch(tree)) return tree;
  const groups = Map.groupBy(tree.conditions, (condition) => groupKey(engine, collection, tree, condition));
  const parts = [...groups.values()].map((conditions) => {
    const [only] = conditions;
    const part = conditions.length === 1 && only ? only : { aggregator: tree.aggregator, conditions };
    return breakOf(engine, collection, part) || !isBranch(part) || conditions.length === 1
      ? followRelations(engine, collection, part, call).then((followed) => [followed])
      : Promise.all(conditions.map((condition) => followRelations(engine, collection, condition, call)));
  });
  return { aggregator: tree.aggregator, conditions: (await Promise.all(parts)).flat() };
}

/** The same for a condition on records that are read: those that a relation to many leads to are not read along. */
export async function followToMany(
  engine: RecordEngine,
  collection: CompiledCollection,
  tree: ConditionTree,
  call: CallContext,
): Promise<ConditionTree> {
  if (isBranch(tree)) {
    const conditions = tree.conditions.map((condition) => followToMany(engine, collection, condition, call));
    return { aggregator: tree.aggregator, conditions: await Promise.all(conditions) };
  }
  const found = toManyBreak(engine.model, collection, tree.field);
  if (!found) return tree;
  const among = await semiJoin(engine, collection, found, tree, call);
  return followToMany(engine, collection, among, behindRelation(call));
}

/** Conditions of one group can be asked for together: those on one partner always, those on many only as alternatives. */
function groupKey(
  engine: RecordEngine,
  collection: CompiledCollection,
  branch: ConditionBranch,
  condition: ConditionTree,
): unknown {
  const found = breakOf(engine, collection, condition);
  if (!found) return undefined;
  const isToMany = isToManyBreak(found);
  return isToMany && branch.aggregator === 'And' ? condition : keyOf(found);
}

/** The break that all paths of a condition have in common, if they have. */
function breakOf(engine: RecordEngine, collection: CompiledCollection, tree: ConditionTree): PathBreak | undefined {
  if (!isBranch(tree)) return breakOfLeaf(engine, collection, tree);
  const [first, ...others] = tree.conditions.map((condition) => breakOf(engine, collection, condition));
  if (!first || others.some((other) => !other || keyOf(other) !== keyOf(first))) return undefined;
  return isToManyBreak(first) && tree.aggregator === 'And' && others.length > 0 ? undefined : first;
}

/**
 * A condition that the database cannot carry out is asked on the related collection itself. Behind a relation to many, all
 * conditions must hold for the same record, so those records are asked before the ones behind them.
 */
function breakOfLeaf(engine: RecordEngine, collection: CompiledCollection, leaf: ConditionLeaf): PathBreak | undefined {
  const { model } = engine;
  if (isNativeFilter(model, collection, leaf) && !isReplaced(model, collection, leaf)) return undefined;
  const [followed, many] = [pathBreak, toManyBreak].map((breakAt) => breakAt(model, collection, leaf.field));
  if (!followed || !many) return followed ?? many;
  return many.rest.length > followed.rest.length ? many : followed;
}

function keyOf({ prefix, relation }: PathBreak): string {
  return joinPath(prefix, relation);
}

function relationOf({ collection, relation }: PathBreak): RelationSchema {
  const field = collection.fields.get(relation);
  if (!field || isValueField(field)) throw new TypeError(`"${relation}" of "${collection.name}" is not a relation.`);
  return field;
}

function isToManyBreak(found: PathBreak): boolean {
  const { kind } = relationOf(found);
  return kind === 'OneToMany' || kind === 'ManyToMany';
}

async function semiJoin(
  engine: RecordEngine,
  root: CompiledCollection,
  found: PathBreak,
  tree: ConditionTree,
  call: CallContext,
): Promise<ConditionTree> {
  const relation = relationOf(found);
  const condition = unnested(tree, keyOf(found));
  const keys = await matchingKeys(engine, relation, condition, behindRelation(call));
  const foreign = engine.collectionNamed(relation.foreignCollection);
  const includesNone = !isToManyBreak(found) && holdsForNothing(engine, foreign, condition, call);
  const within = includesNone ? await otherKeys(engine, relation, keys, call) : keys;
  const among = keysAmong(found, within, includesNone ? 'NotIn' : 'In');
  return followRelations(engine, root, await rewriteFilter(engine, root, among, call), call);
}

/**
 * Behind a relation to many, the replaced operators that led to a condition are no longer known. The depth ends a circle.
 */
function behindRelation(call: CallContext): CallContext {
  const relationDepth = (call.relationDepth ?? 0) + 1;
  if (relationDepth <= deepestRelation) return { ...call, relationDepth };
  throw customizationFailed('Replaced operators lead back to themselves through relations.');
}

/** The condition that the key of a relation is, or is not, among the keys of related records that fulfil `condition`. */
export async function keysCondition(
  engine: RecordEngine,
  found: PathBreak,
  condition: ConditionTree,
  operator: 'In' | 'NotIn',
  call: CallContext,
): Promise<ConditionTree> {
  return keysAmong(found, await matchingKeys(engine, relationOf(found), condition, call), operator);
}

type Keys = ReadonlyMap<string, readonly unknown[]>;

function keysAmong(found: PathBreak, keys: Keys, operator: 'In' | 'NotIn'): ConditionTree {
  const relation = relationOf(found);
  const pairs = relation.kind === 'ManyToMany' ? relation.originJoin : relation.join;
  const fields = pairs.map(({ local }) => joinPath(found.prefix, local));
  const among = conditionOfKeys(fields, [...keys.values()]);
  return operator === 'In' ? among : inverseCondition(among);
}

/** The keys, on the side of the root, of the records whose partner fulfils the condition. */
async function matchingKeys(
  engine: RecordEngine,
  relation: RelationSchema,
  condition: ConditionTree | undefined,
  call: CallContext,
): Promise<Keys> {
  if (relation.kind !== 'ManyToMany') {
    return keysOf(engine, relation.foreignCollection, relation.join, condition, call);
  }
  const foreignKeys = await keysOf(engine, relation.foreignCollection, relation.foreignJoin, condition, call);
  const links = relation.foreignJoin.map(({ local }) => local);
  const among = conditionOfKeys(links, [...foreignKeys.values()]);
  return keysOf(engine, relation.throughCollection, relation.originJoin, among, call);
}

/** The keys of every partner there is, but those of `keys`. */
async function otherKeys(engine: RecordEngine, relation: RelationSchema, keys: Keys, call: CallContext): Promise<Keys> {
  const all = await matchingKeys(engine, relation, undefined, call);
  return new Map([...all].filter(([identity]) => !keys.has(identity)));
}

async function keysOf(
  engine: RecordEngine,
  collectionName: string,
  pairs: JoinPairs,
  where: ConditionTree | undefined,
  call: CallContext,
): Promise<Keys> {
  const fields = pairs.map(({ foreign }) => foreign);
  return engine.distinctKeys(engine.collectionNamed(collectionName), fields, where, callOfOthers(call));
}

function holdsForNothing(
  engine: RecordEngine,
  foreign: CompiledCollection,
  condition: ConditionTree,
  call: CallContext,
): boolean {
  const now = DateTime.now().setZone(call.caller.timezone);
  const isToMany = (path: string) => isToManyAt(engine.model, foreign, path);
  return evaluateCondition({}, condition, columnLookup(engine.model, foreign), now, isToMany);
}

function unnested(tree: ConditionTree, relationPath: string): ConditionTree {
  if (isBranch(tree)) {
    return { aggregator: tree.aggregator, conditions: tree.conditions.map((child) => unnested(child, relationPath)) };
  }
  return { ...tree, field: tree.field.slice(relationPath.length + 1) };
}
