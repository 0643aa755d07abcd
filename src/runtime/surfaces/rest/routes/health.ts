import type { Route } from '../call/route.ts';

/** Says that the agent runs. The only route that needs no token. */
export const healthRoute: Route = {
  method: 'GET',
  path: '/',
  isPublic: true,
  answer: async () => ({ status: 200, body: { error: null, message: 'Agent is running' } }),
};
