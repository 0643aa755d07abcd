import { invalidRequest, unprocessableRequest } from '#kernel/errors/request-errors';
import { type NativeQueryChart, nativeQueryChartTypes } from '../../../charts/native-query-chart.ts';
import type { Route } from '../call/route.ts';
import { isJsonObject, type JsonObject, objectMemberOf } from '../parse/json-object.ts';
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

/** Throws `REQUEST_UNPROCESSABLE`, which names the key. */
function parseNativeQueryChart(body: JsonObject): NativeQueryChart {
  const type = nativeQueryChartTypes.find((known) => known === body['type']);
  if (type === undefined) {
    const names = nativeQueryChartTypes.join(', ');
    throw unprocessableRequest(`"type" must be one of ${names}.`, 'Correct the type of the chart.');
  }
  return { type, query: textAt(body, 'query'), connectionName: textAt(body, 'connectionName') };
}

function textAt(body: JsonObject, key: string): string {
  const value = body[key];
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw unprocessableRequest(`The chart has no "${key}".`, `Send ${key} as a text.`);
}
