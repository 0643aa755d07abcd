import * as z from 'zod';
import { actionArguments, actionTarget, actOn, readSelection, readValues } from './action-arguments.ts';
import { describeForm, formFieldOutput } from './action-form.ts';
import { defineTool, readingHints } from './tool.ts';
import { writeContext } from './write-arguments.ts';

const input = z.strictObject(actionArguments);

const output = z.object({
  fields: z.array(formFieldOutput),
  canExecute: z.boolean(),
  missingFields: z.array(z.string()),
});

/** The form of an action, with the values that are given so far. */
export const getActionFormTool = defineTool({
  name: 'getActionForm',
  title: 'Form of an action',
  description: 'Fields of an action, and which values are missing. Call it before executeAction.',
  hints: readingHints,
  scope: 'mcp:action',
  input,
  output,
  act: (given) => actOn('read', given),
  run: async (given, call) => {
    const target = actionTarget(call, given);
    const readQuestion = () => ({
      selection: readSelection(target, given),
      sent: new Map(Object.entries(readValues(given))),
    });
    const form = await call.state.actions.form(target, readQuestion, writeContext(call));
    const { fields, ...rest } = describeForm(form);
    return { ...rest, fields: fields.map((field) => ({ ...field })) };
  },
});
