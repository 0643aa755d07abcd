import type { RecordData } from '../query/record-query.ts';
import type { ActionResult, ResultBuilder } from './action-result.ts';
import type { ContextFilter, CustomizationContext } from './customization-context.ts';
import type { ActionForm } from './form-element.ts';
import type { AnyFormValues } from './form-value.ts';

export type { ActionResult, FileContent, ResultBuilder } from './action-result.ts';

/** What an action is about: one record, a selection of records, or the whole collection. */
export type ActionScope = 'Single' | 'Bulk' | 'Global';

/** The context of an action and of the functions of its form. */
export interface ActionContext extends CustomizationContext {
  /** The selected records; of a Global action, what the view of the user was restricted to. */
  readonly filter: ContextFilter;
  /**
   * The values that the user entered, by field id, with defaults and computed values. Hidden fields are left out.
   * Read-only.
   */
  readonly formValues: AnyFormValues;
  /** The selected records with `fields`; empty for a Global action. Calls of the same moment share one query. */
  getRecords(fields: readonly string[]): Promise<RecordData[]>;
  /** The keys of the selected records: one value each, or the packed form (`a|b`) where the key is composite. */
  getRecordIds(): Promise<(string | number)[]>;
  /** The keys of the selected records, one value for each key column. */
  getCompositeRecordIds(): Promise<(string | number)[][]>;
  /** Whether the form is evaluated because this field was edited; never while the action is executed. */
  hasFieldChanged(fieldId: string): boolean;
}

/** The context of an action on one record. */
export interface SingleActionContext extends ActionContext {
  /** Throws `REQUEST_INVALID` when there is no such record, or the caller may not see it. So do the other three. */
  getRecord(fields: readonly string[]): Promise<RecordData>;
  getRecordId(): Promise<string | number>;
  getCompositeRecordId(): Promise<(string | number)[]>;
  /** The value of one field, or of a path `relation:field`. */
  getField(field: string): Promise<unknown>;
}

/** The context that belongs to a scope. A Global action has no records. */
export type ActionContextOf<Scope extends ActionScope> = Scope extends 'Single'
  ? SingleActionContext
  : Scope extends 'Bulk'
    ? ActionContext
    : Omit<ActionContext, 'getRecords'>;

type Awaitable<Value> = Value | Promise<Value>;

/**
 * An action of one scope, whose functions take the context of that scope. `Form` is the form as it is written, and
 * `Filled` the context that knows the values of that form.
 */
export interface ScopedActionDefinition<Scope extends ActionScope, Context, Form = unknown, Filled = Context> {
  readonly scope: Scope;
  /** The form that the user fills in before the action runs. */
  readonly form?: ActionForm<Context> & Form;
  readonly description?: string;
  /** The action answers with a file. */
  readonly generateFile?: boolean;
  /** At most 50 characters. */
  readonly submitButtonLabel?: string;
  execute(context: Filled, resultBuilder: ResultBuilder): Awaitable<ActionResult | undefined> | Awaitable<void>;
}

/** An action of a collection: its scope, its form, and what it does. */
export type ActionDefinition = {
  [Scope in ActionScope]: ScopedActionDefinition<Scope, ActionContextOf<Scope>>;
}[ActionScope];

/** An action definition with its types forgotten, as the compiler takes it. */
export type AnyActionDefinition = ScopedActionDefinition<ActionScope, SingleActionContext>;
