import { invalidRequest } from '#kernel/errors/request-errors';
import type { Route } from '../call/route.ts';
import { memberOf } from '../parse/json-object.ts';

/** A client has changed a view of the project: what the agent knows of it is looked up again. */
export const scopeCacheRoute: Route = {
  method: 'POST',
  path: '/scope-cache-invalidation',
  answer: async ({ body, state }) => {
    const sent = memberOf(body, 'renderingId');
    const renderingId = typeof sent === 'string' && /^\d+$/.test(sent) ? Number(sent) : sent;
    if (typeof renderingId !== 'number' || !Number.isSafeInteger(renderingId)) {
      throw invalidRequest('"renderingId" must be a whole number.', 'Send the rendering that has changed.');
    }
    state.authoriser.refreshRendering(renderingId);
    return { status: 204 };
  },
};
