import { describe, expect, it } from 'vitest';
import { formProblem } from '#runtime/compile/form-problem';

const field = (more: object = {}) => ({ type: 'String', label: 'a', ...more });
const layout = (component: string, more: object = {}) => ({ type: 'Layout', component, ...more });

describe('the shape of a form', () => {
  it('may be fields, rows, separators and HTML blocks, or pages of them', () => {
    const elements = [
      field(),
      layout('Separator'),
      layout('HtmlBlock', { content: 'x' }),
      layout('Row', { fields: [field({ id: 'b' }), field({ id: 'c', type: 'Number', widget: 'NumberInput' })] }),
    ];
    expect(formProblem(elements)).toBeUndefined();
    expect(formProblem([layout('Page', { elements })])).toBeUndefined();
    expect(formProblem([])).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ['no list', {}, 'not a list of elements'],
    ['an element without a type', [{ label: 'a' }], 'no type'],
    ['a field without a label', [{ type: 'String' }], 'no label'],
    ['an unknown type', [field({ type: 'Sting' })], 'unknown type "Sting". Did you mean "String"?'],
    ['a type of the prototype', [field({ type: 'constructor' })], 'unknown type "constructor"'],
    ['a widget of another type', [field({ widget: 'NumberInput' })], 'cannot have the widget "NumberInput"'],
    ['a widget on an Enum', [field({ type: 'Enum', enumValues: ['x'], widget: 'Dropdown' })], 'cannot have the widget'],
    ['an Enum without values', [field({ type: 'Enum' })], 'needs its "enumValues"'],
    ['a misspelt search', [field({ search: 'dynmic' })], 'unknown search "dynmic". Did you mean "dynamic"?'],
    ['a misspelt widget', [field({ widget: 'TextInputt' })], 'Did you mean "TextInput"?'],
    [
      'a misspelt base of a currency',
      [field({ type: 'Number', widget: 'CurrencyInput', currency: 'EUR', base: 'cents' })],
      'unknown base "cents". Did you mean "Cents"? Bases are Unit, Cents, Cent.',
    ],
    [
      'a misspelt currency',
      [field({ type: 'Number', widget: 'CurrencyInput', currency: 'euros' })],
      'unknown currency "euros"',
    ],
    [
      'a misspelt option of a widget',
      [field({ type: 'Number', widget: 'CurrencyInput', currncy: 'EUR' })],
      'no option "currncy". Did you mean "currency"?',
    ],
    ['a misspelt property of a row', [layout('Row', { field: [] })], 'Did you mean "fields"?'],
    [
      'a default that is not one of the values',
      [field({ type: 'Enum', enumValues: ['x'], defaultValue: 'y' })],
      'has the default "y", which is not one of its "enumValues"',
    ],
    [
      'a list of defaults with another one',
      [field({ type: 'EnumList', enumValues: ['x'], defaultValue: ['x', 'y'] })],
      'has the default "y"',
    ],
    ['an Enum of numbers', [field({ type: 'Enum', enumValues: [1] })], 'are not a list of texts'],
    ['a Collection without a collection', [field({ type: 'Collection' })], 'needs a "collectionName"'],
    ['a choice without options', [field({ widget: 'RadioGroup' })], 'needs options'],
    [
      'a dynamic search in a list',
      [field({ widget: 'Dropdown', search: 'dynamic', options: ['a'] })],
      'options must be a function',
    ],
    ['a condition that is not a function', [field({ if: true })], '"if" of the field "a" is not a function'],
    ['two fields with one id', [field(), field()], 'two fields have the id "a"'],
    ['an id that is the label of another', [field(), field({ label: 'b', id: 'a' })], 'two fields have the id "a"'],
    [
      'one id in two rows',
      [layout('Row', { fields: [field()] }), layout('Row', { fields: [field()] })],
      'two fields have the id "a"',
    ],
    ['a page beside a field', [field(), layout('Page', { elements: [] })], 'pages stand beside other elements'],
    ['a field beside a page', [layout('Page', { elements: [] }), field()], 'pages stand beside other elements'],
    ['a page in a page', [layout('Page', { elements: [layout('Page', { elements: [] })] })], 'a page is inside'],
    ['a row in a row', [layout('Row', { fields: [layout('Row', { fields: [] })] })], 'other than fields'],
    ['a separator in a row', [layout('Row', { fields: [layout('Separator')] })], 'other than fields'],
    ['a row without fields', [layout('Row')], 'a row lists no fields'],
    ['a page without elements', [layout('Page')], 'a page lists no elements'],
    ['an HTML block without content', [layout('HtmlBlock')], 'no content'],
    ['an unknown layout element', [layout('Column')], 'no layout element "Column"'],
  ])('refuses %s', (_what, form, problem) => {
    expect(formProblem(form)).toContain(problem);
  });
});
