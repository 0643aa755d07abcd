import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { createActionContext } from '../action-context.ts';
import { answerOfAction, createActionResponse } from '../action-result.ts';
import { collectionAt } from '../collection-at.ts';
import { parseActionBody } from '../parse/action-body.ts';
import { parseSelectionBody } from '../parse/selection-body.ts';
import { invalidRequest } from '../request-errors.ts';
import { PathUnknown, type Route } from '../route.ts';

/** Run the code of an action on the selected records. */
export const executeActionRoute: Route = {
  method: 'POST',
  path: '/_actions/:collection/:index/:slug',
  answer: async ({ params, query, body, state, context }) => {
    const collection = collectionAt(state.model, params['collection']);
    const action = collection.actions.get(`${params['index']}/${params['slug']?.toLowerCase()}`);
    if (!action) throw new PathUnknown();
    const callContext = context();
    await state.authoriser.requireTrigger(callContext.caller, collection.name, action.name);
    const { scope } = action.definition;
    const { values } = parseActionBody(body);
    const isGlobal = scope === 'Global';
    const selection = parseSelectionBody(state.model, collection, body, query, isGlobal ? 'ignored' : 'required');
    if (scope === 'Single' && selection.listed !== undefined && selection.listed !== 1) {
      throw invalidRequest(`The action "${action.name}" runs on exactly one record.`, 'Select one record.');
    }
    const actionContext = createActionContext(state, collection, isGlobal ? undefined : selection, values, callContext);
    const { builder, headers } = createActionResponse();
    const result = await run(action.name, async () => action.definition.execute(actionContext, builder));
    return answerOfAction(result ?? undefined, headers);
  },
};

/** Errors of ours pass through the user's code as they are; anything else is that code's. */
async function run<Result>(action: string, execute: () => Promise<Result>): Promise<Result> {
  try {
    return await execute();
  } catch (error) {
    if (isCloudError(error)) throw error;
    throw new CloudError({
      code: 'CUSTOMIZATION_FAILED',
      message: `The action "${action}" threw: ${error instanceof Error ? error.message : String(error)}`,
      nextSteps: ['Correct the code of the action, or return resultBuilder.error(…) for what its user can mend.'],
      cause: error,
    });
  }
}
