import * as z from 'zod';
import { approvalCommentSchema } from '#contracts/approvals';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { ActionTarget } from '../../../actions/action-call.ts';
import { recordNotFound } from '../../../model/record-id.ts';
import type { ApprovalStanding } from '../../request/approval-requests.ts';
import { actionAnswer, withoutAddresses } from './action-answer.ts';
import { actionArguments, actionTarget, actOn, readSelection, readValues } from './action-arguments.ts';
import { describeForm, formFieldOutput } from './action-form.ts';
import { confirmationOutput, type Preview } from './preview.ts';
import { readRecordIds, recordIdsArgument } from './record-ids.ts';
import { sampleOf } from './sample-records.ts';
import { defineTool, type Prepared, readingHints, type ToolCall } from './tool.ts';
import {
  confirmationTokenArgument,
  dryRunArgument,
  idempotencyKeyArgument,
  objectArgument,
  writeContext,
} from './write-arguments.ts';

const getActionFormInput = z.strictObject(actionArguments);

const getActionFormOutput = z.object({
  fields: z.array(formFieldOutput),
  canExecute: z.boolean(),
  missingFields: z.array(z.string()),
});

/** The form of an action, with the values that are given so far. */
export const getActionFormTool = defineTool({
  name: 'getActionForm',
  title: 'Form of an action',
  description: 'Fields of an action, and what is missing. Call it before executeAction.',
  hints: readingHints,
  scope: 'mcp:action',
  input: getActionFormInput,
  output: getActionFormOutput,
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
  recordsIn: ({ fields }) => fields.reduce((sum, field) => sum + choicesOf(field), 0),
  nothing: { fields: [], canExecute: false, missingFields: [] },
});

/** What a person may choose from in a field are often records. */
function choicesOf({ allowedValues }: Readonly<Record<string, unknown>>): number {
  return Array.isArray(allowedValues) ? allowedValues.length : 0;
}

const executeActionInput = z.strictObject({
  ...actionArguments,
  // Their descriptions are those of getActionForm.
  recordIds: recordIdsArgument.optional(),
  values: objectArgument.optional(),
  idempotencyKey: idempotencyKeyArgument,
  // Nothing runs. The answers `approval_required` and `approval_requested` say more to a model.
  askForApproval: z
    .union([approvalCommentSchema, z.int()])
    .optional()
    .describe('Why, to ask for an approval; or the id of that request, to see how it stands.'),
  dryRun: dryRunArgument,
  confirmationToken: confirmationTokenArgument,
});

const executeActionOutput = z.looseObject({
  status: z.enum([
    'success',
    'error',
    'webhook',
    'redirect',
    'file',
    'dry_run',
    'confirmation_required',
    'approval_required',
    'approval_requested',
  ]),
  ...confirmationOutput,
});

/** What the server says itself. */
const ownStatuses: ReadonlySet<string> = new Set([
  'dry_run',
  'confirmation_required',
  'approval_required',
  'approval_requested',
]);

type ExecuteActionArguments = z.output<typeof executeActionInput>;
type ExecuteActionAnswer = z.input<typeof executeActionOutput>;

/** Run an action. */
export const executeActionTool = defineTool({
  name: 'executeAction',
  title: 'Run an action',
  description: 'Run an action. A person confirms it first.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  scope: 'mcp:action',
  input: executeActionInput,
  output: executeActionOutput,
  // Who asks for an approval runs nothing.
  act: (given) => actOn(given.askForApproval === undefined ? 'action' : 'read', given),
  tryOut: async (given, call): Promise<ExecuteActionAnswer> => {
    if (typeof given.askForApproval === 'number') return standingOf(given, given.askForApproval, call);
    const checked = await checkRun(given, call);
    return 'answer' in checked ? checked.answer : { status: 'dry_run', count: checked.count };
  },
  prepare: async (given, call): Promise<Prepared<ExecuteActionAnswer>> => {
    if (typeof given.askForApproval === 'number')
      return { answer: await standingOf(given, given.askForApproval, call) };
    const checked = await checkRun(given, call);
    if (given.askForApproval !== undefined) return { preview: await previewOfRequest(given, call) };
    return 'answer' in checked ? checked : { preview: await previewOf(given, checked, call) };
  },
  run: async (given, call): Promise<ExecuteActionAnswer> => {
    const { askForApproval } = given;
    if (typeof askForApproval === 'number') return standingOf(given, askForApproval, call);
    if (askForApproval !== undefined) return requestApproval(given, askForApproval, call);
    const target = actionTarget(call, given);
    const outcome = await call.state.actions.run(target, undefined, readRun(target, given), writeContext(call));
    return { ...actionAnswer(outcome) };
  },
  hasFailed: ({ status }) => status === 'error',
  holdsWordsOfCode: ({ status, message, html, result }) =>
    result !== undefined ||
    (!ownStatuses.has(status) && (status !== 'success' || message !== 'Success' || html !== undefined)),
  withoutAddresses,
});

