import { runActionCode } from '../../actions/action-failure.ts';
import { checkFormValues } from '../../actions/check-form-values.ts';
import { formValueDecoder } from '../../actions/decode-form-value.ts';
import { evaluateForm } from '../../actions/evaluate-form.ts';
import { formContext } from '../../actions/form-context.ts';
import { createReads } from '../../actions/tracked-values.ts';
import type { CompiledModel } from '../../plan/compiled-model.ts';
import { answerOfAction, createActionResponse } from '../action-result.ts';
import { type ActionTarget, actionTarget } from '../action-target.ts';
import { parseActionBody } from '../parse/action-body.ts';
import type { Route } from '../route.ts';

/** Run the code of an action on the selected records, with the values of its form. */
export const executeActionRoute: Route = {
  method: 'POST',
  path: '/_actions/:collection/:index/:slug',
  answer: async (request) => {
    const { authoriser, model } = request.state;
    const target = await actionTarget(request, (...call) => authoriser.requireTrigger(...call));
    const { values } = parseActionBody(request.body);
    const { name, definition } = target.action;
    const formValues = await checkedValues(model, target, values);
    const context = formContext(target.call, formValues, createReads(), undefined);
    const { builder, headers } = createActionResponse();
    const result = await runActionCode(`The action "${name}"`, async () => definition.execute(context, builder));
    return answerOfAction(result ?? undefined, headers);
  },
};

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
