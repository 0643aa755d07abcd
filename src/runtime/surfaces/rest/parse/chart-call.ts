import { invalidRequest } from '#kernel/errors/request-errors';
import type { RecordOfChart } from '../../../charts/chart-service.ts';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { unpackId } from '../../../model/record-id.ts';
import type { QueryParameters } from '../../request/query-parameters.ts';
import { isJsonObject } from './json-object.ts';

/** The parameters of a chart, as texts: from the body, else from the address. Lists and objects are left out. */
export function parseChartParameters(query: QueryParameters, body: unknown): Readonly<Record<string, string>> {
  const all = { ...query, ...(isJsonObject(body) ? body : {}) };
  const scalars = Object.entries(all).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return Object.freeze(Object.fromEntries(scalars.map(([name, value]) => [name, String(value)])));
}

/** The record that a chart is about. Throws `REQUEST_INVALID` when its id is missing or malformed. */
export function parseChartRecord(
  collection: CompiledCollection,
  parameters: Readonly<Record<string, string>>,
): RecordOfChart {
  const packed = parameters['record_id'];
  if (packed === undefined) {
    throw invalidRequest('"record_id" is missing.', 'Send the packed id of the record the chart is about.');
  }
  return { parameters, id: unpackId(collection, packed) as readonly (string | number)[] };
}
