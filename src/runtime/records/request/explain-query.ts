import type { QueryPlan } from '../../data-sources/interface/data-source.ts';
import type { CompiledCollection, ModelView } from '../../model/compiled-model.ts';
import { joinPath, pathBreak, resolvePath, toManyBreak } from '../../model/field-path.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { conditionInWords } from '../../query/conditions-in-words.ts';
import type { SortClause } from '../../query/record-query.ts';
import { type CallContext, queryContext } from '../calls/call-context.ts';
import { maxScannedRecords } from '../read/list-records.ts';
import { type FilterPlan, planFilter, planOrder } from '../read/plan-filter-and-order.ts';
import { planProjection, type ReadStep } from '../read/plan-projection.ts';
import type { EngineQuery, RecordEngine } from '../read/record-engine.ts';
import { isNativeFilter } from '../read/split-filter.ts';

const scanBound = `at most ${maxScannedRecords} records are read`;

/** Say what runs in the database and what in the agent. Nothing is read but the keys that a condition on others needs. */
export async function explainQuery(
  engine: RecordEngine,
  collection: CompiledCollection,
  query: EngineQuery,
  call: CallContext,
): Promise<ExplainedQuery> {
  const filter = await planFilter(engine, collection, query.where, call);
  const order = planOrder(engine.model, collection, query.sort ?? []);
  const { native: projection, steps } = planProjection(engine.model, collection, query.projection);
  const isNative = !filter.residual && order.isNative;
  const explained = [
    ...followedRelations(engine, collection, query.where),
    ...(filter.isEmpty
      ? [{ place: 'agent', what: 'Answers with nothing: no record can fulfil the condition.' } as const]
      : []),
    databaseStep(collection, filter, order.isNative ? order.clauses : [], isNative && query.page),
    ...residualStep(engine.model, collection, filter.residual),
    ...(order.isNative ? [] : [sortStep(order.clauses)]),
    ...(isNative ? [] : [againStep(collection)]),
    ...steps.map(stepInWords),
  ];
  const native = {
    collection: collection.name,
    projection,
    where: filter.native,
    ...(isNative ? { sort: order.clauses, page: query.page } : {}),
  };
  const statement = filter.isEmpty
    ? undefined
    : await collection.store.explain?.(native, queryContext(call, collection));
  return { collection: collection.name, steps: explained, ...(statement ? { statement } : {}) };
}

function databaseStep(
  collection: CompiledCollection,
  { native }: FilterPlan,
  sort: readonly SortClause[],
  page: EngineQuery['page'] | false,
): ExplainedStep {
  const parts = [
    `Reads "${collection.name}"`,
    ...(native ? [`where ${conditionInWords(native)}`] : []),
    ...(sort.length > 0 ? [`by ${sortInWords(sort)}`] : []),
    ...(page ? [`records ${page.skip + 1} to ${page.skip + page.limit}`] : []),
  ];
  return { place: 'database', what: `${parts.join(', ')}.` };
}

function residualStep(
  model: ModelView,
  collection: CompiledCollection,
  residual: ConditionTree | undefined,
): ExplainedStep[] {
  if (!residual) return [];
  const emulated = leavesOf(residual).filter((leaf) => !isNativeFilter(model, collection, leaf));
  const reasons = emulated.map((leaf) => {
    const { field } = resolvePath(model, collection, leaf.field, 'all');
    return field.kind === 'column'
      ? `the database has no "${leaf.operator}" for "${leaf.field}"`
      : `"${leaf.field}" is computed in JavaScript`;
  });
  return [
    {
      place: 'agent',
      what: `Keeps the records where ${conditionInWords(residual)}.`,
      why: [...new Set(reasons)].join('; '),
      bound: scanBound,
    },
  ];
}

function sortInWords(clauses: readonly SortClause[]): string {
  return clauses.map(({ field, ascending }) => (ascending ? field : `${field} descending`)).join(', ');
}

function sortStep(clauses: readonly SortClause[]): ExplainedStep {
  return {
    place: 'agent',
    what: `Sorts all of them by ${sortInWords(clauses)}, then takes the page.`,
    why: 'the database does not have what is sorted by',
    bound: scanBound,
  };
}

function againStep({ primaryKey }: CompiledCollection): ExplainedStep {
  return {
    place: 'database',
    what: `Reads the fields of those records, by ${primaryKey.join(', ') || 'nothing: they were read at once'}.`,
  };
}

function stepInWords(step: ReadStep): ExplainedStep {
  if (step.kind === 'compute') {
    const name = joinPath(step.relationPath, step.field.name);
    const what = `Computes "${name}" from ${step.field.dependencies.join(', ')}, one call for all distinct combinations.`;
    return { place: 'agent', what, why: 'it is JavaScript' };
  }
  const name = joinPath(step.relationPath, step.relation.name);
  return {
    place: 'agent',
    what: `Reads the partners at "${name}" from "${step.relation.foreignCollection}", one query for all, and joins them by hash.`,
    why: 'the relation cannot be joined over in one database',
  };
}

/** The conditions on related records that are asked for first. */
function followedRelations(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
): ExplainedStep[] {
  const { model } = engine;
  return (where ? leavesOf(where) : []).flatMap((leaf) => {
    const isNative = isNativeFilter(model, collection, leaf);
    const found =
      pathBreak(model, collection, leaf.field) ?? (isNative ? undefined : toManyBreak(model, collection, leaf.field));
    if (!found) return [];
    const relation = joinPath(found.prefix, found.relation);
    const what = `Asks for the keys of the records at "${relation}" where ${conditionInWords({ ...leaf, field: found.rest })}.`;
    return [
      {
        place: 'agent',
        what,
        why: 'the database cannot look there by itself',
        bound: `at most ${maxScannedRecords} keys`,
      },
    ];
  });
}

function leavesOf(tree: ConditionTree): readonly Extract<ConditionTree, { readonly field: string }>[] {
  return isBranch(tree) ? tree.conditions.flatMap(leavesOf) : [tree];
}

/** One thing that is done for a query, in words. */
export interface ExplainedStep {
  readonly place: 'database' | 'agent';
  readonly what: string;
  /** The reason why the database does not do it. */
  readonly why?: string;
  /** The limit that bounds its cost. */
  readonly bound?: string;
}

/** How a query would be carried out. */
export interface ExplainedQuery {
  readonly collection: string;
  readonly steps: readonly ExplainedStep[];
  /** The statement for the records, and what the database says it would do; absent where it does not say. */
  readonly statement?: QueryPlan;
}
