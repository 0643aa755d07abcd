import { actionId } from '../compile/compile-action.ts';
import type { CompiledAction } from '../model/compiled-model.ts';
import type { Authoriser, CountSelected } from '../permissions/authoriser.ts';
import { approvalInvalid } from '../permissions/signed-approvals.ts';
import type { CallContext } from '../records/calls/call-context.ts';
import type { RecordService } from '../records/request/record-service.ts';
import type { ActionApproval, ActionSelection, ActionTarget, RunInput } from './action-order.ts';
import { checkFormValues } from './check-form-values.ts';
import { evaluateForm, type FormInput } from './evaluate-form.ts';
import type { ActionCall } from './form-functions.ts';

/** The parts that preparing a run needs. */
export interface RunServices {
  readonly authoriser: Authoriser;
  readonly records: Pick<RecordService, 'selectionCounter'>;
  /** Opens a selection for the code of the action. */
  callOn(target: ActionTarget, selection: ActionSelection, context: CallContext): Promise<ActionCall>;
  readonly decode: FormInput['decode'];
}

/** A run that somebody asks for. */
export interface AskedRun {
  readonly target: ActionTarget;
  readonly approval: ActionApproval | undefined;
  readInput(): RunInput;
  readonly context: CallContext;
}

/** All that the code of the action gets. */
export interface PreparedRun {
  readonly input: RunInput;
  readonly call: ActionCall;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Everything before an action runs: ask for the right, then read and check the selection and the values. */
export async function prepareRun(services: RunServices, asked: AskedRun): Promise<PreparedRun> {
  const { authoriser, records, callOn, decode } = services;
  const { target, approval, context } = asked;
  const { collection, action } = target;
  if (approval) checkIsFor(approval, target);
  const readAndOpen = async () => {
    const input = asked.readInput();
    return { input, call: await callOn(target, input.selection, context) };
  };
  let opening: ReturnType<typeof readAndOpen> | undefined;
  const open = () => {
    opening ??= readAndOpen();
    return opening;
  };
  let counter: CountSelected | undefined;
  await authoriser.requireActionRun(context.caller, {
    collection: collection.name,
    action: action.name,
    requesterId: approval?.requesterId,
    count: async (condition) => {
      const { selection } = (await open()).input;
      counter ??= records.selectionCounter(selection, context);
      return counter(condition);
    },
  });
  const { input, call } = await open();
  return { input, call, values: await formValuesOf(action, call, input, decode) };
}

/** The values that the code of the action gets. An action without a form takes any. */
async function formValuesOf(
  { name, definition }: CompiledAction,
  call: ActionCall,
  { values }: RunInput,
  decode: FormInput['decode'],
): Promise<Readonly<Record<string, unknown>>> {
  if (definition.form === undefined) return values;
  const sent = new Map(Object.entries(values));
  const form = await evaluateForm(name, definition, call, { sent, decode });
  await checkFormValues(form, sent);
  return form.values;
}

/** Throws `ACTION_APPROVAL_INVALID` when the signed request is for another action. */
function checkIsFor(approval: ActionApproval, { collection, action }: ActionTarget): void {
  const isFor = (signed: unknown, name: string) => signed === undefined || signed === null || signed === name;
  if (isFor(approval.collection, collection.name) && isFor(approval.actionId, actionId(collection.name, action)))
    return;
  throw approvalInvalid('The signed request is for another action.');
}
