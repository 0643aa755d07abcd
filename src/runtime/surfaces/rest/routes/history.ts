import { recordHistoryQuerySchema } from '#contracts/history';
import { invalidRequest } from '#kernel/errors/request-errors';
import { requireKey } from '../../../model/record-id.ts';
import { readSequence, readUndoOrder } from '../../request/prepare-undo.ts';
import { memberOf } from '../../request/request-bodies.ts';
import type { Route, RouteCall } from '../call/route.ts';
import { idInPath } from './records.ts';

const pageSchema = recordHistoryQuerySchema.pick({ before: true, limit: true });

/** The writes to a record, the newest first, as far as the caller may see them. */
const readHistoryRoute: Route = {
  method: 'GET',
  path: '/_internal/history/:collection/:id',
  activity: { action: 'read', label: () => 'history', recordIds: idInPath },
  answer: async (call) => {
    const { before, limit } = call.query;
    const page = pageSchema.safeParse({ before, limit });
    if (!page.success) {
      throw invalidRequest(
        '"before" is the number of a row, and "limit" goes from 1 to 100.',
        'Correct the parameters.',
      );
    }
    const history = await call.histories.read(recordOf(call), page.data, historyCall(call));
    return { status: 200, body: history };
  },
};

/** Take one write back. The write that does so is reported. */
const undoRoute: Route = {
  method: 'POST',
  path: '/_internal/history/:collection/:id/undo',
  answer: async (call) => {
    const order = readUndoOrder(memberOf(memberOf(call.body, 'data'), 'attributes'));
    return { status: 200, body: await call.histories.undo({ ...recordOf(call), ...order }, historyCall(call)) };
  },
};

/** What foreign keys have to do with taking a write back. Nothing is written. */
const undoTiesRoute: Route = {
  method: 'GET',
  path: '/_internal/history/:collection/:id/undo',
  answer: async (call) => {
    const order = { ...recordOf(call), sequence: readSequence(call.query['sequence']) };
    return { status: 200, body: await call.histories.ties(order, historyCall(call)) };
  },
};

export const historyRoutes: readonly Route[] = [readHistoryRoute, undoRoute, undoTiesRoute];

function recordOf(call: RouteCall) {
  const collection = call.collection();
  requireKey(collection);
  return { collection, id: call.params['id'] ?? '' };
}

function historyCall(call: RouteCall) {
  return { state: call.state, context: call.context('UTC') };
}
