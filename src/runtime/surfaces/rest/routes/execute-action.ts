import { runActionCode } from '../../../actions/action-failure.ts';
import { checkFormValues } from '../../../actions/check-form-values.ts';
import { evaluateForm } from '../../../actions/evaluate-form.ts';
import { createReads, formContext } from '../../../actions/form-functions.ts';
import { formValueDecoder } from '../../../actions/form-value-codec.ts';
import { actionId } from '../../../compile/compile-action.ts';
import type { CompiledAction, CompiledModel } from '../../../model/compiled-model.ts';
import { findCollection } from '../call/collection-at.ts';
import type { Route, RouteAnswer, RouteCall } from '../call/route.ts';
import { parseActionBody } from '../parse/action-body.ts';
import { type ActionOrder, parseActionOrder } from '../parse/action-order.ts';
import { type ActionTarget, actionAt, actionPaths, actionTarget } from '../parse/action-target.ts';
import { idsInBody } from '../parse/named-ids.ts';
import { answerOfAction, createActionResponse } from '../render/action-result.ts';

/** Run the code of an action on the selected records, with the values of its form. */
export const executeActionRoutes: readonly Route[] = actionPaths.map((path) => ({
  method: 'POST',
  path,
  activity: { action: 'action', label: nameOfAction, recordIds: idsInOrder },
  answer: executeAction,
}));

async function executeAction(request: RouteCall): Promise<RouteAnswer> {
  const { model, approvals } = request.state;
  const order = await parseActionOrder(request.body, approvals);
  const target = await authorisedTarget(request, order);
  const { values } = parseActionBody(order.body);
  const { name, definition } = target.action;
  const formValues = await checkedValues(model, target, values);
  const context = formContext(target.call, formValues, createReads(), undefined);
  const { builder, headers } = createActionResponse();
  order.spend();
  const result = await runActionCode(`The action "${name}"`, async () => definition.execute(context, builder));
  return answerOfAction(result ?? undefined, headers);
}

/** The action, once everything that has to be allowed is: to trigger it, or to approve it, on the selected records. */
async function authorisedTarget(request: RouteCall, order: ActionOrder): Promise<ActionTarget> {
  const { authoriser, recordService } = request.state;
  const { body, requesterId } = order;
  const target = await actionTarget({ ...request, body }, async (...asked) => {
    // Whoever approves need not have the right to trigger.
    if (requesterId === undefined) await authoriser.requireTrigger(...asked);
  });
  const { collection, action, selection } = target;
  order.assertNames(collection.name, actionId(collection.name, action));
  const context = request.context();
  const count = recordService.selectionCounter(selection, context);
  await authoriser.requireActionRun(context.caller, {
    collection: collection.name,
    action: action.name,
    requesterId,
    count,
  });
  return target;
}

/** The values the handler gets: those of the form as it is now. Without a form there is nothing to check them against. */
async function checkedValues(
  model: CompiledModel,
  { action, call }: ActionTarget,
  values: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  if (action.definition.form === undefined) return values;
  const sent = new Map(Object.entries(values));
  const form = await evaluateForm(action.name, action.definition, call, {
    sent,
    decode: formValueDecoder(model, 'strict'),
  });
  await checkFormValues(form, sent);
  return form.values;
}

/** The ids that count: those that were signed, where a signature holds, and none where it does not or where the action is about none. */
async function idsInOrder(request: RouteCall): Promise<readonly string[] | undefined> {
  if (namedAction(request)?.definition.scope === 'Global') return [];
  // Why it does not hold is said by the answer, which reads the order again.
  const order = await parseActionOrder(request.body, request.state.approvals).catch(() => undefined);
  return order && idsInBody(order);
}

function nameOfAction(request: RouteCall): string | undefined {
  return namedAction(request)?.name;
}

function namedAction({ params, state }: RouteCall): CompiledAction | undefined {
  const collection = findCollection(state.model, params['collection']);
  return collection && actionAt(collection, params);
}
