import type { Dynamic, FormFieldType, FormFieldValues } from './form-value.ts';
import type { FieldWidget } from './form-widget.ts';

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
