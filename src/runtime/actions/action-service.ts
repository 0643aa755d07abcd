import { cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { actionId } from '../compile/compile-action.ts';
import type { ActionResult } from '../customizer/action-definition.ts';
import {
  type CompiledAction,
  type CompiledCollection,
  type CompiledModel,
  collectionNamed,
} from '../model/compiled-model.ts';
import { publishedRefusal } from '../model/published-refusal.ts';
import { mayShareIds, packedKey, recordAmbiguous } from '../model/record-id.ts';
import type { ActionRun, Authoriser, CountSelected, RightOnRecords } from '../permissions/authoriser.ts';
import { approvalInvalid, type SignedApproval, type SignedApprovals } from '../permissions/signed-approvals.ts';
import type { CallContext } from '../records/calls/call-context.ts';
import type { RecordService } from '../records/request/record-service.ts';
import {
  type ActionApproval,
  type ActionSelection,
  type ActionTarget,
  createActionCall,
  type RunInput,
} from './action-call.ts';
import {
  type ActionCall,
  createReads,
  createResultBuilder,
  formContext,
  resultOf,
  runActionCode,
} from './action-code.ts';
import {
  approvalNotNeeded,
  needsApproval,
  outdatedBy,
  type RequestedRun,
  recordsUnseen,
  requireUnchanged,
  selectionOf,
  shownRecords,
} from './approval-request.ts';
import { checkFormValues, staticFormFiller } from './check-form-values.ts';
import { evaluateForm, strayDefaults } from './evaluate-form.ts';
import type { EvaluatedForm, FormInput } from './evaluated-form.ts';
import { formValueDecoder } from './form-value-codec.ts';

/** A question about the form of an action. The values are as the client sent them: keys packed, files as data URIs. */
export interface FormQuestion extends Omit<FormInput, 'decode'> {
  readonly selection: ActionSelection;
}

/** The answer of an action. No result counts as success. */
export interface ActionOutcome {
  readonly result: ActionResult | undefined;
  /** Headers for the answer, by name in small letters. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Forms and runs of actions, for every surface. A method asks for the right first, then reads its input, then acts: the
 * errors of an input tell what a collection looks like.
 */
export interface ActionService {
  /** The action at an address, `<position>/<slug>` or the slug only, in any case; `undefined` when there is none. */
  find(collection: CompiledCollection, address: string): CompiledAction | undefined;
  /** The action of that name, for a surface that knows no addresses. Throws `REQUEST_NOT_FOUND`. */
  named(collection: CompiledCollection, name: string): CompiledAction;
  /**
   * The form of an action as it is now. Right: to trigger the action on some records (`REQUEST_FORBIDDEN`), and to read where
   * the paths of the selection end.
   */
  form(target: ActionTarget, readQuestion: () => FormQuestion, context: CallContext): Promise<EvaluatedForm>;
  /** Rejects with `ACTION_APPROVAL_EXPIRED` or `ACTION_APPROVAL_INVALID`. */
  openApproval(token: unknown): Promise<SignedApproval>;
  /**
   * Run an action. Right: to trigger it on these records without an approval, or to approve it on these records
   * (`ACTION_TRIGGER_FORBIDDEN`, `ACTION_APPROVAL_…`), and to read where the paths of the selection end. Rejects with
   * `REQUEST_INVALID` for a selection or a value that the action does not take, and with `CUSTOMIZATION_FAILED` when its code
   * fails. `ACTION_APPROVAL_INVALID` is for an approval of another action or one that was used before.
   * `ACTION_APPROVAL_UNCONFIRMED` means that the platform cannot be asked about that.
   */
  run(
    target: ActionTarget,
    approval: ActionApproval | undefined,
    readInput: () => RunInput,
    context: CallContext,
  ): Promise<ActionOutcome>;
  /**
   * How many records `run` would run the action on; 0 for a Global one. Asks for the same right, and checks the same input, so it
   * rejects with what `run` rejects with before the action runs. The form is evaluated, and the action does not run.
   */
  check(target: ActionTarget, readInput: () => RunInput, context: CallContext): Promise<number>;
  /**
   * What somebody asks an approval for, the records as they see them. Right: to trigger the action on these records, with an approval.
   * Checks what `run` checks. Rejects with `REQUEST_CONFLICT` where no approval is needed.
   */
  request(target: ActionTarget, readInput: () => RunInput, context: CallContext): Promise<RequestedRun>;
  /**
   * Look again whether somebody may still run with an approval what they have asked for, and whether the records are what they were.
   * Rejects with `ACTION_APPROVAL_OUTDATED`.
   *
   * @param context of who asked.
   * @param reader The collection as whoever learns about it sees it.
   * @returns runs the action.
   */
  prepareRequested(
    target: ActionTarget,
    requested: RequestedRun,
    context: CallContext,
    reader: CompiledCollection,
  ): Promise<RunRequested>;
  /**
   * Throws unless the caller may approve the action for somebody, and may read each of the records: `ACTION_APPROVAL_NOT_ALLOWED`, or
   * `REQUEST_FORBIDDEN`.
   */
  requireApprover(target: ActionTarget, by: ApproverQuestion, context: CallContext): Promise<void>;
}

/** Runs what was asked for. */
export type RunRequested = (notes: CallContext['notes']) => Promise<ActionOutcome>;

/** The person that somebody approves an action for, and the records that it runs on. */
interface ApproverQuestion extends Pick<RequestedRun, 'recordIds'> {
  readonly requesterId: number;
}

type ActionRecords = Pick<RecordService, 'contextOf' | 'contextFilter' | 'selectedIds' | 'selectionCounter' | 'list'>;

export function createActionService(
  model: CompiledModel,
  records: ActionRecords,
  authoriser: Authoriser,
  approvals: SignedApprovals,
  warn: (message: string) => void = () => undefined,
): ActionService {
  const decodeOfForm = formValueDecoder(model, 'lenient');
  const services: RunServices = {
    ...{ model, records, authoriser, decode: formValueDecoder(model, 'strict') },
    callOn: callOpener(model, records),
  };

  const ready = (
    target: ActionTarget,
    approval: ActionApproval | undefined,
    readInput: () => RunInput,
    context: CallContext,
  ) => {
    const permit: Permit = (run) =>
      authoriser.requireActionRun(context.caller, { ...run, requesterId: approval?.requesterId });
    if (approval) checkIsFor(approval, target);
    const right = rightTo(approval ? 'approve' : 'trigger', target);
    return prepareRun(services, { target, right, permit, readInput, context });
  };

  return {
    find: (collection, address) => collection.actions.get(address.toLowerCase()),
    named: actionNamed,
    openApproval: (token) => approvals.open(token),

    async form(target, readQuestion, context) {
      const { collection, action } = target;
      await authoriser.requireForm(context.caller, collection.name, action.name);
      const { selection, ...question } = readQuestion();
      const call = await services.callOn(target, selection, rightTo('trigger', target), context);
      const form = await evaluateForm(formOf(target), action.definition, call, { ...question, decode: decodeOfForm });
      for (const problem of strayDefaults(form, question.sent)) warn(`${formOf(target)}: ${problem}`);
      return form;
    },

    async check(target, readInput, context) {
      const { input } = await ready(target, undefined, readInput, context);
      if (target.action.definition.scope === 'Global') return 0;
      return records.selectionCounter(input.selection, rightTo('trigger', target), context)(undefined);
    },

    async run(target, approval, readInput, context) {
      const prepared = await ready(target, approval, readInput, context);
      await noteSelected(services, target, prepared, context);
      await approval?.spend();
      return execute(services, target, prepared);
    },

    ...requestsOf(services),
  };
}

/** What is done about runs that need the approval of somebody else. */
function requestsOf(services: RunServices): Pick<ActionService, 'request' | 'prepareRequested' | 'requireApprover'> {
  const { records, authoriser } = services;

  /** Ready to run with an approval, and whether one is needed. */
  const ready = async (target: ActionTarget, readInput: () => RunInput, context: CallContext) => {
    const { caller } = context;
    // A program needs the right itself, whatever its person may.
    await authoriser.requireForm(caller, target.collection.name, target.action.name);
    let isNeeded = false;
    const permit: Permit = async (run) => {
      isNeeded = await needsApproval(authoriser.requireActionRun(caller, run));
    };
    const right = rightTo('trigger', target);
    const prepared = await prepareRun(services, { target, right, permit, readInput, context });
    return { ...prepared, isNeeded };
  };

  return {
    async request(target, readInput, context) {
      const { input, isNeeded } = await ready(target, readInput, context);
      if (!isNeeded) throw approvalNotNeeded(nameOf(target));
      const shown = await shownRecords(records, target, input.selection, context);
      return { recordIds: shown.map(({ id }) => id), shown, values: input.values };
    },

    async prepareRequested(target, requested, context, reader) {
      const readInput = () => ({ selection: selectionOf(target, requested.recordIds), values: requested.values });
      const prepared = await ready(target, readInput, context).catch((error: unknown) => {
        throw outdatedBy(error);
      });
      await requireUnchanged(records, target, requested, context, reader);
      return async (notes) => {
        await noteSelected(services, target, prepared, { ...context, notes });
        return execute(services, target, prepared);
      };
    },

    async requireApprover(target, { recordIds, requesterId }, context) {
      const { collection, action } = target;
      const selection = selectionOf(target, recordIds);
      const count = records.selectionCounter(selection, rightTo('approve', target), context);
      await authoriser.requireActionRun(context.caller, {
        ...{ collection: collection.name, action: action.name, requesterId, count },
      });
      await authoriser.require(context.caller, collection.name, 'read');
      if (recordIds.length === 0) return;
      const read = records.selectionCounter(selection, 'read', context);
      const seen = Math.min(await count(undefined), await read(undefined));
      if (seen < recordIds.length) throw recordsUnseen(nameOf(target));
    },
  };
}

/** Opens selections for the code of actions. */
function callOpener(model: CompiledModel, records: ActionRecords): RunServices['callOn'] {
  return async ({ collection, action }, selection, right, context) => {
    const { scope } = action.definition;
    if (scope === 'Single' && selection.listed !== 1) {
      throw invalidRequest(`The action "${action.name}" runs on exactly one record.`, 'Select one record.');
    }
    const filter = await records.contextFilter(selection, right, context);
    const { keys = [] } = selection;
    if (keys.length > 0 && mayShareIds(collection)) {
      const found = await records.selectionCounter(selection, right, context)(undefined);
      if (found > new Set(keys.map(packedKey)).size) throw recordAmbiguous(collection);
    }
    const original = collectionNamed(model.original, collection.name);
    const handlerContext = records.contextOf(collection.name, context);
    return createActionCall(model.original, original, handlerContext, filter, scope);
  };
}

/** Note which records an action on all that match is run on. */
async function noteSelected(
  { records }: RunServices,
  { collection }: ActionTarget,
  { call: { filter } }: PreparedRun,
  context: CallContext,
): Promise<void> {
  const note = context.notes?.records;
  const ids = note && (await records.selectedIds(collection.name, filter, context));
  if (note && ids) note(ids);
}

async function execute(
  { model }: RunServices,
  target: ActionTarget,
  { call, values }: PreparedRun,
): Promise<ActionOutcome> {
  const actionContext = formContext(call, values, createReads(), undefined);
  const { builder, headers } = createResultBuilder();
  const returned = await runActionCode(`The ${nameOf(target)}`, async () =>
    target.action.definition.execute(actionContext, builder),
  ).catch((error: unknown) => {
    throw publishedRefusal(model, target.collection.name, error);
  });
  return { result: resultOf(returned), headers };
}

/** As sentences about its code name an action. */
function nameOf({ collection, action }: ActionTarget): string {
  return `action "${action.name}" of "${collection.name}"`;
}

/** The right by which somebody reaches the records of a run. */
function rightTo(what: 'trigger' | 'approve', { action }: ActionTarget): RightOnRecords {
  return `${what}:${action.name}`;
}

function formOf(target: ActionTarget): string {
  return `The form of the ${nameOf(target)}`;
}

function actionNamed({ name: collection, actions }: CompiledCollection, wanted: string): CompiledAction {
  const all = [...actions.values()];
  const found = all.find(({ name }) => name === wanted);
  if (found) return found;
  const names = all.map(({ name }) => name);
  throw cloudError(
    'REQUEST_NOT_FOUND',
    `The collection "${collection}" has no action "${wanted}".${didYouMean(nearestName(wanted, names))}`,
    names.length > 0 ? `Use one of its actions: ${names.join(', ')}.` : 'Add it to the customization.',
  );
}

/** The parts that preparing a run needs. */
interface RunServices {
  readonly model: CompiledModel;
  readonly records: ActionRecords;
  readonly authoriser: Authoriser;
  /** Opens a selection for the code of the action. */
  callOn(
    target: ActionTarget,
    selection: ActionSelection,
    right: RightOnRecords,
    context: CallContext,
  ): Promise<ActionCall>;
  readonly decode: FormInput['decode'];
}

/** Throws unless the run is allowed. */
type Permit = (run: ActionRun) => Promise<void>;

/** A run that somebody asks for. */
interface AskedRun {
  readonly target: ActionTarget;
  /** By which the records are reached. */
  readonly right: RightOnRecords;
  readonly permit: Permit;
  readInput(): RunInput;
  readonly context: CallContext;
}

/** All that the code of the action gets. */
interface PreparedRun {
  readonly input: RunInput;
  readonly call: ActionCall;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Everything before an action runs: ask for the right, then read and check the selection and the values. */
async function prepareRun(services: RunServices, asked: AskedRun): Promise<PreparedRun> {
  const { records, callOn, decode } = services;
  const { target, right, context } = asked;
  const { collection, action } = target;
  const readAndOpen = async () => {
    const input = asked.readInput();
    return { input, call: await callOn(target, input.selection, right, context) };
  };
  let opening: ReturnType<typeof readAndOpen> | undefined;
  const open = () => {
    opening ??= readAndOpen();
    return opening;
  };
  let counter: CountSelected | undefined;
  await asked.permit({
    collection: collection.name,
    action: action.name,
    count: async (condition) => {
      const { selection } = (await open()).input;
      counter ??= records.selectionCounter(selection, right, context);
      return counter(condition);
    },
  });
  const { input, call } = await open();
  return { input, call, values: await formValuesOf(target, call, input, decode) };
}

/** The values that the code of the action gets. An action without a form takes any. */
async function formValuesOf(
  target: ActionTarget,
  call: ActionCall,
  { values }: RunInput,
  decode: FormInput['decode'],
): Promise<Readonly<Record<string, unknown>>> {
  const { definition } = target.action;
  if (definition.form === undefined) return values;
  const sent = new Map(Object.entries(values));
  const fill = staticFormFiller(definition.form);
  const form = fill?.({ sent, decode }) ?? (await evaluateForm(formOf(target), definition, call, { sent, decode }));
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
