import type { RecordData } from '../query/record-query.ts';
import type { TypedContext } from './context-on.ts';
import type { ContextFilter, CustomizationContext } from './customization-context.ts';
import type { ActionForm } from './form-element.ts';
import type { AnyFormValues, FormFieldType, FormFieldValues } from './form-value.ts';
import type { RecordOf } from './record-types.ts';
import type { PathOn, PathsOn, ValueAt } from './schema-path.ts';
import type { CollectionName, SchemaShape } from './schema-types.ts';

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
type ActionContextOf<Scope extends ActionScope> = Scope extends 'Single'
  ? SingleActionContext
  : Scope extends 'Bulk'
    ? ActionContext
    : Omit<ActionContext, 'getRecords'>;

type Awaitable<Value> = Value | Promise<Value>;

/**
 * An action of one scope, whose functions take the context of that scope. `Form` is the form as it is written, and
 * `Filled` the context that knows the values of that form.
 */
interface ScopedActionDefinition<Scope extends ActionScope, Context, Form = unknown, Filled = Context> {
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

type Replaced = 'getRecords' | 'getRecord' | 'getField' | 'collection' | 'dataSource' | 'inTransaction' | 'formValues';

/** The context of a Global action that knows its schema. */
interface GlobalContextOn<S extends SchemaShape<S>, C extends CollectionName<S>, Values = AnyFormValues>
  extends Omit<ActionContextOf<'Global'>, Replaced>,
    TypedContext<S, C> {
  readonly formValues: Values;
}

/** The context of a Bulk action that knows the fields of its collection. */
interface BulkContextOn<S extends SchemaShape<S>, C extends CollectionName<S>, Values = AnyFormValues>
  extends Omit<ActionContextOf<'Bulk'>, Replaced>,
    TypedContext<S, C> {
  readonly formValues: Values;
  getRecords<const P extends readonly string[]>(fields: PathsOn<S, C, P>): Promise<RecordOf<S, C, P[number]>[]>;
}

/** The context of a Single action that knows the fields of its collection. */
interface SingleContextOn<S extends SchemaShape<S>, C extends CollectionName<S>, Values = AnyFormValues>
  extends Omit<ActionContextOf<'Single'>, Replaced>,
    TypedContext<S, C> {
  readonly formValues: Values;
  getRecords<const P extends readonly string[]>(fields: PathsOn<S, C, P>): Promise<RecordOf<S, C, P[number]>[]>;
  getRecord<const P extends readonly string[]>(fields: PathsOn<S, C, P>): Promise<RecordOf<S, C, P[number]>>;
  getField<const P extends string>(field: PathOn<S, C, P>): Promise<ValueAt<S, C, P>>;
}

interface ContextsOn<S extends SchemaShape<S>, C extends CollectionName<S>, Values> {
  Single: SingleContextOn<S, C, Values>;
  Bulk: BulkContextOn<S, C, Values>;
  Global: GlobalContextOn<S, C, Values>;
}

/** What `addAction` takes. The scope decides which context the functions get, the form which values `execute` reads. */
export type ActionDefinitionOn<S extends SchemaShape<S>, C extends CollectionName<S>, Form> = {
  [Scope in ActionScope]: ScopedActionDefinition<
    Scope,
    ContextsOn<S, C, AnyFormValues>[Scope],
    Form,
    ContextsOn<S, C, FormValuesOf<Form>>[Scope]
  >;
}[ActionScope];

/**
 * The values of the form `F`, by field id, as `execute` reads them. Where the labels of the form are literals, each has the
 * type of its field; any other form gives values of any type. A field that is hidden or empty has none.
 */
type FormValuesOf<F> = F extends readonly (infer Element)[]
  ? string extends FieldId<FieldsIn<Element>>
    ? AnyFormValues
    : { readonly [Field in FieldsIn<Element> as FieldId<Field>]?: ValueOf<Field> | null }
  : AnyFormValues;

/** The fields among elements, those inside rows and pages too. */
type FieldsIn<Element> = Element extends { readonly type: 'Layout' }
  ? Element extends { readonly elements: readonly (infer Inner)[] } | { readonly fields: readonly (infer Inner)[] }
    ? FieldsIn<Inner>
    : never
  : Element;

type FieldId<Field> = Field extends { readonly id: infer Id extends string }
  ? Id
  : Field extends { readonly label: infer Label extends string }
    ? Label
    : string;

type ValueOf<Field> = Field extends { readonly type: infer Type extends FormFieldType }
  ? FormFieldValues[Type]
  : unknown;

/**
 * The content of a file: text, bytes, or a stream of either (of Node.js, of the web, an async generator). A stream is sent as
 * it comes, as fast as the client takes it.
 */
export type FileContent = string | Uint8Array | AsyncIterable<string | Uint8Array> | WebStream;

/** A `ReadableStream`, whose type depends on which libraries a project compiles with. */
interface WebStream {
  getReader(): { read(): Promise<{ readonly done: boolean; readonly value?: unknown }> };
}

/** How an action ended, as `ResultBuilder` makes it. */
export type ActionResult =
  | {
      readonly type: 'success';
      readonly message: string;
      readonly html?: string;
      readonly invalidated: readonly string[];
    }
  | { readonly type: 'error'; readonly message: string; readonly html?: string }
  | {
      readonly type: 'webhook';
      readonly url: string;
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: unknown;
    }
  | { readonly type: 'file'; readonly content: FileContent; readonly name: string; readonly mimeType: string }
  | { readonly type: 'redirect'; readonly path: string };

/** Builds what an action answers with; `execute` returns the result of one of these. */
export interface ResultBuilder {
  /** @param options `invalidated` names the relations whose records the client should fetch again. */
  success(
    message?: string,
    options?: { readonly html?: string; readonly invalidated?: readonly string[] },
  ): ActionResult;
  error(message?: string, options?: { readonly html?: string }): ActionResult;
  /** The browser of the user makes the call. */
  webhook(url: string, method?: string, headers?: Readonly<Record<string, string>>, body?: unknown): ActionResult;
  /** A download. An action that answers with one says `generateFile: true`. */
  file(content: FileContent, filename?: string, mimeType?: string): ActionResult;
  redirectTo(path: string): ActionResult;
  /** Adds a header to the response, whatever the result. */
  setHeader(name: string, value: string): ResultBuilder;
}
