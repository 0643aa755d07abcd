import { approvalCommentSchema, askForApprovalSchema } from '#contracts/approvals';
import { invalidRequest } from '#kernel/errors/request-errors';
import { memberOf } from '../../request/request-bodies.ts';
import { PathUnknown, type Route, type RouteCall } from '../call/route.ts';
import { answerOfAction, parseActionSelection, parseFormValues } from './actions.ts';

/** Ask for an approval to run an action. The body is that of the run, with the name of the action. */
const askRoute: Route = {
  method: 'POST',
  path: '/_internal/approvals',
  answer: async (call) => {
    const { body } = call;
    const asked = askForApprovalSchema.safeParse(body).data?.data.attributes;
    if (!asked) {
      throw invalidRequest(
        'The request for an approval names no collection and no action, or its comment is too long.',
        'Send data.attributes with collection_name, action_name, ids and values, and a comment of at most 2,000 characters.',
      );
    }
    const filed = await call.approvals.ask(
      {
        ...{ collection: asked.collection_name, action: asked.action_name, comment: asked.comment },
        readInput: (target) => ({
          selection: parseActionSelection(target, body, call),
          values: parseFormValues({ body }),
        }),
      },
      { state: call.state, served: call.served, context: call.context() },
    );
    return { status: 201, body: filed };
  },
};

/** What a request is about, for who may read it. */
const readRoute: Route = {
  method: 'GET',
  path: '/_internal/approvals/:id',
  answer: async (call) => ({ status: 200, body: await call.approvals.read(idOf(call), approvalCall(call)) }),
};

/** Run what somebody has asked for. The answer is that of the action. */
const grantRoute: Route = {
  method: 'POST',
  path: '/_internal/approvals/:id/grant',
  answer: async (call) => {
    const comment = memberOf(call.body, 'comment');
    const read = approvalCommentSchema.optional().safeParse(comment ?? undefined);
    if (!read.success) throw invalidRequest('"comment" must be a text of at most 2,000 characters.', 'Shorten it.');
    return answerOfAction(await call.approvals.grant(idOf(call), read.data, approvalCall(call)));
  },
};

export const approvalRoutes: readonly Route[] = [askRoute, readRoute, grantRoute];

function approvalCall(call: RouteCall) {
  return { state: call.state, served: call.served, context: call.context('UTC') };
}

function idOf({ params }: RouteCall): number {
  const { id = '' } = params;
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new PathUnknown();
  return Number(id);
}
