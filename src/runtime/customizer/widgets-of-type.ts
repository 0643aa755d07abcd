import type { FormFieldType } from './form-value.ts';
import type { FieldWidget } from './form-widget.ts';

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
