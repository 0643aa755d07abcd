import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { readWireFilter } from '../../../query/wire-filter.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import type { PlannedQuery } from '../../../records/request/planned-query.ts';
import type { RecordQuery } from '../../../records/request/record-service.ts';
import { type ListPlanning, planKnownList } from '../../request/known-lists.ts';
import type { QueryParameters } from '../../request/query-parameters.ts';
import { lookupInQuery } from '../../request/query-parameters.ts';
import { parseRecordSelection } from '../../request/record-selection.ts';
import { parsePage, parseProjection, parseSort } from './list-parameters.ts';

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

/** Read a list request. A list that selects records by more than their columns is planned anew each time. */
export function readListQuestion(planning: ListPlanning, sent: SentList): RecordQuery | PlannedQuery {
  const { collection, query, header, relatedTo } = sent;
  const lookup = lookupInQuery(query);
  const projection = () => parseProjection(collection, query, header);
  if (relatedTo || dynamicParameters.some((name) => query[name]) || !namesFields(sent)) {
    const selection = parseRecordSelection(planning.model, collection, lookup);
    const sort = parseSort(collection, lookup('sort'));
    return { ...selection, relatedTo, projection: projection(), sort, page: parsePage(lookup) };
  }
  const filters = lookup('filters');
  return planKnownList(planning, {
    collection,
    key: listKey(sent),
    filter: filters ? readWireFilter(filters) : undefined,
    page: parsePage(lookup),
    shape: () => ({ projection: projection() ?? [], sort: parseSort(collection, lookup('sort')) ?? [] }),
  });
}

/** Without named fields, the projection depends on the rights of the caller. */
function namesFields({ collection, query, header }: SentList): boolean {
  return Boolean(header?.trim() || query[`fields[${collection.name}]`]);
}

/** Everything that a plan depends on but the filter, as it was sent. */
function listKey({ collection, query, header }: SentList): string {
  let key = `${collection.name}\n${header ?? ''}\n${query['sort'] ?? ''}`;
  for (const parameter in query) if (parameter.startsWith('fields[')) key += `\n${parameter}=${query[parameter]}`;
  return key;
}
