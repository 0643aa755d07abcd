import { parse as parseQuery } from 'node:querystring';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { invalidRequest } from '#kernel/errors/request-errors';
import { type CompiledModel, collectionNamed } from '../../model/compiled-model.ts';
import { allowEverything } from '../../permissions/allow-everything.ts';
import { createRecordService } from '../../records/create-record-service.ts';
import type { ExplainedQuery } from '../../records/request/explained-query.ts';
import {
  lookupInQuery,
  parseRecordSelection,
  parseTimezone,
  type QueryParameters,
} from '../../surfaces/request/query-parameters.ts';
import {
  contextWithDeleted,
  parsePage,
  parseProjection,
  parseSort,
} from '../../surfaces/rest/parse/list-parameters.ts';

/**
 * How the list request `GET /<collection>?<query>` would be carried out. Throws what the request would.
 *
 * @param query as in an address, `filters=…&sort=-id`; the time zone is UTC unless it says another.
 */
export function explainRequest(
  model: CompiledModel,
  identity: AgentTokenClaims,
  collectionName: string,
  query: string,
): Promise<ExplainedQuery> {
  const collection = collectionNamed(model, collectionName);
  const parameters = { ...parseQuery(query.replace(/^\?/, '')) } as QueryParameters;
  refuseUnknown(parameters);
  const lookup = lookupInQuery(parameters);
  const asked = {
    ...parseRecordSelection(model, collection, lookup),
    projection: parseProjection(collection, parameters, undefined),
    sort: parseSort(collection, lookup('sort')),
    page: parsePage(lookup),
  };
  const timezone = parseTimezone(parameters['timezone'] ?? 'UTC');
  const caller = { ...identity, timezone, requestId: 'explain' };
  return createRecordService(model, allowEverything).explain(
    asked,
    contextWithDeleted({ caller }, collection, parameters),
  );
}

const parameterNames = new Set([
  ...['filters', 'search', 'searchExtended', 'segment', 'segmentQuery', 'deleted'],
  ...['sort', 'page[size]', 'page[number]', 'timezone'],
]);

/** A request ignores unknown parameters. Here a typo would then give the plan of another request. */
function refuseUnknown(parameters: QueryParameters): void {
  const unknown = Object.keys(parameters).find((name) => !parameterNames.has(name) && !/^fields\[.+\]$/u.test(name));
  if (unknown === undefined) return;
  throw invalidRequest(
    `A list request has no parameter "${unknown}".`,
    'Write the query as in an address: filters, search, segment, sort, page[size] or fields[<collection>], as in sort=-id&search=blue.',
  );
}
