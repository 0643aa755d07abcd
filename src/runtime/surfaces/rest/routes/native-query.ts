import { invalidRequest, unprocessableRequest } from '#kernel/errors/request-errors';
import { type NativeChartType, nativeChartTypes, nativeChartValue } from '../../../charts/native-chart.ts';
import { variablesOf } from '../../../records/calls/call-variables.ts';
import { runNativeQuery } from '../../../records/read/native-query.ts';
import type { Route } from '../call/route.ts';
import { isJsonObject, type JsonObject, objectMemberOf } from '../parse/json-object.ts';
import { chartDocument } from '../render/chart-document.ts';

/** A chart whose numbers a query of the database gives. */
export const nativeQueryRoute: Route = {
  method: 'POST',
  path: '/_internal/native_query',
  answer: async ({ body, state, context }) => {
    if (!isJsonObject(body)) throw invalidRequest('The body is no chart.', 'Send its type, query and connectionName.');
    const callContext = context('UTC');
    const type = typeOf(body['type']);
    const query = text(body, 'query');
    const connectionName = text(body, 'connectionName');
    await state.authoriser.requireChart(callContext.caller, body);
    const variables = variablesOf(callContext.caller, objectMemberOf(body, 'contextVariables'));
    const rows = await runNativeQuery(state.model, { connectionName, query }, variables, callContext);
    return chartDocument(nativeChartValue(type, rows), callContext);
  },
};

function typeOf(value: unknown): NativeChartType {
  const found = nativeChartTypes.find((type) => type === value);
  if (found !== undefined) return found;
  throw unprocessableRequest(`"type" must be one of ${nativeChartTypes.join(', ')}.`, 'Correct the type of the chart.');
}

function text(body: JsonObject, key: string): string {
  const value = body[key];
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw unprocessableRequest(`The chart has no "${key}".`, `Send ${key} as a text.`);
}
