import type { ActionCall } from '#runtime/actions/action-code';
import { evaluateForm } from '#runtime/actions/evaluate-form';
import type { EvaluatedForm, FormInput } from '#runtime/actions/evaluated-form';
import type { SingleActionContext } from '#runtime/customizer/action-definition';
import type { ActionForm, FormElement } from '#runtime/customizer/form-element';
import { refusing } from '#runtime/user-code/refusals';

export type Form = ActionForm<SingleActionContext>;
export type Element = FormElement<SingleActionContext>;

/** A call on one record, whose fields say their own names. */
const actionCall: ActionCall = {
  caller: {} as ActionCall['caller'],
  collection: {} as ActionCall['collection'],
  dataSource: {} as ActionCall['dataSource'],
  inTransaction: async (work) => work(actionCall),
  filter: {},
  getRecords: async (fields) => [Object.fromEntries(fields.map((field) => [field, field]))],
  getRecordIds: async () => [1],
  getCompositeRecordIds: async () => [[1]],
  getRecord: async (fields) => Object.fromEntries(fields.map((field) => [field, field])),
  getRecordId: async () => 1,
  getCompositeRecordId: async () => [1],
  getField: async (field) => field,
  ...refusing,
};

export interface FormRequest extends Omit<Partial<FormInput>, 'sent'> {
  readonly sent?: Readonly<Record<string, unknown>>;
  readonly call?: Partial<ActionCall>;
}

/** Evaluate a form as the action "Refund" of "orders" would. */
export function evaluate(form: Form, { sent = {}, call = {}, ...input }: FormRequest = {}): Promise<EvaluatedForm> {
  const definition = { form };
  return evaluateForm(
    'The form of the action "Refund" of "orders"',
    definition,
    { ...actionCall, ...call },
    {
      sent: new Map(Object.entries(sent)),
      decode: (_field, value) => value,
      ...input,
    },
  );
}
