import { invalidRequest } from '#kernel/errors/request-errors';
import type { Route } from '../call/route.ts';
import { isJsonObject, objectMemberOf } from '../parse/json-object.ts';
import { parseNativeQueryChart } from '../parse/native-query-chart.ts';
import { chartDocument } from '../render/chart-document.ts';

/** A chart with the numbers of a database query. */
export const nativeQueryRoute: Route = {
  method: 'POST',
  path: '/_internal/native_query',
  isReading: true,
  answer: async ({ body, state, context }) => {
    if (!isJsonObject(body)) throw invalidRequest('The body is no chart.', 'Send its type, query and connectionName.');
    const callContext = context('UTC');
    const chart = {
      definition: body,
      contextVariables: objectMemberOf(body, 'contextVariables'),
      read: () => parseNativeQueryChart(body),
    };
    return chartDocument(await state.charts.nativeQueryChart(chart, callContext), callContext);
  },
};
