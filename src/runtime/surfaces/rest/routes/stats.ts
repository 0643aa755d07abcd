import { invalidRequest } from '#kernel/errors/request-errors';
import type { Route } from '../call/route.ts';
import { chartFilter, parseAggregateChart } from '../parse/aggregate-chart.ts';
import { isJsonObject, type JsonObject, objectMemberOf } from '../parse/json-object.ts';
import { chartDocument } from '../render/chart-document.ts';

/** A chart over the records of a collection, defined by the body. */
export const statsRoute: Route = {
  method: 'POST',
  path: '/stats/:collection',
  isReading: true,
  answer: async (call) => {
    const { body, state, context } = call;
    const collection = call.collection();
    const callContext = context();
    if (!isJsonObject(body)) throw invalidRequest('The body is no chart.', 'Send its type, aggregator and the like.');
    const chart = {
      definition: definitionOf(body, collection.name),
      contextVariables: objectMemberOf(body, 'contextVariables'),
      read: (variables) => parseAggregateChart(state.model, collection, body, variables),
    } satisfies Parameters<typeof state.charts.aggregateChart>[1];
    return chartDocument(await state.charts.aggregateChart(collection.name, chart, callContext), callContext);
  },
};

/**
 * The chart that the request really asks for: the collection of the path, and the filter that counts, whatever the body
 * says.
 */
function definitionOf(body: JsonObject, collection: string): JsonObject {
  return { ...body, sourceCollectionName: collection, filter: chartFilter(body) ?? null };
}
