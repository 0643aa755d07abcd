import type { CallContext } from '../plan/call-context.ts';
import type { RouteAnswer } from './route.ts';

/** The answer that holds what a chart shows. */
export function chartDocument(value: unknown, { caller }: CallContext): RouteAnswer {
  return { status: 200, body: { data: { id: caller.requestId, type: 'stats', attributes: { value: value ?? null } } } };
}
