import type { CompiledCollection, CompiledModel } from '../../../model/compiled-model.ts';
import { columnLookup } from '../../../model/field-path.ts';
import { compileFilter, type FilterTemplate } from '../../../query/filter-template.ts';
import { createPlanCache, type PlanCache } from '../../../query/plan-cache.ts';
import { readWireFilter } from '../../../query/wire-filter.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import type { ListPlan, PlannedQuery } from '../../../records/request/planned-query.ts';
import type { RecordQuery, RecordService } from '../../../records/request/record-service.ts';
import type { QueryParameters } from '../../request/query-parameters.ts';
import { lookupInQuery } from '../../request/query-parameters.ts';
import { parseRecordSelection } from '../../request/record-selection.ts';
import { parsePage, parseProjection, parseSort } from './list-parameters.ts';

const maxQuestions = 500;

/** Parameters that select records by more than their columns. Such a list is planned anew each time. */
const dynamicParameters = ['search', 'segment', 'segmentQuery', 'deleted'] as const;

/** A list request as it was sent. */
interface SentList {
  readonly collection: CompiledCollection;
  readonly query: QueryParameters;
  /** The fields that `Service-Projection` names, if it was sent. */
  readonly header: string | undefined;
  /** The relation, when the list holds the records behind one. */
  readonly relatedTo: RelationEnd | undefined;
}

/** The parts that reading and planning list requests needs. */
export interface ListReading {
  readonly model: CompiledModel;
  readonly recordService: RecordService;
}

interface KnownQuestion {
  readonly plan: ListPlan;
  readonly filter: FilterTemplate | undefined;
}

const questionsOf = new WeakMap<RecordService, PlanCache<KnownQuestion>>();

/**
 * Read a list request. Requests that differ in their filter values and their page alone have one plan, which is kept: people
 * open the same lists again and again, each time a little different.
 */
export function readListQuestion({ model, recordService }: ListReading, sent: SentList): RecordQuery | PlannedQuery {
  const { collection, query, header, relatedTo } = sent;
  const lookup = lookupInQuery(query);
  const projection = () => parseProjection(collection, query, header);
  if (relatedTo || dynamicParameters.some((name) => query[name]) || !namesFields(sent)) {
    const selection = parseRecordSelection(model, collection, lookup);
    const sort = parseSort(collection, lookup('sort'));
    return { ...selection, relatedTo, projection: projection(), sort, page: parsePage(lookup) };
  }
  const filters = lookup('filters');
  const filter = filters ? readWireFilter(filters) : undefined;
  const known = questionsFor(recordService).memo(questionKey(sent, filter?.key), {
    context: () => {
      const template = filter && compileFilter(filter, columnLookup(model, collection));
      const question = {
        projection: projection() ?? [],
        filter: template,
        sort: parseSort(collection, lookup('sort')) ?? [],
      };
      return { plan: recordService.planList(collection.name, question), filter: template } satisfies KnownQuestion;
    },
  });
  return { plan: known.plan, values: known.filter?.accept(filter?.values ?? []) ?? [], page: parsePage(lookup) };
}

/** Without named fields, the projection depends on the rights of the caller. */
function namesFields({ collection, query, header }: SentList): boolean {
  return Boolean(header?.trim() || query[`fields[${collection.name}]`]);
}

/** Everything that a plan depends on, as it was sent. */
function questionKey({ collection, query, header }: SentList, filterKey: string | undefined): string {
  let key = `${collection.name}\n${header ?? ''}\n${query['sort'] ?? ''}\n${filterKey ?? ''}`;
  for (const parameter in query) if (parameter.startsWith('fields[')) key += `\n${parameter}=${query[parameter]}`;
  return key;
}

function questionsFor(service: RecordService): PlanCache<KnownQuestion> {
  const known = questionsOf.get(service);
  if (known) return known;
  const questions = createPlanCache<KnownQuestion>(maxQuestions);
  questionsOf.set(service, questions);
  return questions;
}
