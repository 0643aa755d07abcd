import { invalidRequest, unprocessableRequest } from '#kernel/errors/request-errors';
import type { CompiledCollection, CompiledModel } from '../../model/compiled-model.ts';
import { columnLookup } from '../../model/field-path.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { parseConditionTree } from '../../query/parse-condition-tree.ts';
import type { NativeQuery } from '../../records/read/native-query.ts';
import type { RecordQuery } from '../../records/request/record-service.ts';
import type { ParameterLookup } from './query-parameters.ts';
import { isOn } from './query-parameters.ts';

/** The part of a query that selects records, without fields and order. */
export type RecordSelection = Pick<
  RecordQuery,
  'collection' | 'where' | 'search' | 'isSearchExtended' | 'segment' | 'liveSegment'
>;

/** Search, segment and filters of a request. */
export function parseRecordSelection(
  model: CompiledModel,
  collection: CompiledCollection,
  lookup: ParameterLookup,
): RecordSelection {
  const search = textOf(lookup, 'search');
  return {
    collection: collection.name,
    where: parseFilters(model, collection, lookup('filters')),
    search: search?.trim() === '' ? undefined : search,
    isSearchExtended: isOn(lookup('searchExtended')),
    segment: textOf(lookup, 'segment'),
    liveSegment: parseLiveSegment(lookup),
  };
}

function parseFilters(
  model: CompiledModel,
  collection: CompiledCollection,
  filters: unknown,
): ConditionTree | undefined {
  if (filters === undefined || filters === null) return undefined;
  return parseConditionTree(filters, columnLookup(model, collection));
}

/** A segment that is a query of the database. */
function parseLiveSegment(lookup: ParameterLookup): NativeQuery | undefined {
  const query = textOf(lookup, 'segmentQuery');
  if (query === undefined || query.trim() === '') return undefined;
  const connectionName = textOf(lookup, 'connectionName');
  if (connectionName !== undefined) return { connectionName, query };
  throw unprocessableRequest('A segment query needs the "connectionName" it is for.', 'Send connectionName as well.');
}

function textOf(lookup: ParameterLookup, name: string): string | undefined {
  const value = lookup(name);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw invalidRequest(`The parameter "${name}" must be a text.`, `Send ${name} as a text.`);
}
