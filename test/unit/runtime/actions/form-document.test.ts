import { describe, expect, it } from 'vitest';
import { formDocument } from '#runtime/actions/form-document';
import type { ModelView } from '#runtime/model/compiled-model';
import { type Element, evaluate, type Form, type FormRequest } from '../../../helpers/evaluated-form.ts';

const model: ModelView = { collections: new Map() };

async function documentOf(form: Form, request?: FormRequest) {
  return formDocument(model, await evaluate(form, request), 'value');
}

async function widgetOf(field: object) {
  const { fields } = await documentOf([{ label: 'f', ...field } as Element]);
  return fields[0]?.['widgetEdit'];
}

const range = { min: null, max: null, step: null };
const list = { allowDuplicate: false, enableReorder: true };

describe('a widget as the client knows it', () => {
  it.each<[object, string, object]>([
    [{ type: 'Boolean', widget: 'Checkbox' }, 'boolean editor', {}],
    [{ type: 'String', widget: 'TextInput', placeholder: () => 'p' }, 'text editor', { placeholder: 'p' }],
    [{ type: 'String', widget: 'TextArea', rows: 2.6 }, 'text area editor', { placeholder: null, rows: 3 }],
    [{ type: 'String', widget: 'TextArea', rows: 0 }, 'text area editor', { placeholder: null, rows: null }],
    [{ type: 'String', widget: 'RichText' }, 'rich text', { placeholder: null }],
    [
      { type: 'Number', widget: 'NumberInput', min: 0, max: '9' },
      'number input',
      { placeholder: null, ...range, min: 0 },
    ],
    [
      { type: 'Number', widget: 'CurrencyInput', currency: 'eur', base: async () => 'Cents' },
      'price editor',
      { placeholder: null, ...range, currency: 'EUR', base: 'Cents' },
    ],
    [
      { type: 'Number', widget: 'CurrencyInput' } as Element,
      'price editor',
      { placeholder: null, ...range, currency: null, base: 'Unit' },
    ],
    [
      { type: 'Number', widget: 'CurrencyInput', currency: 'EUR', base: 'Cent' },
      'price editor',
      { placeholder: null, ...range, currency: 'EUR', base: 'Cents' },
    ],
    [
      { type: 'String', widget: 'ColorPicker', quickPalette: [] },
      'color editor',
      { placeholder: null, enableOpacity: false, quickPalette: null },
    ],
    [
      { type: 'Date', widget: 'DatePicker', min: new Date(0), max: 'soon' },
      'date editor',
      { placeholder: null, format: null, minDate: '1970-01-01T00:00:00.000Z', maxDate: null },
    ],
    [{ type: 'Time', widget: 'TimePicker' }, 'time editor', {}],
    [{ type: 'String', widget: 'UserDropdown' }, 'assignee editor', { placeholder: null }],
    [{ type: 'String', widget: 'AddressAutocomplete' }, 'address editor', { placeholder: null }],
    [{ type: 'Json', widget: 'JsonEditor' }, 'json code editor', {}],
    [
      { type: 'FileList', widget: 'FilePicker', extensions: ['pdf'], maxCount: 2 },
      'file picker',
      { prefix: null, filesExtensions: ['pdf'], filesSizeLimit: null, filesCountLimit: 2 },
    ],
    [
      { type: 'StringList', widget: 'TextInputList', enableReorder: false },
      'input array',
      { placeholder: null, ...list, enableReorder: false, allowEmptyValue: false },
    ],
    [{ type: 'NumberList', widget: 'NumberInputList' }, 'input array', { placeholder: null, ...list, ...range }],
    [{ type: 'StringList', widget: 'CheckboxGroup', options: ['a'] }, 'checkboxes', { static: { options: ['a'] } }],
    [
      { type: 'Number', widget: 'RadioGroup', options: async () => [{ value: 1, label: 'one' }] },
      'radio button',
      { static: { options: [{ value: 1, label: 'one' }] } },
    ],
    [
      { type: 'String', widget: 'Dropdown', options: ['a'] },
      'dropdown',
      { searchType: null, isSearchable: false, placeholder: null, static: { options: ['a'] } },
    ],
    [
      { type: 'String', widget: 'Dropdown', options: ['a'], search: 'static' },
      'dropdown',
      { searchType: null, isSearchable: true, placeholder: null, static: { options: ['a'] } },
    ],
  ])('follows from the field: %j has "%s"', async (field, name, parameters) => {
    expect(await widgetOf(field)).toEqual({ name, parameters });
  });

  it('is left out where the form leaves it to the client', async () => {
    expect(await widgetOf({ type: 'String' })).toBeUndefined();
  });
});

describe('a value as it is sent', () => {
  const sentValue = async (field: object) =>
    (await documentOf([{ label: 'f', ...field } as Element])).fields[0]?.['value'];

  it.each<[object, unknown]>([
    [{ type: 'Enum', enumValues: ['a'], defaultValue: 'b' }, null],
    [{ type: 'Enum', enumValues: ['a'] }, undefined],
    [{ type: 'EnumList', enumValues: ['a'], defaultValue: ['a', 'b'] }, ['a']],
    [{ type: 'Date', value: () => new Date(0) }, '1970-01-01T00:00:00.000Z'],
    [{ type: 'Dateonly', defaultValue: '2024-01-01' }, '2024-01-01'],
    [{ type: 'Json', defaultValue: { a: 1 } }, { a: 1 }],
    [
      { type: 'File', value: () => ({ name: 'a b', mimeType: 'text/plain', buffer: Buffer.from('hi') }) },
      'data:text/plain;name=a%20b;base64,aGk=',
    ],
  ])('is encoded: %j becomes %j', async (field, value) => {
    expect(await sentValue(field)).toEqual(value);
  });
});

describe('the layout of a form', () => {
  it('names the fields where they stand, on pages and in rows', async () => {
    const { fields, layout } = await documentOf([
      {
        type: 'Layout',
        component: 'Page',
        nextButtonLabel: 'On',
        elements: [
          { type: 'Layout', component: 'HtmlBlock', content: () => '<b>x</b>' },
          {
            type: 'Layout',
            component: 'Row',
            fields: [
              { type: 'String', label: 'a' },
              { type: 'String', label: 'b' },
            ],
          },
          { type: 'String', label: 'c' },
        ],
      },
    ]);
    expect(fields.map(({ field }) => field)).toEqual(['a', 'b', 'c']);
    expect(layout).toEqual([
      {
        component: 'page',
        nextButtonLabel: 'On',
        elements: [
          { component: 'htmlBlock', content: '<b>x</b>' },
          {
            component: 'row',
            fields: [
              { component: 'input', fieldId: 'a' },
              { component: 'input', fieldId: 'b' },
            ],
          },
          { component: 'input', fieldId: 'c' },
        ],
      },
    ]);
  });

  it('is empty for fields only, and for a search', async () => {
    const row: Element = { type: 'Layout', component: 'Row', fields: [{ type: 'String', label: 'a' }] };
    expect((await documentOf([{ type: 'String', label: 'a' }])).layout).toEqual([]);
    expect((await documentOf([row])).layout).toHaveLength(1);
    expect((await documentOf([row], { search: { fieldId: 'a', text: '' } })).layout).toEqual([]);
  });
});
