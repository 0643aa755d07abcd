import type { ListTemplate, PreparedList } from '../../data-sources/interface/data-source.ts';
import type { CompiledCollection, CompiledModel } from '../../model/compiled-model.ts';
import { collectionsBehind, columnLookup, resolvePath } from '../../model/field-path.ts';
import {
  bothTemplates,
  type ConditionTemplate,
  closeCondition,
  type OpenCondition,
  openCondition,
} from '../../query/condition-template.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { compileFilter, type FilterTemplate } from '../../query/filter-template.ts';
import { createPlanCache } from '../../query/plan-cache.ts';
import type { Page, RecordData, SortClause } from '../../query/record-query.ts';
import { type CallContext, countedReading, queryContext } from '../calls/call-context.ts';
import { completed } from '../read/list-records.ts';
import { fieldsOf, isPlain, planOrder } from '../read/plan-filter-and-order.ts';
import { planProjection } from '../read/plan-projection.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { fitScope, intersect } from '../read/record-filter.ts';
import { hasHooks } from '../read/run-hooks.ts';
import { planSort } from './plan-query.ts';
import type { ListPlan, ListQuestion, PlannableList, PlannedQuery } from './planned-query.ts';
import { readList } from './read-list.ts';
import { asStored } from './read-plan.ts';
import { type RecordReader, scopeOf } from './record-reader.ts';

const maxKeptPlans = 500;

/**
 * Plan lists and keep their plans. Requests that differ in their filter values and their page alone have one plan: people open
 * the same lists again and again, each time a little different.
 */
export function createListPlanner(reader: RecordReader): (list: PlannableList) => PlannedQuery {
  const plans = createPlanCache<{
    readonly plan: ListPlan;
    readonly asked: ListQuestion;
    readonly filter: FilterTemplate | undefined;
  }>(maxKeptPlans);
  return ({ collection, key, filter: sent, page, shape }) => {
    const { plan, asked, filter } = plans.memo(`${key}\n${sent?.key ?? ''}`, {
      context: () => {
        const template = sent && compileFilter(sent, columnLookup(reader.model, collection));
        const question = { ...shape(), filter: template };
        return { plan: planList(reader, collection, question, 'browse'), asked: question, filter: template };
      },
    });
    return { plan, asked, values: filter?.accept(sent?.values ?? []) ?? [], page };
  };
}

/** Plan a list request, or one for a record that is read. Throws `REQUEST_INVALID` or `REQUEST_FIELD_UNKNOWN` for paths that cannot be read or sorted by. */
export function planList(
  reader: RecordReader,
  collection: CompiledCollection,
  question: ListQuestion,
  right: 'browse' | 'read',
): ListPlan {
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
  const scopes = new FittedScopes(model, collection, native);
  const filtered = fieldsOf(filter?.tree);
  const sorted = sort.clauses.map(({ field }) => field);
  const reached = plan.reachedCollections.union(collectionsBehind(engine.model, original, [...filtered, ...sorted]));
  return {
    async list(values, page, context) {
      if (foreignCollections.size > 0) await authoriser.requireReadOn(context.caller, foreignCollections);
      const related = reached.size > 0 ? reader.scopesOf(context) : undefined;
      if (related && (await related.concern(reached))) {
        const where = filter && (await related.filter(original, closeCondition(filter, values)));
        const scope = await scopeOf(reader, collection, right, context);
        const shown = { collection, plan: await related.plan(original, plan) };
        const clauses = await related.sort(original, sort.clauses);
        return readList(reader, shown, { where: intersect([where, scope]), sort: clauses, page }, {}, context);
      }
      const asked = authoriser.scopeOf(context.caller, collection.name, right);
      const scope = asked instanceof Promise ? await asked : asked;
      const { tree, open } = scope ? scopes.fit(scope) : unrestricted;
      // Inside a transaction the engine reads on its connection.
      if (native && !context.unit && (open || !tree)) {
        const records = await native.read(values, open, page, context);
        return plan.present === asStored ? records : records.map(plan.present);
      }
      const where = intersect([filter && closeCondition(filter, values), tree]);
      return readList(reader, { collection, plan }, { where, sort: sort.clauses, page }, {}, context);
    },
  };
}

