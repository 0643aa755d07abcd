import { runChart } from '../../../charts/run-chart.ts';
import { idCondition, recordNotFound } from '../../../model/id-condition.ts';
import { simpleKey } from '../../../model/packed-id.ts';
import { collectionAt } from '../call/collection-at.ts';
import { PathUnknown, type Route, type RouteAnswer, type RouteCall } from '../call/route.ts';
import { parseChartParameters, parseChartRecord } from '../parse/chart-call.ts';
import { chartDocument } from '../render/chart-document.ts';

const ofAgent = '/_charts/:chart';
const ofCollection = '/_charts/:collection/:chart';

/** Charts of the agent and of its collections: `POST` answers with a document, `GET` with the bare value. */
export const chartRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: ofAgent,
    answer: async (request) => chartDocument(await agentChart(request), request.context()),
  },
  { method: 'GET', path: ofAgent, answer: async (request) => bareAnswer(await agentChart(request)) },
  {
    method: 'POST',
    path: ofCollection,
    answer: async (request) => chartDocument(await collectionChart(request), request.context()),
  },
  { method: 'GET', path: ofCollection, answer: async (request) => bareAnswer(await collectionChart(request)) },
];

async function agentChart({ params, query, body, state, context }: RouteCall): Promise<unknown> {
  const name = params['chart'] ?? '';
  const definition = state.model.charts.get(name);
  if (!definition) throw new PathUnknown();
  const callContext = context();
  const { caller } = callContext;
  return runChart(name, definition, {
    caller,
    dataSource: state.recordService.dataSourceOf(callContext),
    timezone: caller.timezone,
    parameters: parseChartParameters(query, body),
  });
}

async function collectionChart({ params, query, body, state, context }: RouteCall): Promise<unknown> {
  const collection = collectionAt(state.model, params['collection']);
  const name = params['chart'] ?? '';
  const definition = collection.charts.get(name);
  if (!definition) throw new PathUnknown();
  const callContext = context();
  await state.authoriser.require(callContext.caller, collection.name, 'read');
  const parameters = parseChartParameters(query, body);
  const key = parseChartRecord(collection, parameters);
  const customization = state.recordService.contextOf(collection.name, callContext);
  return runChart(name, definition, {
    ...customization,
    timezone: callContext.caller.timezone,
    parameters,
    recordId: simpleKey(key),
    compositeRecordId: key,
    async getRecord(fields) {
      const selection = { collection: collection.name, where: idCondition(collection, key) };
      const filter = await state.recordService.contextFilter(selection, callContext);
      const [record] = await customization.collection.list(filter, fields);
      if (!record) throw recordNotFound(collection);
      return record;
    },
  });
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
