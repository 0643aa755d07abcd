import type { ListTemplate, PreparedList } from '../../data-sources/interface/data-source.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import {
  bothTemplates,
  type ConditionTemplate,
  closeCondition,
  type OpenCondition,
  openCondition,
} from '../../query/condition-template.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { createPlanCache } from '../../query/plan-cache.ts';
import type { Page, RecordData, SortClause } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import { queryContext } from '../calls/call-context.ts';
import { completed } from './list-records.ts';
import { isPlain, planOrder } from './plan-filter-and-order.ts';
import { planProjection } from './plan-projection.ts';
import type { RecordEngine } from './record-engine.ts';

/** How many forms of scope one list is kept prepared for. */
const maxScopes = 50;

/** A list query with open values, in original names. */
export interface NativeListQuery {
  readonly projection: readonly string[];
  readonly filter: ConditionTemplate | undefined;
  readonly sort: readonly SortClause[];
}

/** A list that one statement of the database answers, whatever its values are. */
export interface NativeList {
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
export function prepareNativeList(
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
      const reading = listWithin(scope?.template)(all, page, queryContext(call, collection));
      return steps.length === 0 ? reading : completed(engine, reading, steps, call);
    },
  };
}

/** A data source that prepares nothing is asked anew each time. */
function preparedOn({ store }: CompiledCollection, template: ListTemplate): PreparedList {
  const { where, ...query } = template;
  return (
    store.prepareList?.(template) ??
    ((values, page, context) => store.list({ ...query, where: where && closeCondition(where, values), page }, context))
  );
}
