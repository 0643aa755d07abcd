import { didYouMean, nearestName, unknownOption } from '#kernel/text/nearest-name';
import {
  type AnyFormElement,
  type AnyFormField,
  childrenOf,
  fieldId,
  isDynamic,
  isLayout,
} from '../customizer/form-element.ts';
import { choiceWidgets, currencyBases, widgetsOfType } from '../customizer/form-widget.ts';

const layoutProperties = [
  ...['type', 'component', 'if', 'content', 'fields', 'elements'],
  ...['nextButtonLabel', 'previousButtonLabel'],
];

/** The options of every type and widget together; those of another type or widget are ignored. */
const fieldProperties = [
  ...['type', 'label', 'id', 'description', 'isRequired', 'isReadOnly', 'if', 'defaultValue', 'value'],
  ...['enumValues', 'collectionName', 'widget', 'options', 'search', 'placeholder', 'min', 'max', 'step'],
  ...['currency', 'base', 'rows', 'enableOpacity', 'quickPalette', 'format'],
  ...['extensions', 'maxSizeMb', 'maxCount', 'allowDuplicates', 'enableReorder', 'allowEmptyValues'],
];

type Place = 'top' | 'Page' | 'Row';

/** The problem of a form's shape, in a sentence; `undefined` when its elements can be evaluated. */
export function formProblem(elements: unknown): string | undefined {
  if (!Array.isArray(elements)) return 'it is not a list of elements.';
  const ids = new Set<string>();
  for (const element of elements) {
    const problem = elementProblem(element, 'top', ids);
    if (problem !== undefined) return problem;
  }
  const pages = elements.filter((element: AnyFormElement) => isLayout(element) && element.component === 'Page');
  if (pages.length === 0 || pages.length === elements.length) return undefined;
  return 'pages stand beside other elements; put everything into pages, or nothing.';
}

function elementProblem(element: unknown, place: Place, ids: Set<string>): string | undefined {
  if (typeof element !== 'object' || element === null || !('type' in element)) return 'an element has no type.';
  const checked = element as AnyFormElement;
  const known = isLayout(checked) ? layoutProperties : fieldProperties;
  const unknown = unknownOption(checked, known);
  if (unknown !== undefined) return `${nameOf(checked)} has ${unknown}`;
  const problem = isLayout(checked) ? layoutProblem(checked, place, ids) : fieldProblem(checked, ids);
  if (problem !== undefined) return problem;
  if (checked['if'] === undefined || typeof checked['if'] === 'function') return undefined;
  return `the "if" of ${nameOf(checked)} is not a function.`;
}

function layoutProblem(element: AnyFormElement, place: Place, ids: Set<string>): string | undefined {
  switch (element['component']) {
    case 'Separator':
      return place === 'Row' ? 'a row holds something other than fields.' : undefined;
    case 'HtmlBlock':
      if (place === 'Row') return 'a row holds something other than fields.';
      return typeof element['content'] === 'string' || isDynamic(element['content'])
        ? undefined
        : 'an HTML block has no content.';
    case 'Row':
      if (place === 'Row') return 'a row holds something other than fields.';
      return innerProblem(element, element['fields'], 'Row', ids);
    case 'Page':
      if (place !== 'top') return 'a page is inside of another element.';
      return innerProblem(element, element['elements'], 'Page', ids);
    default:
      return `there is no layout element ${quoted(element['component'])}.`;
  }
}

