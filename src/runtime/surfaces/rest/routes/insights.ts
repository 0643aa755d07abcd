import * as z from 'zod';
import { cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Route, RouteCall } from '../call/route.ts';

const defaultSlowerThanMs = 100;
const slowerThanSchema = z.coerce.number().min(0).max(60_000).default(defaultSlowerThanMs);

/** What the agent has noticed of its own work: for administrators and developers whose rights hide nothing from them. */
export const insightsRoute: Route = {
  method: 'GET',
  path: '/_internal/insights',
  answer: async (call) => {
    requireInsights(call);
    const slowerThan = slowerThanSchema.safeParse(call.query['slowerThan']);
    if (!slowerThan.success) {
      throw invalidRequest('"slowerThan" is a number of milliseconds from 0 to 60000.', 'Correct the parameter.');
    }
    const { served, insights } = call;
    return { status: 200, body: await insights.read(served.model, slowerThan.data, call.context('UTC')) };
  },
};

/** Shapes of queries name fields and conditions of everybody. A program has rights of its own, which say nothing of those. */
function requireInsights({ state, context }: RouteCall): void {
  const { permissionLevel, client } = context('UTC').caller;
  const isAllowed = (permissionLevel === 'admin' || permissionLevel === 'developer') && !state.model.whole && !client;
  if (isAllowed) return;
  throw cloudError(
    'REQUEST_FORBIDDEN',
    'Insights are for administrators and developers who may see every field.',
    'Ask somebody with the level admin or developer.',
  );
}
