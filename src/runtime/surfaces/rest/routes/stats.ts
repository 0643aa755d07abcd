import { invalidRequest } from '#kernel/errors/request-errors';
import { runAggregateChart } from '../../../charts/run-aggregate-chart.ts';
import { variablesOf } from '../../../records/calls/call-variables.ts';
import { collectionAt } from '../call/collection-at.ts';
import type { Route } from '../call/route.ts';
import { chartFilter, parseAggregateChart } from '../parse/aggregate-chart.ts';
import { isJsonObject, type JsonObject, objectMemberOf } from '../parse/json-object.ts';
import { chartDocument } from '../render/chart-document.ts';

/** A chart over the records of a collection, defined by the body. */
export const statsRoute: Route = {
  method: 'POST',
  path: '/stats/:collection',
  answer: async ({ params, body, state, context }) => {
    const collection = collectionAt(state.model, params['collection']);
    const callContext = context();
    if (!isJsonObject(body)) throw invalidRequest('The body is no chart.', 'Send its type, aggregator and the like.');
    await state.authoriser.requireChart(callContext.caller, definitionOf(body, collection.name));
    const variables = variablesOf(callContext.caller, objectMemberOf(body, 'contextVariables'));
    const chart = parseAggregateChart(state.model, collection, body, variables);
    const scope = await state.authoriser.scopeOf(callContext.caller, collection.name);
    const value = await runAggregateChart(
      {
        model: state.model,
        service: state.recordService,
        collection,
        context: callContext,
        isScoped: scope !== undefined,
      },
      chart,
    );
    return chartDocument(value, callContext);
  },
};

/** What is asked for in truth, whatever the body says of it: this collection, and the filter that is applied. */
function definitionOf(body: JsonObject, collection: string): JsonObject {
  return { ...body, sourceCollectionName: collection, filter: chartFilter(body) ?? null };
}
