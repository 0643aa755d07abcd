import { invalidRequest } from '#kernel/errors/request-errors';
import type { RecordOfChart } from '../../../charts/chart-service.ts';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { unpackId } from '../../../model/record-id.ts';
import type { QueryParameters } from '../../request/query-parameters.ts';
import { PathUnknown, type Route, type RouteAnswer, type RouteCall } from '../call/route.ts';
import { isJsonObject } from '../parse/json-object.ts';
import { chartDocument } from '../render/chart-document.ts';

const ofAgent = '/_charts/:chart';
const ofCollection = '/_charts/:collection/:chart';

/** Charts of the agent and of its collections: `POST` answers with a document, `GET` with the bare value. */
export const chartRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: ofAgent,
    isReading: true,
    answer: async (call) => chartDocument(await agentChart(call), call.context()),
  },
  { method: 'GET', path: ofAgent, answer: async (call) => bareAnswer(await agentChart(call)) },
  {
    method: 'POST',
    path: ofCollection,
    isReading: true,
    answer: async (call) => chartDocument(await collectionChart(call), call.context()),
  },
  { method: 'GET', path: ofCollection, answer: async (call) => bareAnswer(await collectionChart(call)) },
];

async function agentChart({ params, query, body, state, context }: RouteCall): Promise<unknown> {
  const name = params['chart'] ?? '';
  if (!state.model.charts.has(name)) throw new PathUnknown();
  return state.charts.agentChart(name, parseChartParameters(query, body), context());
}

async function collectionChart(call: RouteCall): Promise<unknown> {
  const { params, query, body, state, context } = call;
  const collection = call.collection();
  const name = params['chart'] ?? '';
  if (!collection.charts.has(name)) throw new PathUnknown();
  const readRecord = () => parseChartRecord(collection, parseChartParameters(query, body));
  return state.charts.collectionChart(collection.name, name, readRecord, context());
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
