import { type MaybePromise, whenReady } from '#kernel/async/maybe-promise';
import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Caller } from '../../customizer/caller.ts';
import { checkConditionTree } from '../../model/check-query.ts';
import { type CompiledCollection, type CompiledModel, wholeModel } from '../../model/compiled-model.ts';
import { columnLookup, resolvePath } from '../../model/field-path.ts';
import type { Authoriser, RightOnRecords } from '../../permissions/authoriser.ts';
import { inCodeSpelling } from '../../query/code-spelling.ts';
import { type ConditionTree, frozenTree, isBranch } from '../../query/condition-tree.ts';
import { demandsInWords } from '../../query/conditions-in-words.ts';
import type { Operator } from '../../query/operators.ts';
import { parseConditionTree } from '../../query/parse-condition-tree.ts';
import { derivedOnce } from '../../query/plan-cache.ts';
import { callHandler, customizationFailed } from '../../user-code/call-handler.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from './record-engine.ts';

/** All of `trees` at once; `undefined` for no condition. */
export function intersect(trees: readonly (ConditionTree | undefined)[]): ConditionTree | undefined {
  const present = trees.filter((tree) => tree !== undefined);
  return present.length > 1 ? { aggregator: 'And', conditions: present } : present[0];
}

const fittedOnce = derivedOnce((scope: ConditionTree, collection: CompiledCollection, model: CompiledModel) => {
  const tree = parseConditionTree(scope, columnLookup(model, collection));
  return tree && frozenTree(model.names.originalTree(collection.name, tree));
});

/** A right that reaches records, or several that are all needed. */
export type NeededRights = RightOnRecords | readonly RightOnRecords[];

/** The scope in which the caller has what is needed, in original names. A scope that does not fit the collection closes it. */
export function scopeCondition(
  model: CompiledModel,
  collection: CompiledCollection,
  authoriser: Authoriser,
  caller: Caller,
  needed: NeededRights,
): MaybePromise<ConditionTree | undefined> {
  if (typeof needed !== 'string') {
    const scopes = needed.map((right) => scopeCondition(model, collection, authoriser, caller, right));
    return Promise.all(scopes).then((trees) => intersect([...new Set(trees)]));
  }
  return whenReady(
    authoriser.scopeOf(caller, collection.name, needed),
    (scope) => scope && fitScope(scope, collection, model),
  );
}

/**
 * A scope in original names. It may be about fields that the caller does not see. Throws `REQUEST_FORBIDDEN` where it does not fit the
 * collection.
 */
export function fitScope(
  scope: ConditionTree,
  collection: CompiledCollection,
  model: CompiledModel,
): ConditionTree | undefined {
  try {
    const whole = wholeModel(model);
    return fittedOnce(scope, whole.collections.get(collection.name) ?? collection, whole);
  } catch (error) {
    throw cloudError(
      'REQUEST_FORBIDDEN',
      `The scope of "${collection.name}" does not fit the collection, so it is closed to you.`,
      'Ask an administrator to correct the scope.',
      { cause: error },
    );
  }
}

/** Operators whose values tell nothing of records out of scope: what they name is in it, or is a bound. */
const tellingOperators: ReadonlySet<Operator> = new Set<Operator>([
  ...(['Equal', 'In', 'Present', 'Blank', 'Missing', 'LessThan', 'GreaterThan', 'Before', 'After'] as const),
  ...(['LessThanOrEqual', 'GreaterThanOrEqual', 'Today', 'Past', 'Future', 'StartsWith', 'IStartsWith'] as const),
]);

/**
 * The scope of the caller in words, as far as they may know it: `status must be one of "paid", "shipped"`. `undefined` where there is none,
 * where it is about a field that they do not read as it is, or where it names what it leaves out.
 */
export async function toldScope(
  model: CompiledModel,
  authoriser: Authoriser,
  caller: Caller,
  name: string,
  right: RightOnRecords,
): Promise<string | undefined> {
  const collection = model.collections.get(name);
  const scope = collection && (await authoriser.scopeOf(caller, name, right));
  if (!scope) return undefined;
  const rights = await authoriser.rightsOf(caller);
  const isRead = (path: string): boolean => {
    const end = pathEnd(model, collection, path);
    const limit = end?.collection.limits.get(end.field.name);
    const isOpen = limit === undefined || (limit.mask === undefined && limit.isFilterable);
    return end !== undefined && isOpen && rights.has(end.collection.name, end.relationPath === '' ? 'browse' : 'read');
  };
  const mayKnow = (tree: ConditionTree): boolean =>
    isBranch(tree) ? tree.conditions.every(mayKnow) : tellingOperators.has(tree.operator) && isRead(tree.field);
  return mayKnow(scope) ? demandsInWords(scope) : undefined;
}

/** `undefined` for a path that the caller does not see. */
function pathEnd(model: CompiledModel, collection: CompiledCollection, path: string) {
  try {
    return resolvePath(model, collection, path, 'all');
  } catch (error) {
    if (isCloudError(error)) return undefined;
    throw error;
  }
}

/** The condition of a segment for the caller, in original names. Throws `REQUEST_INVALID` for an unknown one, `CUSTOMIZATION_FAILED` for a faulty one. */
export async function segmentCondition(
  engine: RecordEngine,
  collection: CompiledCollection,
  name: string,
  call: CallContext,
): Promise<ConditionTree> {
  const definition = collection.segments.get(name);
  if (definition === undefined) {
    throw cloudError(
      'REQUEST_INVALID',
      `The collection "${collection.name}" has no segment "${name}".`,
      'Correct the "segment" parameter.',
      { details: { parameter: 'segment' } },
    );
  }
  if (typeof definition !== 'function') return definition;
  const subject = `The segment "${name}" of "${collection.name}"`;
  const tree = await callHandler(subject, () => definition(engine.contextOf(collection, call)));
  return checkedTree(engine, collection, tree, subject);
}

/** A condition that a handler gave. Throws `CUSTOMIZATION_FAILED` when it is not one, or does not fit the collection. */
export function checkedTree(
  engine: RecordEngine,
  collection: CompiledCollection,
  tree: ConditionTree,
  subject: string,
): ConditionTree {
  try {
    const spelt = inCodeSpelling(tree);
    checkConditionTree(engine.model, collection, spelt);
    engine.warnOfSlowPatterns(collection, spelt);
    return spelt;
  } catch (error) {
    if (!isCloudError(error)) throw error;
    throw customizationFailed(`${subject} returned a wrong condition: ${error.message}`, error);
  }
}
