import { CloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { actionId } from '../compile/compile-action.ts';
import type { ActionResult } from '../customizer/action-result.ts';
import { collectionNamed } from '../model/collection-named.ts';
import type { CompiledAction, CompiledCollection, CompiledModel } from '../model/compiled-model.ts';
import { publishedRefusal } from '../model/published-refusal.ts';
import type { Authoriser, CountSelected } from '../permissions/authoriser.ts';
import { approvalInvalid, type SignedApproval, type SignedApprovals } from '../permissions/signed-approvals.ts';
import type { CallContext } from '../records/calls/call-context.ts';
import type { RecordQuery, RecordService } from '../records/request/record-service.ts';
import { createActionCall } from './action-call.ts';
import { runActionCode } from './action-failure.ts';
import { createResultBuilder, resultOf } from './action-result-builder.ts';
import { checkFormValues } from './check-form-values.ts';
import { evaluateForm, type FormInput } from './evaluate-form.ts';
import type { EvaluatedForm } from './evaluated-form.ts';
import { type ActionCall, createReads, formContext } from './form-functions.ts';
import { formValueDecoder } from './form-value-codec.ts';

/** An action of a collection. */
export interface ActionTarget {
  readonly collection: CompiledCollection;
  readonly action: CompiledAction;
}

/** The records that somebody selected for an action, in published names. A Global action has the filters alone. */
export interface ActionSelection extends Omit<RecordQuery, 'projection' | 'sort' | 'page'> {
  /** How many records the selection lists by their ids; `undefined` when it is about all that match. */
  readonly listed: number | undefined;
}

/** A question about the form of an action. The values are as the client sent them: keys packed, files as data URIs. */
export interface FormQuestion extends Omit<FormInput, 'decode'> {
  readonly selection: ActionSelection;
}

/** The input of an action. */
export interface RunInput {
  readonly selection: ActionSelection;
  /** The form values by field id, as the client sent them: keys packed, files as data URIs. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** A signed request to run an action, which the caller approves. */
export interface ActionApproval extends Pick<SignedApproval, 'spend'> {
  /** The person who asked for the approval; `undefined` for a request of the caller's own, which counts as no approval. */
  readonly requesterId: number | undefined;
  /** The collection in the signed request; a request without one is for any. */
  readonly collection: unknown;
  /** The id of the action in the signed request; a request without one is for any. */
  readonly actionId: unknown;
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
  /** The action at an address, `<position>/<slug>` or the slug alone, in any case; `undefined` when there is none. */
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
   * `REQUEST_INVALID` for a selection or a value that the action does not take, `ACTION_APPROVAL_INVALID` for an approval of
   * another action or one that was used before, `ACTION_APPROVAL_UNCONFIRMED` when the platform cannot be asked about that, and
   * `CUSTOMIZATION_FAILED` when its code fails.
   */
  run(
    target: ActionTarget,
    approval: ActionApproval | undefined,
    readInput: () => RunInput,
    context: CallContext,
  ): Promise<ActionOutcome>;
}

export function createActionService(
  model: CompiledModel,
  records: Pick<RecordService, 'contextOf' | 'contextFilter' | 'selectedIds' | 'selectionCounter'>,
  authoriser: Authoriser,
  approvals: SignedApprovals,
): ActionService {
  const decodeOfForm = formValueDecoder(model, 'lenient');
  const decodeOfRun = formValueDecoder(model, 'strict');

  const callOn = async ({ collection, action }: ActionTarget, selection: ActionSelection, context: CallContext) => {
    const { scope } = action.definition;
    if (scope === 'Single' && selection.listed !== 1) {
      throw invalidRequest(`The action "${action.name}" runs on exactly one record.`, 'Select one record.');
    }
    const filter = await records.contextFilter(selection, context);
    const original = collectionNamed(model.original, collection.name);
    const handlerContext = records.contextOf(collection.name, context);
    return createActionCall(model.original, original, handlerContext, filter, scope);
  };

  /** The values that the code of the action gets. An action without a form takes any. */
  const formValuesOf = async ({ name, definition }: CompiledAction, call: ActionCall, { values }: RunInput) => {
    if (definition.form === undefined) return values;
    const sent = new Map(Object.entries(values));
    const form = await evaluateForm(name, definition, call, { sent, decode: decodeOfRun });
    await checkFormValues(form, sent);
    return form.values;
  };

  /** Note which records an action on all that match is run on. */
  const noteSelected = async ({ collection }: ActionTarget, { filter }: ActionCall, context: CallContext) => {
    const note = context.notes?.records;
    const ids = note && (await records.selectedIds(collection.name, filter, context));
    if (note && ids) note(ids);
  };

  return {
    find: (collection, address) => collection.actions.get(address.toLowerCase()),
    named: actionNamed,
    openApproval: (token) => approvals.open(token),

    async form(target, readQuestion, context) {
      const { collection, action } = target;
      await authoriser.requireForm(context.caller, collection.name, action.name);
      const { selection, ...question } = readQuestion();
      const call = await callOn(target, selection, context);
      return evaluateForm(action.name, action.definition, call, { ...question, decode: decodeOfForm });
    },

    async run(target, approval, readInput, context) {
      const { collection, action } = target;
      if (approval) checkIsFor(approval, target);
      const readAndOpen = async () => {
        const input = readInput();
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
      const values = await formValuesOf(action, call, input);
      const actionContext = formContext(call, values, createReads(), undefined);
      const { builder, headers } = createResultBuilder();
      await noteSelected(target, call, context);
      await approval?.spend();
      const returned = await runActionCode(`The action "${action.name}"`, async () =>
        action.definition.execute(actionContext, builder),
      ).catch((error: unknown) => {
        throw publishedRefusal(model, collection.name, error);
      });
      return { result: resultOf(returned), headers };
    },
  };
}

function actionNamed({ name: collection, actions }: CompiledCollection, wanted: string): CompiledAction {
  const all = [...actions.values()];
  const found = all.find(({ name }) => name === wanted);
  if (found) return found;
  const names = all.map(({ name }) => name);
  throw new CloudError({
    code: 'REQUEST_NOT_FOUND',
    message: `The collection "${collection}" has no action "${wanted}".${didYouMean(nearestName(wanted, names))}`,
    nextSteps: [names.length > 0 ? `Use one of its actions: ${names.join(', ')}.` : 'Add it to the customization.'],
  });
}

/** Throws `ACTION_APPROVAL_INVALID` when the signed request is for another action. */
function checkIsFor(approval: ActionApproval, { collection, action }: ActionTarget): void {
  const isFor = (signed: unknown, name: string) => signed === undefined || signed === null || signed === name;
  if (isFor(approval.collection, collection.name) && isFor(approval.actionId, actionId(collection.name, action)))
    return;
  throw approvalInvalid('The signed request is for another action.');
}
