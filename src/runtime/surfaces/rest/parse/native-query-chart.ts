import { unprocessableRequest } from '#kernel/errors/request-errors';
import { type NativeQueryChart, nativeQueryChartTypes } from '../../../charts/native-query-chart.ts';
import type { JsonObject } from './json-object.ts';

/** Throws `REQUEST_UNPROCESSABLE`, which names the key. */
export function parseNativeQueryChart(body: JsonObject): NativeQueryChart {
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
