import { type AnyFormElement, childrenOf, fieldId, isDynamic, isLayout } from '../customizer/form-element.ts';
import type { ActionFile } from '../customizer/form-value.ts';
import { choiceWidgets } from '../customizer/form-widget.ts';
import type { PrimitiveType } from '../query/column-type.ts';
import { columnValueProblem } from '../query/column-value.ts';
import {
  type EvaluatedField,
  type EvaluatedForm,
  type EvaluatedNode,
  type FormInput,
  type FormOfRun,
  fieldsOfNodes,
} from './evaluated-form.ts';
import { encodeFieldValue, invalidField, isActionFile, isDecoded } from './form-value-codec.ts';

/**
 * Check the values of a form before the action runs with them. A value for a field that is hidden now is not an error: the form may
 * have shown the field before.
 *
 * @throws `REQUEST_INVALID`, the field named in `details.field`: unknown, missing, of the wrong type, beyond what the
 * widget allows, none of the choices, or read-only and changed.
 */
export async function checkFormValues(form: FormOfRun, sent: ReadonlyMap<string, unknown>): Promise<void> {
  for (const id of sent.keys()) {
    if (!form.knownIds.has(id)) throw invalidField(id, 'does not exist.', 'Send the fields of the form only.');
  }
  for (const field of form.fields) {
    await checkReadOnly(form, field, sent);
    // A field may be called `constructor`.
    const value = Object.hasOwn(form.values, field.id) ? form.values[field.id] : undefined;
    if (isEmpty(value)) {
      if (field.properties['isRequired']) throw invalidField(field.id, 'is required.', 'Fill it in.');
      continue;
    }
    const wanted = valueProblem(field, value);
    if (wanted !== undefined) throw invalidField(field.id, `must be ${wanted}.`, `Send ${wanted}.`);
  }
}

async function checkReadOnly(
  form: FormOfRun,
  field: EvaluatedField,
  sent: ReadonlyMap<string, unknown>,
): Promise<void> {
  if (!field.properties['isReadOnly']) return;
  const expected = await form.expectedValue(field);
  if (!expected) return;
  const given = comparable(field, sent.get(field.id));
  if (given === comparable(field, encodeFieldValue(field.element.type, expected.value))) return;
  throw invalidField(field.id, 'is read-only, and its value is not what it was.', 'Load the form again.');
}