function innerProblem(element: AnyFormElement, inner: unknown, place: Place, ids: Set<string>): string | undefined {
  if (!Array.isArray(inner)) return `a ${place.toLowerCase()} lists no ${place === 'Row' ? 'fields' : 'elements'}.`;
  for (const child of childrenOf(element)) {
    const problem = elementProblem(child, place, ids);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fieldProblem(field: AnyFormField, ids: Set<string>): string | undefined {
  if (typeof field.label !== 'string' || field.label === '') return 'a field has no label.';
  const id = fieldId(field);
  const problem = typeProblem(field);
  if (problem !== undefined) return `the field "${id}" ${problem}`;
  if (ids.has(id)) return `two fields have the id "${id}"; give one of them an id of its own.`;
  ids.add(id);
  return undefined;
}

function typeProblem(field: AnyFormField): string | undefined {
  if (!Object.hasOwn(widgetsOfType, field.type)) return unknownType(field.type);
  const widgets: readonly string[] = widgetsOfType[field.type];
  const { widget, options, enumValues, collectionName } = field;
  if (widget !== undefined && !widgets.some((name) => name === widget)) {
    return `of type ${field.type} cannot have the widget ${quoted(widget)}.${hint(widget, widgets)}`;
  }
  if (choiceWidgets.has(widget) && !isList(options)) return 'needs options.';
  const search = searchProblem(field);
  if (search !== undefined) return search;
  if (field['search'] === 'dynamic' && typeof options !== 'function') {
    return 'searches dynamically, so its options must be a function.';
  }
  if ((field.type === 'Enum' || field.type === 'EnumList') && !isList(enumValues)) return 'needs its "enumValues".';
  const property = propertyProblem(field) ?? defaultProblem(field);
  if (property !== undefined) return property;
  if (field.type === 'Collection' && (typeof collectionName !== 'string' || collectionName === '')) {
    return isDynamic(collectionName) ? undefined : 'needs a "collectionName".';
  }
  return undefined;
}

/**
 * The problem of what a field says of its choices and its widget, to follow its name in a sentence. Functions and promises are not
 * checked.
 */
export function propertyProblem(properties: Readonly<Record<string, unknown>>): string | undefined {
  const { enumValues, options } = properties;
  const isTexts = Array.isArray(enumValues) && enumValues.every((value) => typeof value === 'string');
  if (isGiven(enumValues) && !isTexts) return 'has "enumValues" that are not a list of texts.';
  if (isGiven(options) && !Array.isArray(options)) return 'has "options" that are not a list.';
  return properties['widget'] === 'CurrencyInput' ? currencyProblem(properties) : undefined;
}

/** A client would show other amounts than the code means. */
function currencyProblem({ base, currency }: Readonly<Record<string, unknown>>): string | undefined {
  if (isGiven(base) && base !== null && !currencyBases.some((known) => known === base)) {
    return `has the unknown base ${quoted(base)}.${hint(base, currencyBases)} Bases are ${currencyBases.join(', ')}.`;
  }
  const isCode = typeof currency === 'string' && /^[a-z]{3}$/i.test(currency);
  return isGiven(currency) && currency !== null && !isCode
    ? `has the unknown currency ${quoted(currency)}. A currency has three letters, such as "EUR".`
    : undefined;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && !isDynamic(value);
}

function unknownType(type: unknown): string {
  const types = Object.keys(widgetsOfType);
  return `has the unknown type ${quoted(type)}.${hint(type, types)} Types are ${types.join(', ')}.`;
}

const searches = ['static', 'dynamic', 'disabled'] as const;

function searchProblem({ search }: AnyFormField): string | undefined {
  if (search === undefined || searches.some((known) => known === search)) return undefined;
  return `has the unknown search ${quoted(search)}.${hint(search, searches)}`;
}

/** A default that is known before the form is asked for, and is not one of the values. */
function defaultProblem({ type, enumValues, defaultValue }: AnyFormField): string | undefined {
  const isEnum = type === 'Enum' || type === 'EnumList';
  if (!isEnum || !Array.isArray(enumValues) || isDynamic(defaultValue)) return undefined;
  const values: readonly unknown[] = Array.isArray(defaultValue) ? defaultValue : [defaultValue ?? enumValues[0]];
  const wrong = values.find((value) => !enumValues.includes(value));
  return wrong === undefined ? undefined : `has the default ${quoted(wrong)}, which is not one of its "enumValues".`;
}

function isList(value: unknown): boolean {
  return isDynamic(value) || (Array.isArray(value) && value.length > 0);
}

function hint(given: unknown, known: readonly string[]): string {
  return typeof given === 'string' ? didYouMean(nearestName(given, known)) : '';
}

function nameOf(element: AnyFormElement): string {
  return isLayout(element) ? `a ${element.component} element` : `the field "${fieldId(element)}"`;
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}
