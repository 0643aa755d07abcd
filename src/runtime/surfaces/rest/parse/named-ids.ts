import type { RouteCall } from '../call/route.ts';

/** The id that the path names. */
export function idInPath({ params }: RouteCall): readonly string[] {
  return params['id'] === undefined ? [] : [params['id']];
}
