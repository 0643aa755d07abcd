import type { Dynamic, FormFieldType, FormFieldValues } from './form-value.ts';
import type { FieldWidget } from './form-widget.ts';

interface LayoutBase<Context> {
  readonly type: 'Layout';
  /** Shows the element, with everything in it, only when it gives something truthy. */
  readonly if?: (context: Context) => unknown;
}

/** A line between fields. */
interface Separator<Context> extends LayoutBase<Context> {
  readonly component: 'Separator';
}

/** A text between fields. It is shown as it is: escape what comes from records. */
interface HtmlBlock<Context> extends LayoutBase<Context> {
  readonly component: 'HtmlBlock';
  readonly content: Dynamic<Context, string>;
}

/** Fields side by side. */
interface Row<Context> extends LayoutBase<Context> {
  readonly component: 'Row';
  readonly fields: readonly FormField<Context>[];
}

/** One step of a form; where there is one, everything is in pages. */
interface Page<Context> extends LayoutBase<Context> {
  readonly component: 'Page';
  readonly elements: readonly (FormField<Context> | Separator<Context> | HtmlBlock<Context> | Row<Context>)[];
  readonly nextButtonLabel?: string;
  readonly previousButtonLabel?: string;
}

/** A field or a layout element of an action's form. */
export type FormElement<Context> =
  | FormField<Context>
  | Separator<Context>
  | HtmlBlock<Context>
  | Row<Context>
  | Page<Context>;

/** The elements, or a function that makes them from what has been entered so far. */
export type ActionForm<Context> =
  | readonly FormElement<Context>[]
  | ((context: Context) => readonly FormElement<Context>[] | Promise<readonly FormElement<Context>[]>);

/** A field of a form with its types forgotten, after its shape was checked. */
export interface AnyFormField {
  readonly type: FormFieldType;
  readonly label: string;
  readonly [property: string]: unknown;
}

export interface AnyLayoutElement {
  readonly type: 'Layout';
  readonly component: 'Separator' | 'HtmlBlock' | 'Row' | 'Page';
  readonly [property: string]: unknown;
}

export type AnyFormElement = AnyFormField | AnyLayoutElement;

export function isLayout(element: AnyFormElement): element is AnyLayoutElement {
  return element.type === 'Layout';
}

export function fieldId(field: AnyFormField): string {
  return typeof field['id'] === 'string' ? field['id'] : field.label;
}

/** The elements inside a row or a page. */
export function childrenOf(element: AnyFormElement): readonly AnyFormElement[] {
  if (!isLayout(element)) return [];
  const inner = element.component === 'Row' ? element['fields'] : element['elements'];
  return Array.isArray(inner) ? inner : [];
}

/** The fields of a form in their order, those inside rows and pages too. */
export function fieldsIn(elements: readonly AnyFormElement[]): readonly AnyFormField[] {
  return elements.flatMap((element) => (isLayout(element) ? fieldsIn(childrenOf(element)) : [element]));
}

/** Something that is only known once it is asked for. */
export function isDynamic(value: unknown): value is ((...parameters: unknown[]) => unknown) | PromiseLike<unknown> {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

interface FormFieldBase<Context> {
  readonly label: string;
  /** The key of the field in `formValues`. Default: the label. */
  readonly id?: string;
  readonly description?: Dynamic<Context, string | undefined>;
  readonly isRequired?: Dynamic<Context, boolean>;
  /** A value that a client changes all the same is refused. */
  readonly isReadOnly?: Dynamic<Context, boolean>;
  /** Shows the field only when it gives something truthy. */
  readonly if?: (context: Context) => unknown;
}

interface ValueOf<Context, Value> {
  /** Used where no value was sent. */
  readonly defaultValue?: Dynamic<Context, Value | null | undefined>;
  /** Replaces what the user entered; `undefined` keeps it. Other fields see the result. */
  readonly value?: Dynamic<Context, Value | null | undefined>;
}

/** The members that a field of some types needs besides its label. */
interface FieldDetails<Context> {
  Enum: { readonly enumValues: Dynamic<Context, readonly string[]> };
  EnumList: { readonly enumValues: Dynamic<Context, readonly string[]> };
  /** A record picker; `collectionName` is the collection it picks from. */
  Collection: { readonly collectionName: Dynamic<Context, string> };
}

type DetailsOf<Context, Type extends FormFieldType> = Type extends keyof FieldDetails<Context>
  ? FieldDetails<Context>[Type]
  : unknown;

/** A field of a form: what it may say depends on its `type`, and then on its `widget`. */
export type FormField<Context> = {
  [Type in FormFieldType]: FormFieldBase<Context> &
    ValueOf<Context, FormFieldValues[Type]> &
    DetailsOf<Context, Type> & { readonly type: Type } & FieldWidget<Context, Type>;
}[FormFieldType];
