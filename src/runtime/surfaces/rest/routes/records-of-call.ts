import { memberOf } from '../../request/request-bodies.ts';
import type { RouteCall } from '../call/route.ts';
import { defaultPageSize } from '../parse/list-parameters.ts';
import { idsInBody } from '../parse/selection-body.ts';

const exportPath = /\.(?:csv|xlsx)$/;
const listPath = /\/:(?:collection|relation)$/;

/**
 * How many records a request asks for or names at most; infinite where it is about all that match.
 *
 * @param path of the route, with its parameters.
 */
export function recordsOfCall({ query, body }: RouteCall, path: string, isReading: boolean): number {
  if (exportPath.test(path)) return Number.POSITIVE_INFINITY;
  if (isReading) return listPath.test(path) ? Number(query['page[size]'] ?? defaultPageSize) : 1;
  const attributes = memberOf(memberOf(body, 'data'), 'attributes');
  if (memberOf(attributes, 'all_records')) return Number.POSITIVE_INFINITY;
  const records = memberOf(body, 'records');
  return idsInBody({ body })?.length ?? (Array.isArray(records) ? records.length : 1);
}
