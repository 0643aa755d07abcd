import type { RouteCall } from '../call/route.ts';
import { idsInSelection } from './selection-body.ts';

/** The id that the path names. */
export function idInPath({ params }: RouteCall): readonly string[] {
  return params['id'] === undefined ? [] : [params['id']];
}

/** The ids that the body lists; `undefined` where it lists none. */
export function idsInBody({ body }: Pick<RouteCall, 'body'>): readonly string[] | undefined {
  const ids = idsInSelection(body);
  return Array.isArray(ids) ? ids.filter((id: unknown) => typeof id === 'string') : undefined;
}
