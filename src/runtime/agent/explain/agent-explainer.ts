import { parse as parseQuery } from 'node:querystring';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Clock } from '#kernel/ports/clock';
import { type CompiledModel, collectionNamed } from '../../model/compiled-model.ts';
import { allowEverything } from '../../permissions/authoriser.ts';
import type { ExplainRights } from '../../permissions/explained-permissions.ts';
import { createPermissionDocuments, type PermissionSource } from '../../permissions/permission-documents.ts';
import { createRecordService } from '../../records/create-record-service.ts';
import type { ExplainedQuery } from '../../records/request/explain-query.ts';
import type { AgentStateHolder } from '../../surfaces/request/agent-state.ts';
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
import { explainPermissions, typingsForUser } from './explain-permissions.ts';

/** Explains how the agent would answer, with the model that it has. */
export interface AgentExplainer {
  /** How the list request `GET /<collection>?<query>` would be carried out, without any restriction by rights. */
  request(asker: AgentTokenClaims, collection: string, query: string): Promise<ExplainedQuery>;
  /** The rights of a user on a collection. */
  readonly permissions: ExplainRights;
  /** The typings of what a user sees, by id or e-mail address, as the platform says now. */
  typings(user: string): Promise<string>;
}

export function createAgentExplainer(
  states: AgentStateHolder,
  platform: PermissionSource,
  clock: Clock,
): AgentExplainer {
  const withModel = async <Result>(work: (model: CompiledModel) => Promise<Result>): Promise<Result> => {
    const inUse = states.acquire();
    if (!inUse) throw new TypeError('An agent without a model was asked to explain.');
    try {
      return await work(inUse.state.model);
    } finally {
      inUse.release();
    }
  };
  // Documents of its own: neither an older answer nor a last known one is what the platform says now.
  const viewOfNow = () => createPermissionDocuments(platform, clock).fresh;
  return {
    request: (asker, collection, query) => withModel((model) => explainRequest(model, asker, collection, query)),
    permissions: (question) => withModel((model) => explainPermissions(model, viewOfNow(), question)),
    typings: (user) => withModel((model) => typingsForUser(model, viewOfNow(), user)),
  };
}

/**
 * How the list request `GET /<collection>?<query>` would be carried out. Throws what the request would.
 *
 * @param query as in an address, `filters=…&sort=-id`; the time zone is UTC unless it says another.
 */
function explainRequest(
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
  const caller = { ...identity, ...allowEverything.namesOf(identity), timezone, requestId: 'explain' };
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
