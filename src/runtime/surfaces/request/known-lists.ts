import type { CompiledCollection, CompiledModel } from '../../model/compiled-model.ts';
import { columnLookup } from '../../model/field-path.ts';
import { compileFilter, type FilterTemplate } from '../../query/filter-template.ts';
import { createPlanCache, type PlanCache } from '../../query/plan-cache.ts';
import type { Page } from '../../query/record-query.ts';
import type { WireFilter } from '../../query/wire-filter.ts';
import type { ListPlan, ListQuestion, PlannedQuery } from '../../records/request/planned-query.ts';
import type { RecordService } from '../../records/request/record-service.ts';

const maxLists = 500;

/** The parts that planning list requests needs. */
export interface ListPlanning {
  readonly model: CompiledModel;
  readonly recordService: RecordService;
}

/** A list request whose plan depends on its fields, its order and the structure of its filter alone. */
export interface KnownList {
  readonly collection: CompiledCollection;
  /** The same for lists that have one plan, apart from the filter. */
  readonly key: string;
  readonly filter: WireFilter | undefined;
  readonly page: Page | undefined;
  /** Read when the list is not known yet. */
  readonly shape: () => Omit<ListQuestion, 'filter'>;
}

interface PlannedList {
  readonly plan: ListPlan;
  readonly filter: FilterTemplate | undefined;
}

const listsOf = new WeakMap<RecordService, PlanCache<PlannedList>>();

/**
 * Plan a list. Requests that differ in their filter values and their page alone have one plan, which is kept: people open the
 * same lists again and again, each time a little different.
 */
export function planKnownList(
  { model, recordService }: ListPlanning,
  { collection, key, filter, page, shape }: KnownList,
): PlannedQuery {
  const known = listsFor(recordService).memo(`${key}\n${filter?.key ?? ''}`, {
    context: () => {
      const template = filter && compileFilter(filter, columnLookup(model, collection));
      const plan = recordService.planList(collection.name, { ...shape(), filter: template });
      return { plan, filter: template } satisfies PlannedList;
    },
  });
  return { plan: known.plan, values: known.filter?.accept(filter?.values ?? []) ?? [], page };
}

function listsFor(service: RecordService): PlanCache<PlannedList> {
  const known = listsOf.get(service);
  if (known) return known;
  const lists = createPlanCache<PlannedList>(maxLists);
  listsOf.set(service, lists);
  return lists;
}
