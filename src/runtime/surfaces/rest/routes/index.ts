import { invalidRequest } from '#kernel/errors/request-errors';
import { memberOf } from '../../request/request-bodies.ts';
import { PathUnknown, type Route } from '../call/route.ts';
import { executeActionRoutes, formHooksRoutes } from './actions.ts';
import { aiRoute } from './ai.ts';
import { approvalRoutes } from './approvals.ts';
import { beginSignInRoute, exchangeCodeRoute, exchangePrintedTokenRoute, finishSignInRoute } from './authentication.ts';
import { capabilitiesRoute } from './capabilities.ts';
import { chartRoutes, nativeQueryRoute, statsRoute } from './charts.ts';
import { explainRightsRoute, explainRoute } from './explain.ts';
import { exportRoutes } from './export-records.ts';
import { historyRoutes } from './history.ts';
import { importRoute } from './import-records.ts';
import { insightsRoute } from './insights.ts';
import { noteRoutes } from './notes.ts';
import {
  countRecordsRoute,
  createRecordRoute,
  deleteRecordRoute,
  deleteSelectionRoute,
  getRecordRoute,
  listRecordsRoute,
  restoreRecordRoute,
  updateListItemRoute,
  updateRecordRoute,
} from './records.ts';
import { associateRoute, countRelatedRoute, dissociateRoute, linkToOneRoute, listRelatedRoute } from './relations.ts';
import { valuesRoute } from './values.ts';
import { visibleSchemaRoutes } from './visible-schema.ts';

/** A client has changed a view of the project: what the agent knows of it is looked up again. */
const scopeCacheRoute: Route = {
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

/**
 * The tools of the MCP server, for people: the console tries them. The body is a message of JSON-RPC that lists or calls tools, the answer
 * that of the endpoint. Calls are reported as those of any client.
 */
const mcpRoute: Route = {
  method: 'POST',
  path: '/_internal/mcp',
  answer: async ({ askMcp, body }) => {
    const answer = await askMcp(body);
    if (!answer) throw new PathUnknown();
    return { status: 200, body: answer };
  },
};

/** Says that the agent runs. The only route that needs no token. */
const healthRoute: Route = {
  method: 'GET',
  path: '/',
  isPublic: true,
  answer: async () => ({ status: 200, body: { error: null, message: 'Agent is running' } }),
};

/** Every route of the REST API, below the prefix. A fixed part of a path wins over a parameter. */
export const routes: readonly Route[] = [
  healthRoute,
  beginSignInRoute,
  finishSignInRoute,
  exchangePrintedTokenRoute,
  exchangeCodeRoute,
  capabilitiesRoute,
  ...visibleSchemaRoutes,
  valuesRoute,
  explainRoute,
  explainRightsRoute,
  insightsRoute,
  importRoute,
  listRecordsRoute,
  countRecordsRoute,
  getRecordRoute,
  createRecordRoute,
  updateRecordRoute,
  deleteSelectionRoute,
  deleteRecordRoute,
  restoreRecordRoute,
  ...exportRoutes,
  listRelatedRoute,
  countRelatedRoute,
  associateRoute,
  dissociateRoute,
  linkToOneRoute,
  updateListItemRoute,
  ...executeActionRoutes,
  ...formHooksRoutes,
  ...approvalRoutes,
  ...historyRoutes,
  ...noteRoutes,
  ...chartRoutes,
  statsRoute,
  scopeCacheRoute,
  nativeQueryRoute,
  aiRoute,
  mcpRoute,
];
