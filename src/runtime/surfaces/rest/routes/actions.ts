import { formDocument } from '../../../actions/form-document.ts';
import { PathUnknown, type Route, type RouteAnswer, type RouteCall } from '../call/route.ts';
import {
  actionPaths,
  actionTarget,
  findAction,
  parseActionOrder,
  parseActionSelection,
  parseFormValues,
} from '../parse/action-request.ts';
import { parseHookBody } from '../parse/hook-body.ts';
import { idsInBody } from '../parse/selection-body.ts';
import { answerOfAction } from '../render/action-result.ts';

/** Run an action on the selected records, with the values of its form. */
export const executeActionRoutes: readonly Route[] = actionPaths.map((path) => ({
  method: 'POST',
  path,
  activity: { action: 'action', label: (call) => findAction(call)?.name, recordIds: idsInOrder },
  answer: executeAction,
}));

/** The form of an action as it is now: when it opens, after an edit, or one field with its options searched. */
export const formHooksRoutes: readonly Route[] = actionPaths.map((path) => ({
  method: 'POST',
  path: `${path}/hooks/:hook`,
  answer: answerHook,
}));

async function executeAction(call: RouteCall): Promise<RouteAnswer> {
  const { actions } = call.state;
  const order = await parseActionOrder(call.body, actions);
  const target = actionTarget(call);
  const readInput = () => ({
    selection: parseActionSelection(target, order.body, call),
    values: parseFormValues(order),
  });
  return answerOfAction(await actions.run(target, order.approval, readInput, call.context()));
}

const hooks: ReadonlySet<unknown> = new Set(['load', 'change', 'search']);

async function answerHook(call: RouteCall): Promise<RouteAnswer> {
  if (!hooks.has(call.params['hook']?.toLowerCase())) throw new PathUnknown();
  const { actions, model } = call.state;
  const target = actionTarget(call);
  const readQuestion = () => ({
    selection: parseActionSelection(target, call.body, call),
    ...parseHookBody(call.body),
  });
  const form = await actions.form(target, readQuestion, call.context());
  return { status: 200, body: formDocument(model, form, 'value') };
}

/** The ids that count: the signed ones where a signature holds, none where it does not or for a Global action. */
async function idsInOrder(call: RouteCall): Promise<readonly string[] | undefined> {
  if (findAction(call)?.definition.scope === 'Global') return [];
  // The answer reads the order again, and says why the signature does not hold.
  const order = await parseActionOrder(call.body, call.state.actions).catch(() => undefined);
  return order && idsInBody(order);
}