/** Gives equal values on the wire the same text: a missing value equals null there, and an instant has several spellings. */
function comparable(field: EvaluatedField, value: unknown): string {
  if (isEmpty(value)) return 'null';
  const date = field.element.type === 'Date' ? new Date(String(value)) : undefined;
  return JSON.stringify(date && !Number.isNaN(date.getTime()) ? date.toISOString() : value);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The rule that the value breaks, in words; `undefined` when it breaks none. */
function valueProblem(field: EvaluatedField, value: unknown): string | undefined {
  return typeProblem(field, value) ?? choiceProblem(field, value) ?? limitProblem(field, value);
}

const columnTypes = { Boolean: 'Boolean', Date: 'Date', Dateonly: 'Dateonly', String: 'String', Time: 'Time' } as const;

function typeProblem(field: EvaluatedField, value: unknown): string | undefined {
  const { type } = field.element;
  switch (type) {
    case 'Number':
      return isNumber(value) ? undefined : 'a number';
    case 'NumberList':
      return isListOf(value, isNumber) ? undefined : 'a list of numbers';
    case 'StringList':
      return isListOf(value, isText) ? undefined : 'a list of texts';
    case 'Enum':
      return oneOfProblem([value], field.properties['enumValues'], 'one of');
    case 'EnumList':
      return Array.isArray(value)
        ? oneOfProblem(value, field.properties['enumValues'], 'a list of')
        : 'a list of its values';
    case 'File':
      return isActionFile(value) ? undefined : 'a file';
    case 'FileList':
      return isListOf(value, isActionFile) ? undefined : 'a list of files';
    case 'Collection':
      return Array.isArray(value) ? undefined : 'the key of a record';
    case 'Json':
      return undefined;
    default:
      return columnProblem(columnTypes[type], value);
  }
}

function columnProblem(type: PrimitiveType, value: unknown): string | undefined {
  return columnValueProblem({ type, isExact: false }, value);
}

/** The options of a field with dynamic search are not known here. */
function choiceProblem({ element, properties }: EvaluatedField, value: unknown): string | undefined {
  if (!choiceWidgets.has(element['widget']) || element['search'] === 'dynamic') return undefined;
  const isList = Array.isArray(value);
  return oneOfProblem(isList ? value : [value], optionValues(properties['options']), isList ? 'a list of' : 'one of');
}

function oneOfProblem(values: readonly unknown[], allowed: unknown, quantity: string): string | undefined {
  const list: readonly unknown[] = Array.isArray(allowed) ? allowed : [];
  const texts = new Set(list.map(choiceKey));
  if (values.every((value) => texts.has(choiceKey(value)))) return undefined;
  return `${quantity} ${list.map((value) => JSON.stringify(value)).join(', ')}`;
}

function choiceKey(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** The values of options, with or without labels. */
function optionValues(options: unknown): readonly unknown[] {
  if (!Array.isArray(options)) return [];
  return options.map((option: unknown) =>
    typeof option === 'object' && option !== null && 'value' in option ? option.value : option,
  );
}

const bytesPerMb = 1024 * 1024;

/** The limit of the widget that a value of the right type exceeds, in words. */
function limitProblem({ element, properties }: EvaluatedField, value: unknown): string | undefined {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  switch (element.type) {
    case 'Number':
    case 'NumberList':
      return rangeProblem(values.map(Number), numberOf(properties['min']), numberOf(properties['max']), String);
    case 'Date':
    case 'Dateonly':
      return rangeProblem(values.map(instantOf), instantOf(properties['min']), instantOf(properties['max']), isoText);
    case 'File':
    case 'FileList':
      return fileProblem(values.filter(isActionFile), properties);
    default:
      return undefined;
  }
}

function rangeProblem(
  values: readonly number[],
  min: number,
  max: number,
  show: (bound: number) => string,
): string | undefined {
  // An absent bound is not a number, and no value is beyond it.
  if (values.some((value) => value < min)) return `at least ${show(min)}`;
  if (values.some((value) => value > max)) return `at most ${show(max)}`;
  return undefined;
}

function fileProblem(files: readonly ActionFile[], properties: EvaluatedField['properties']): string | undefined {
  const maxCount = numberOf(properties['maxCount']);
  if (files.length > maxCount) return `at most ${maxCount} files`;
  const maxSizeMb = numberOf(properties['maxSizeMb']);
  if (files.some(({ buffer }) => buffer.byteLength > maxSizeMb * bytesPerMb))
    return `a file of at most ${maxSizeMb} MB`;
  const extensions = properties['extensions'];
  if (!Array.isArray(extensions) || extensions.length === 0) return undefined;
  const allowed = extensions.map((extension) => `.${String(extension).replace(/^\./, '').toLowerCase()}`);
  const isAllowed = ({ name }: ActionFile) => allowed.some((ending) => name.toLowerCase().endsWith(ending));
  return files.every(isAllowed) ? undefined : `a file that ends in ${allowed.join(', ')}`;
}

function numberOf(bound: unknown): number {
  return typeof bound === 'number' ? bound : Number.NaN;
}

function instantOf(date: unknown): number {
  return date === undefined || date === null ? Number.NaN : new Date(date as string | Date).getTime();
}

function isoText(instant: number): string {
  return new Date(instant).toISOString();
}

/** Whether a form needs no evaluation: it has no functions and no promises, and no file as a default. */
export function isStaticForm(form: unknown): boolean {
  if (isDynamic(form)) return false;
  if (Array.isArray(form)) return form.every(isStaticForm);
  if (typeof form !== 'object' || form === null || form instanceof Date || ArrayBuffer.isView(form)) return true;
  const { type, defaultValue } = form as Readonly<Record<string, unknown>>;
  const isFile = type === 'File' || type === 'FileList';
  if (isFile && defaultValue !== undefined && defaultValue !== null) return false;
  return Object.values(form).every(isStaticForm);
}

/** A static form before anybody has entered something. */
export function staticForm(elements: readonly AnyFormElement[]): Pick<EvaluatedForm, 'nodes' | 'fields'> {
  const nodes = elements.map(staticNode);
  return { nodes, fields: fieldsOfNodes(nodes) };
}

function staticNode(element: AnyFormElement): EvaluatedNode {
  if (isLayout(element)) return { element, properties: element, children: childrenOf(element).map(staticNode) };
  const value = element['value'] ?? element['defaultValue'];
  return { id: fieldId(element), element, properties: element, value, isWatched: false };
}

/** Fills in a static form for a run of its action. Gives what `evaluateForm` gives, and throws what `decode` throws. */
type FillForm = (input: Pick<FormInput, 'sent' | 'decode'>) => FormOfRun;

/** Forms are looked at once: their definitions never change. */
const knownForms = new WeakMap<readonly AnyFormElement[], FillForm | 'dynamic'>();

/** `undefined` for a form that has to be evaluated. */
export function staticFormFiller(form: unknown): FillForm | undefined {
  if (!Array.isArray(form)) return undefined;
  const found = knownForms.get(form) ?? (isStaticForm(form) ? createFiller(form) : 'dynamic');
  knownForms.set(form, found);
  return found === 'dynamic' ? undefined : found;
}

function createFiller(elements: readonly AnyFormElement[]): FillForm {
  const { fields } = staticForm(elements);
  const decoded = fields.filter(({ element }) => isDecoded(element.type));
  const knownIds: ReadonlySet<string> = new Set(fields.map(({ id }) => id));
  return ({ sent, decode }) => {
    const submitted = new Map(sent);
    for (const { id, element } of decoded) {
      if (sent.has(id)) submitted.set(id, decode(element, sent.get(id), element['collectionName']));
    }
    const values = new Map<string, unknown>();
    for (const { id, element } of fields) {
      const fixed = ownCopy(element['value']);
      const entered = () => (submitted.has(id) ? submitted.get(id) : ownCopy(element['defaultValue']));
      const value = fixed === undefined ? entered() : fixed;
      if (value !== undefined) values.set(id, value);
    }
    return {
      fields,
      knownIds,
      values: Object.fromEntries(values),
      expectedValue: async ({ id, element: { value, defaultValue } }) =>
        submitted.has(id) ? { value: value === undefined ? defaultValue : value } : undefined,
    };
  };
}

/** A copy for user code, which may change the lists and objects that it gets: one definition serves many calls. */
export function ownCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ownCopy);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, ownCopy(inner)]));
}
