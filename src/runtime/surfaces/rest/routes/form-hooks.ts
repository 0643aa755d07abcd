import { isCloudError } from '#kernel/errors/cloud-error';
import { forbiddenRequest } from '#kernel/errors/request-errors';
import { evaluateForm } from '../../../actions/evaluate-form.ts';
import { formDocument } from '../../../actions/form-document.ts';
import { formValueDecoder } from '../../../actions/form-value-codec.ts';
import type { Caller } from '../../../customizer/caller.ts';
import type { Authoriser } from '../../../permissions/authoriser.ts';
import { PathUnknown, type Route } from '../call/route.ts';
import { actionPaths, actionTarget } from '../parse/action-target.ts';
import { parseHookBody } from '../parse/hook-body.ts';

const hooks: ReadonlySet<unknown> = new Set(['load', 'change', 'search']);

/** The form of an action as it is now: when it opens, after an edit, or one field with its options searched. */
export const formHooksRoutes: readonly Route[] = actionPaths.map((path) => ({
  method: 'POST',
  path: `${path}/hooks/:hook`,
  answer: async (request) => {
    if (!hooks.has(request.params['hook']?.toLowerCase())) throw new PathUnknown();
    const { authoriser, model } = request.state;
    const { action, call } = await actionTarget(request, (...asked) => requireForm(authoriser, ...asked));
    const decode = formValueDecoder(model, 'lenient');
    const input = { ...parseHookBody(request.body), decode };
    const form = await evaluateForm(action.name, action.definition, call, input);
    return { status: 200, body: formDocument(model, form, 'value') };
  },
}));

/** The right to trigger is enough: who needs an approval fills the form in like anybody else. */
async function requireForm(authoriser: Authoriser, caller: Caller, collection: string, action: string): Promise<void> {
  try {
    await authoriser.requireTrigger(caller, collection, action);
  } catch (error) {
    if (!isCloudError(error) || error.code !== 'ACTION_TRIGGER_FORBIDDEN') throw error;
    throw forbiddenRequest(error.message, error);
  }
}
