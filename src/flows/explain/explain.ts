import type { ExplainedQuery } from '#runtime/index';
import { loadOnce } from '../dev/load-once.ts';
import type { FlowContext } from '../flow-context.ts';

/** Say how a list request would be carried out: what in the database, what in the agent, and why. */
export function explain(
  context: FlowContext,
  folder: string,
  request: { readonly collection: string; readonly query: string },
): Promise<ExplainedQuery> {
  return loadOnce(context, folder, ({ agent }) => agent.explain(request.collection, request.query));
}
