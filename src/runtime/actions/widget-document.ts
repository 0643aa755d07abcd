/** The editor of a field, as a client knows it. */
export interface WidgetDocument {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

type Properties = Readonly<Record<string, unknown>>;
type Editor = readonly [name: string, parameters: (properties: Properties) => Readonly<Record<string, unknown>>];

const placeholder = ({ placeholder: text }: Properties) => ({ placeholder: text ?? null });
const none = () => ({});
const choices = ({ options }: Properties) => ({ static: { options: options ?? [] } });
const range = ({ min, max, step }: Properties) => ({
  min: numberOrNull(min),
  max: numberOrNull(max),
  step: numberOrNull(step),
});
const listEditing = ({ allowDuplicates, enableReorder }: Properties) => ({
  allowDuplicate: allowDuplicates ?? false,
  enableReorder: enableReorder ?? true,
});

/** Widgets by the name that forms use. The name inside is the client's. */
const editors: Readonly<Record<string, Editor>> = {
  Dropdown: ['dropdown', dropdown],
  RadioGroup: ['radio button', choices],
  CheckboxGroup: ['checkboxes', choices],
  Checkbox: ['boolean editor', none],
  TextInput: ['text editor', placeholder],
  TextInputList: [
    'input array',
    (all) => ({ ...placeholder(all), ...listEditing(all), allowEmptyValue: all['allowEmptyValues'] ?? false }),
  ],
  TextArea: ['text area editor', (all) => ({ ...placeholder(all), rows: rowsOf(all['rows']) })],
  RichText: ['rich text', placeholder],
  NumberInput: ['number input', (all) => ({ ...placeholder(all), ...range(all) })],
  NumberInputList: ['input array', (all) => ({ ...placeholder(all), ...listEditing(all), ...range(all) })],
  CurrencyInput: [
    'price editor',
    (all) => ({
      ...placeholder(all),
      ...range(all),
      currency: currencyOf(all['currency']),
      base: all['base'] === 'Cents' || all['base'] === 'Cent' ? 'Cents' : 'Unit',
    }),
  ],
  ColorPicker: [
    'color editor',
    (all) => ({
      ...placeholder(all),
      enableOpacity: all['enableOpacity'] ?? false,
      quickPalette: listOrNull(all['quickPalette']),
    }),
  ],
  DatePicker: [
    'date editor',
    (all) => ({
      ...placeholder(all),
      format: all['format'] ?? null,
      minDate: dateOrNull(all['min']),
      maxDate: dateOrNull(all['max']),
    }),
  ],
  TimePicker: ['time editor', none],
  UserDropdown: ['assignee editor', placeholder],
  AddressAutocomplete: ['address editor', placeholder],
  JsonEditor: ['json code editor', none],
  FilePicker: [
    'file picker',
    (all) => ({
      prefix: null,
      filesExtensions: listOrNull(all['extensions']),
      filesSizeLimit: numberOrNull(all['maxSizeMb']),
      filesCountLimit: numberOrNull(all['maxCount']),
    }),
  ],
};

/** The editor of a field; `undefined` when the field leaves the choice to the client. */
export function widgetDocument(properties: Properties): WidgetDocument | undefined {
  const [name, parameters] = editors[String(properties['widget'])] ?? [];
  return name === undefined || !parameters ? undefined : { name, parameters: parameters(properties) };
}

function dropdown(properties: Properties) {
  const { search = 'disabled' } = properties;
  return {
    searchType: search === 'dynamic' ? 'dynamic' : null,
    isSearchable: search === 'static' || search === 'dynamic',
    ...placeholder(properties),
    ...choices(properties),
  };
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function listOrNull(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) && value.length > 0 ? value : null;
}

function rowsOf(value: unknown): number | null {
  const rows = numberOrNull(value);
  return rows !== null && Math.round(rows) > 0 ? Math.round(rows) : null;
}

function currencyOf(value: unknown): string | null {
  return typeof value === 'string' ? value.toUpperCase() : null;
}

function dateOrNull(value: unknown): string | null {
  if (typeof value !== 'string' && !(value instanceof Date)) return null;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
