import type { ListedCharts } from '#contracts/dashboards';
import { invalidRequest, unprocessableRequest } from '#kernel/errors/request-errors';
import type { RecordOfChart } from '../../../charts/chart-service.ts';
import { type NativeQueryChart, nativeQueryChartTypes } from '../../../charts/native-query-chart.ts';
import { chartFilter, parseAggregateChart } from '../../../charts/parse-aggregate-chart.ts';
import type { ChartResult } from '../../../customizer/chart-definition.ts';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { unpackId } from '../../../model/record-id.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import type { QueryParameters } from '../../request/query-parameters.ts';
import { isJsonObject, type JsonObject, objectMemberOf } from '../../request/request-bodies.ts';
import { chartKindHeader } from '../call/http-headers.ts';
import { PathUnknown, type Route, type RouteAnswer, type RouteCall } from '../call/route.ts';

const ofAgent = '/_charts/:chart';
const ofCollection = '/_charts/:collection/:chart';

/** What the rights list for the caller; charts of the agent and of its collections: `POST` answers with a document, `GET` with the bare value. */
export const chartRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/_internal/charts',
    answer: async ({ state, context }) => ({
      status: 200,
      headers: { 'cache-control': 'private, no-cache' },
      body: { charts: await state.charts.listedCharts(context('UTC').caller) } satisfies ListedCharts,
    }),
  },
  {
    method: 'POST',
    path: ofAgent,
    isReading: true,
    answer: async (call) => withKind(await agentChart(call), (value) => chartDocument(value, call.context())),
  },
  { method: 'GET', path: ofAgent, answer: async (call) => withKind(await agentChart(call), bareAnswer) },
  {
    method: 'POST',
    path: ofCollection,
    isReading: true,
    answer: async (call) => withKind(await collectionChart(call), (value) => chartDocument(value, call.context())),
  },
  { method: 'GET', path: ofCollection, answer: async (call) => withKind(await collectionChart(call), bareAnswer) },
];

async function agentChart({ params, query, body, state, context }: RouteCall): Promise<ChartResult> {
  const name = params['chart'] ?? '';
  if (!state.model.charts.has(name)) throw new PathUnknown();
  return state.charts.agentChart(name, parseChartParameters(query, body), context());
}

async function collectionChart(call: RouteCall): Promise<ChartResult> {
  const { params, query, body, state, context } = call;
  const collection = call.collection();
  const name = params['chart'] ?? '';
  if (!collection.charts.has(name)) throw new PathUnknown();
  const readRecord = () => parseChartRecord(collection, parseChartParameters(query, body));
  return state.charts.collectionChart(collection.name, name, readRecord, context());
}

/** The kind is in a header: two kinds of charts may have values of one form. */
function withKind({ kind, value }: ChartResult, answerOf: (value: unknown) => RouteAnswer): RouteAnswer {
  const { headers, ...answer } = answerOf(value);
  return { ...answer, headers: { ...headers, ...(kind ? { [chartKindHeader]: kind } : {}) } };
}

function bareAnswer(value: unknown): RouteAnswer {
  if (value === undefined || value === null) return { status: 204 };
  if (typeof value !== 'string')
    return { status: 200, headers: { 'content-type': jsonType }, body: JSON.stringify(value) };
  // A page of its own, opened in the browser, must not run as a part of the agent.
  if (value.startsWith('<')) return { status: 200, headers: { ...pageHeaders }, body: value };
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: value };
}

const jsonType = 'application/json; charset=utf-8';
const pageHeaders = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': 'sandbox' };

/** The parameters of a chart, as texts: from the body, else from the address. Lists and objects are left out. */
function parseChartParameters(query: QueryParameters, body: unknown): Readonly<Record<string, string>> {
  const all = { ...query, ...(isJsonObject(body) ? body : {}) };
  const scalars = Object.entries(all).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return Object.freeze(Object.fromEntries(scalars.map(([name, value]) => [name, String(value)])));
}

/** The record that a chart is about. Throws `REQUEST_INVALID` when its id is missing or malformed. */
function parseChartRecord(collection: CompiledCollection, parameters: Readonly<Record<string, string>>): RecordOfChart {
  const packed = parameters['record_id'];
  if (packed === undefined) {
    throw invalidRequest('"record_id" is missing.', 'Send the packed id of the record the chart is about.');
  }
  return { parameters, id: unpackId(collection, packed) as readonly (string | number)[] };
}

/** A chart over the records of a collection, defined by the body. */
export const statsRoute: Route = {
  method: 'POST',
  path: '/stats/:collection',
  isReading: true,
  answer: async (call) => {
    const { body, state, context } = call;
    const collection = call.collection();
    const callContext = context();
    if (!isJsonObject(body))
      throw invalidRequest('The body is not a chart.', 'Send its type, aggregator and the like.');
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

/** A chart with the numbers of a database query. */
export const nativeQueryRoute: Route = {
  method: 'POST',
  path: '/_internal/native_query',
  isReading: true,
  answer: async ({ body, state, context }) => {
    if (!isJsonObject(body))
      throw invalidRequest('The body is not a chart.', 'Send its type, query and connectionName.');
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

/** The JSON:API document of a chart. */
function chartDocument(value: unknown, { caller }: CallContext): RouteAnswer {
  return { status: 200, body: { data: { id: caller.requestId, type: 'stats', attributes: { value: value ?? null } } } };
}
