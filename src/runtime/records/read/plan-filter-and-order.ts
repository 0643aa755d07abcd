import { DateTime } from 'luxon';
import type { CompiledCollection, ModelView } from '../../model/compiled-model.ts';
import { columnLookup, joinPath, pathBreak, resolvePath } from '../../model/field-path.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { type RecordPredicate, recordPredicate } from '../../query/evaluate-condition.ts';
import { derivedOnce } from '../../query/plan-cache.ts';
import type { SortClause } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from './record-engine.ts';
import { rewriteFilter } from './rewrite-filter.ts';
import { followRelations, followToMany } from './semi-joins.ts';
import { isNativeFilter, isNeverTrue, isReplaced, type SplitFilter, splitFilter } from './split-filter.ts';

export interface FilterPlan extends SplitFilter {
  /** No record can fulfil it. */
  readonly isEmpty: boolean;
}

/** How a checked condition on original names is carried out. */
export function planFilter(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  call: CallContext,
): FilterPlan | Promise<FilterPlan> {
  if (!where) return unfiltered;
  return plainPlan(where, collection, engine.model) ?? planRewritten(engine, collection, where, call);
}

const unfiltered: FilterPlan = { native: undefined, residual: undefined, isEmpty: false };

/** The plan of a condition that is carried out as it is; `undefined` for others. */
const plainPlan = derivedOnce((where: ConditionTree, collection: CompiledCollection, model: ModelView) => {
  const isEmpty = isNeverTrue(where);
  return isEmpty || isPlain(model, collection, where)
    ? Object.freeze({ native: where, residual: undefined, isEmpty })
    : undefined;
});

async function planRewritten(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree,
  call: CallContext,
): Promise<FilterPlan> {
  const rewritten = await rewriteFilter(engine, collection, where, call);
  const followed = await followRelations(engine, collection, rewritten, call);
  const { native, residual: read } = splitFilter(engine.model, collection, followed);
  const residual = read && (await followToMany(engine, collection, read, call));
  return { native, residual, isEmpty: isNeverTrue(native) || isNeverTrue(residual) };
}

/** Nothing to rewrite: every leaf is on a column, with an operator that means what it means in the database. */
export function isPlain(model: ModelView, collection: CompiledCollection, tree: ConditionTree): boolean {
  return isNativeFilter(model, collection, tree) && !hasReplacement(model, collection, tree);
}

function hasReplacement(model: ModelView, collection: CompiledCollection, tree: ConditionTree): boolean {
  if (isBranch(tree)) return tree.conditions.some((condition) => hasReplacement(model, collection, condition));
  return isReplaced(model, collection, tree);
}

/** Whether the database itself leaves out the values of records for which a condition does not hold. */
export function canHide(
  model: ModelView,
  collection: CompiledCollection,
  conditions: readonly (ConditionTree | undefined)[],
): boolean {
  return conditions.every((tree) => !tree || (collection.store.hidesValues && isPlain(model, collection, tree)));
}

/** A condition that the agent evaluates on records it has read. */
export interface ConditionOnRecords {
  /** The paths that are read for it. */
  readonly fields: readonly string[];
  readonly holds: RecordPredicate;
}

export async function conditionOnRecords(
  engine: RecordEngine,
  collection: CompiledCollection,
  tree: ConditionTree,
  call: CallContext,
): Promise<ConditionOnRecords> {
  const rewritten = await rewriteFilter(engine, collection, tree, call);
  const condition = await followToMany(engine, collection, rewritten, call);
  const now = DateTime.now().setZone(call.caller.timezone);
  return {
    fields: fieldsOf(condition),
    holds: recordPredicate(condition, columnLookup(engine.model, collection), now),
  };
}

/** The paths of a condition. */
export function fieldsOf(tree: ConditionTree | undefined): readonly string[] {
  if (!tree) return [];
  return isBranch(tree) ? tree.conditions.flatMap(fieldsOf) : [tree.field];
}

export interface PlannedOrder {
  /** On columns and computed fields. */
  readonly clauses: readonly SortClause[];
  /** Whether the database can sort so; else the records are sorted when they have been read. */
  readonly isNative: boolean;
}

/** The result of planning a checked sort: replaced clauses and imports are resolved. */
export function planOrder(model: ModelView, collection: CompiledCollection, sort: readonly SortClause[]): PlannedOrder {
  let isNative = true;

  function expand(clause: SortClause): readonly SortClause[] {
    const { field: path, ascending, shownWhere } = clause;
    const hiding = shownWhere ? { shownWhere } : {};
    const { collection: owner, field, relationPath } = resolvePath(model, collection, path);
    const replacement = owner.rules.get(field.name)?.sort;
    if (replacement !== undefined && replacement !== 'emulated') {
      return replacement.flatMap((part) =>
        expand({ field: joinPath(relationPath, part.field), ascending: part.ascending === ascending, ...hiding }),
      );
    }
    if (field.kind === 'imported') {
      return expand({ field: joinPath(relationPath, field.path), ascending, ...hiding });
    }
    isNative &&= field.kind === 'column' && replacement === undefined && !pathBreak(model, collection, path);
    isNative &&= canHide(model, collection, [shownWhere]);
    return [clause];
  }

  const seen = new Set<string>();
  const clauses = sort.flatMap(expand).filter(({ field }) => !seen.has(field) && seen.add(field));
  return { clauses, isNative };
}
