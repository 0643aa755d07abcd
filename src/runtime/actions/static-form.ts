import { type AnyFormElement, childrenOf, fieldId, isDynamic, isLayout } from '../customizer/form-element.ts';
import type { FormInput } from './evaluated-form.ts';
import { type EvaluatedForm, type EvaluatedNode, type FormOfRun, fieldsOfNodes } from './evaluated-form.ts';
import { isDecoded } from './form-value-codec.ts';

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
const known = new WeakMap<readonly AnyFormElement[], FillForm | 'dynamic'>();

/** `undefined` for a form that has to be evaluated. */
export function staticFormFiller(form: unknown): FillForm | undefined {
  if (!Array.isArray(form)) return undefined;
  const found = known.get(form) ?? (isStaticForm(form) ? createFiller(form) : 'dynamic');
  known.set(form, found);
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