interface CheckedRun {
  readonly target: ActionTarget;
  readonly count: number;
}

/** Check the right, the records and the values. An action that needs an approval is answered with who may give it. */
async function checkRun(
  given: ExecuteActionArguments,
  call: ToolCall,
): Promise<CheckedRun | { readonly answer: ExecuteActionAnswer }> {
  const target = actionTarget(call, given);
  try {
    const count = await call.state.actions.check(target, readRun(target, given), writeContext(call));
    if (given.recordIds && count < readRecordIds(target.collection, given.recordIds).length) {
      throw recordNotFound(target.collection);
    }
    return { target, count };
  } catch (error) {
    if (!isCloudError(error) || error.code !== 'ACTION_APPROVAL_REQUIRED') throw error;
    return { answer: { status: 'approval_required', message: error.message, ...approversIn(error.details) } };
  }
}

/** A request that is filed for the person. The same one is filed once. */
async function requestApproval(
  given: ExecuteActionArguments,
  comment: string,
  call: ToolCall,
): Promise<ExecuteActionAnswer> {
  const { collectionName: collection, actionName: action } = given;
  const filed = await call.approvals.ask(
    { collection, action, comment, readInput: (target) => readRun(target, given)() },
    { state: call.state, served: call.served, context: writeContext(call) },
  );
  return { status: 'approval_requested', message: messageOf(filed), ...filed };
}

/** How a request of the same program stands. */
async function standingOf(
  { collectionName: collection, actionName: action }: ExecuteActionArguments,
  id: number,
  call: ToolCall,
): Promise<ExecuteActionAnswer> {
  const { state, served } = call;
  const standing = await call.approvals.stateOf(
    id,
    { collection, action },
    { state, served, context: writeContext(call) },
  );
  return { status: 'approval_requested', message: messageOf(standing), ...standing };
}

function messageOf({ id, state, outcome }: ApprovalStanding): string {
  switch (state) {
    case 'asked':
      return `A person has to grant the request. Nothing has run yet. To see later how it stands, call again with "askForApproval": ${id}.`;
    case 'granted': {
      if (outcome === 'succeeded') return 'The request was granted, and the action has run.';
      return outcome === 'failed'
        ? 'The request was granted, and the action has failed.'
        : 'The request was granted. How the action ended is not known.';
    }
    case 'refused':
      return 'The request was refused. Nothing has run.';
    case 'withdrawn':
      return 'The request was withdrawn. Nothing has run.';
    case 'lapsed':
      return 'Nobody has answered the request in time. Nothing has run.';
  }
}

async function previewOfRequest(given: ExecuteActionArguments, call: ToolCall): Promise<Preview> {
  const target = actionTarget(call, given);
  const count = given.recordIds?.length ?? 0;
  const { message, ...rest } = await previewOf(given, { target, count }, call);
  return { ...rest, message: `Ask for an approval: ${message}` };
}

function readRun(target: ActionTarget, given: ExecuteActionArguments) {
  return () => ({ selection: readSelection(target, given), values: readValues(given) });
}

async function previewOf(
  { recordIds }: ExecuteActionArguments,
  { target, count }: CheckedRun,
  call: ToolCall,
): Promise<Preview> {
  const { collection, action } = target;
  const run = `Run the action "${action.name}" of "${collection.name}"`;
  if (!recordIds) return { message: `${run}.`, count, sample: [] };
  const keys = readRecordIds(collection, recordIds);
  const sample = await sampleOf(call, collection, { keys }, writeContext(call));
  return { message: `${run} on ${count} ${count === 1 ? 'record' : 'records'}.`, count, sample };
}

/** By number and by name, as far as the error has them. */
function approversIn(details: Readonly<Record<string, unknown>>): Readonly<Record<string, readonly unknown[]>> {
  const names = ['roleIdsAllowedToApprove', 'rolesAllowedToApprove'];
  return Object.fromEntries(names.flatMap((name) => (Array.isArray(details[name]) ? [[name, details[name]]] : [])));
}
