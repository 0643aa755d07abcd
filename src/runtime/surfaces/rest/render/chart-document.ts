import type { CallContext } from '../../../records/calls/call-context.ts';
import type { RouteAnswer } from '../call/route.ts';

/** The JSON:API document of a chart. */
export function chartDocument(value: unknown, { caller }: CallContext): RouteAnswer {
  return { status: 200, body: { data: { id: caller.requestId, type: 'stats', attributes: { value: value ?? null } } } };
}
