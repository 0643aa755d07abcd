import type { FormField } from './form-field.ts';
import type { Dynamic } from './form-value.ts';

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