/** A scope in original names. */
interface FittedScope {
  readonly tree: ConditionTree | undefined;
  /** The prepared list, where the database can carry it out. */
  readonly open: OpenCondition | undefined;
}

const unrestricted: FittedScope = { tree: undefined, open: undefined };

/** The scopes of a list's callers, each fitted to the collection once: the platform's documents give the same object again. */
class FittedScopes {
  readonly #fitted = new WeakMap<ConditionTree, FittedScope>();
  readonly #fit: (scope: ConditionTree) => FittedScope;

  constructor(model: CompiledModel, collection: CompiledCollection, native: NativeList | undefined) {
    this.#fit = (scope) => {
      const tree = fitScope(scope, collection, model);
      return { tree, open: tree && native?.openScope(tree) };
    };
  }

  fit(scope: ConditionTree): FittedScope {
    const known = this.#fitted.get(scope);
    if (known) return known;
    const fitted = this.#fit(scope);
    if (Object.isFrozen(scope)) this.#fitted.set(scope, fitted);
    return fitted;
  }
}

function foreignCollectionsOf(model: CompiledModel, collection: CompiledCollection, tree: ConditionTree): string[] {
  if (isBranch(tree)) return tree.conditions.flatMap((node) => foreignCollectionsOf(model, collection, node));
  const target = resolvePath(model, collection, tree.field, 'all');
  return target.relationPath === '' ? [] : [target.collection.name];
}

/** How many forms of scope one list is kept prepared for. */
const maxScopes = 50;

/** A list query with open values, in original names. */
interface NativeListQuery {
  readonly projection: readonly string[];
  readonly filter: ConditionTemplate | undefined;
  readonly sort: readonly SortClause[];
}

/** A list that one statement of the database answers, whatever its values are. */
interface NativeList {
  /** A scope as `read` takes it; `undefined` for a condition that the database does not know. */
  openScope(scope: ConditionTree): OpenCondition | undefined;
  /** The records within the scope; `undefined` for all of them. */
  read(
    values: readonly unknown[],
    scope: OpenCondition | undefined,
    page: Page | undefined,
    call: CallContext,
  ): Promise<RecordData[]>;
}

/** Prepare a list for the database; `undefined` where the agent has to filter or to sort by itself. */
function prepareNativeList(
  engine: RecordEngine,
  collection: CompiledCollection,
  { projection, filter, sort }: NativeListQuery,
): NativeList | undefined {
  const { model } = engine;
  const order = planOrder(model, collection, sort);
  if (!order.isNative || (filter && !isPlain(model, collection, filter.tree))) return undefined;
  const { native, steps } = planProjection(model, collection, projection);
  const lists = createPlanCache<PreparedList>(maxScopes);
  const listWithin = (scope: ConditionTemplate | undefined): PreparedList =>
    lists.memo(scope?.key ?? '', {
      context: () => {
        const where = bothTemplates(filter, scope);
        return preparedOn(collection, { collection: collection.name, projection: native, where, sort: order.clauses });
      },
    });
  return {
    openScope: (scope) => (isPlain(model, collection, scope) ? openCondition(scope) : undefined),
    read(values, scope, page, call) {
      const all = scope ? [...values, ...scope.values] : values;
      const reading = countedReading(listWithin(scope?.template)(all, page, queryContext(call, collection)), call);
      return steps.length === 0 ? reading : completed(engine, reading, steps, call);
    },
  };
}

/** A data source that prepares nothing is asked again each time. */
function preparedOn({ store }: CompiledCollection, template: ListTemplate): PreparedList {
  const { where, ...query } = template;
  return (
    store.prepareList?.(template) ??
    ((values, page, context) => store.list({ ...query, where: where && closeCondition(where, values), page }, context))
  );
}
