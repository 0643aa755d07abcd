import type { Dynamic, FormFieldType } from './form-value.ts';

/** A choice of a dropdown or a group: a value that stands for itself, or one with a label. */
type FormOption<Value> = Value | { readonly value: Value; readonly label: string };

interface Placeholder<Context> {
  readonly placeholder?: Dynamic<Context, string | undefined>;
}

interface Range<Context> {
  readonly min?: Dynamic<Context, number | undefined>;
  readonly max?: Dynamic<Context, number | undefined>;
  readonly step?: Dynamic<Context, number | undefined>;
}

interface ListEditing<Context> {
  readonly allowDuplicates?: Dynamic<Context, boolean>;
  readonly enableReorder?: Dynamic<Context, boolean>;
}

interface Choice<Context, Value> {
  readonly options: Dynamic<Context, readonly FormOption<Value>[]>;
}

interface DropdownBase<Context> extends Placeholder<Context> {
  readonly widget: 'Dropdown';
}

/** A dropdown whose options are all known, or one that asks for them with what the user types. */
type Dropdown<Context, Value> = DropdownBase<Context> &
  (
    | (Choice<Context, Value> & { readonly search?: 'static' | 'disabled' })
    | {
        readonly search: 'dynamic';
        /** Called with the text typed so far; `undefined` when the form opens. */
        readonly options: (
          context: Context,
          searchValue: string | undefined,
        ) => readonly FormOption<Value>[] | Promise<readonly FormOption<Value>[]>;
      }
  );

type RadioGroup<Context, Value> = Choice<Context, Value> & { readonly widget: 'RadioGroup' };
type CheckboxGroup<Context, Value> = Choice<Context, Value> & { readonly widget: 'CheckboxGroup' };

interface NumberEditor<Context> extends Placeholder<Context>, Range<Context> {
  readonly widget: 'NumberInput';
}

/** The units of the number in a currency field. */
export const currencyBases = ['Unit', 'Cents', 'Cent'] as const;
type CurrencyBase = (typeof currencyBases)[number];

interface CurrencyEditor<Context> extends Placeholder<Context>, Range<Context> {
  readonly widget: 'CurrencyInput';
  /** Three letters, such as `EUR`. */
  readonly currency: Dynamic<Context, string>;
  /** The unit of the number, default `Unit`. `Cent` is another spelling of `Cents`. */
  readonly base?: Dynamic<Context, CurrencyBase>;
}

interface TextAreaEditor<Context> extends Placeholder<Context> {
  readonly widget: 'TextArea';
  readonly rows?: Dynamic<Context, number | undefined>;
}

interface ColorEditor<Context> extends Placeholder<Context> {
  readonly widget: 'ColorPicker';
  readonly enableOpacity?: Dynamic<Context, boolean>;
  readonly quickPalette?: Dynamic<Context, readonly string[] | undefined>;
}

interface DateEditor<Context> extends Placeholder<Context> {
  readonly widget: 'DatePicker';
  readonly format?: Dynamic<Context, string | undefined>;
  readonly min?: Dynamic<Context, Date | string | undefined>;
  readonly max?: Dynamic<Context, Date | string | undefined>;
}

interface FileEditor<Context> {
  readonly widget: 'FilePicker';
  readonly extensions?: Dynamic<Context, readonly string[] | undefined>;
  readonly maxSizeMb?: Dynamic<Context, number | undefined>;
}

interface FilesEditor<Context> extends FileEditor<Context> {
  readonly maxCount?: Dynamic<Context, number | undefined>;
}

type Simple<Context, Name extends string> = Placeholder<Context> & { readonly widget: Name };
type Bare<Name extends string> = { readonly widget: Name };

interface TextListEditor<Context> extends Placeholder<Context>, ListEditing<Context> {
  readonly widget: 'TextInputList';
  readonly allowEmptyValues?: Dynamic<Context, boolean>;
}

interface NumberListEditor<Context> extends Placeholder<Context>, ListEditing<Context>, Range<Context> {
  readonly widget: 'NumberInputList';
}

/** The widgets that fit each type. Enum, EnumList and Collection have one of their own and take no other. */
interface WidgetsByType<Context> {
  Boolean: Bare<'Checkbox'>;
  Collection: never;
  Date: DateEditor<Context> | Dropdown<Context, string> | RadioGroup<Context, string>;
  Dateonly: DateEditor<Context> | Dropdown<Context, string> | RadioGroup<Context, string>;
  Enum: never;
  EnumList: never;
  File: FileEditor<Context>;
  FileList: FilesEditor<Context>;
  Json: Bare<'JsonEditor'>;
  Number: NumberEditor<Context> | CurrencyEditor<Context> | Dropdown<Context, number> | RadioGroup<Context, number>;
  NumberList: NumberListEditor<Context> | Dropdown<Context, number> | CheckboxGroup<Context, number>;
  String:
    | Dropdown<Context, string>
    | RadioGroup<Context, string>
    | TextAreaEditor<Context>
    | ColorEditor<Context>
    | Simple<Context, 'TextInput' | 'RichText' | 'UserDropdown' | 'AddressAutocomplete'>;
  StringList:
    | TextListEditor<Context>
    | Dropdown<Context, string>
    | CheckboxGroup<Context, string>
    | Simple<Context, 'UserDropdown'>;
  Time: Bare<'TimePicker'> | Dropdown<Context, string> | RadioGroup<Context, string>;
}

/** A widget that fits the type, or none: then the client takes its usual one. */
export type FieldWidget<Context, Type extends FormFieldType> =
  | WidgetsByType<Context>[Type]
  | { readonly widget?: never };

type WidgetName<Type extends FormFieldType> = NonNullable<FieldWidget<unknown, Type>['widget']>;

/** The names of the widgets that fit each type of field. */
export const widgetsOfType: { readonly [Type in FormFieldType]: readonly WidgetName<Type>[] } = {
  Boolean: ['Checkbox'],
  Collection: [],
  Date: ['DatePicker', 'Dropdown', 'RadioGroup'],
  Dateonly: ['DatePicker', 'Dropdown', 'RadioGroup'],
  Enum: [],
  EnumList: [],
  File: ['FilePicker'],
  FileList: ['FilePicker'],
  Json: ['JsonEditor'],
  Number: ['NumberInput', 'CurrencyInput', 'Dropdown', 'RadioGroup'],
  NumberList: ['NumberInputList', 'Dropdown', 'CheckboxGroup'],
  String: [
    'TextInput',
    'TextArea',
    'RichText',
    'ColorPicker',
    'Dropdown',
    'RadioGroup',
    'UserDropdown',
    'AddressAutocomplete',
  ],
  StringList: ['TextInputList', 'Dropdown', 'CheckboxGroup', 'UserDropdown'],
  Time: ['TimePicker', 'Dropdown', 'RadioGroup'],
};

/** The widgets that show options to choose from. */
export const choiceWidgets: ReadonlySet<unknown> = new Set(['Dropdown', 'RadioGroup', 'CheckboxGroup']);
