import {
  type AnyFormElement,
  type AnyFormField,
  type AnyLayoutElement,
  childrenOf,
  fieldId,
  isDynamic,
  isLayout,
} from '../customizer/any-form-element.ts';

/** A field that is shown, with every property known. */
export interface EvaluatedField {
  readonly id: string;
  readonly element: AnyFormField;
  /** Its properties by name, what functions gave instead of the functions. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly value: unknown;
  /** Something of the form depends on the value, so that the form is to be asked for again when it is edited. */
  readonly isWatched: boolean;
}

/** A layout element that is shown, with what is shown in it. */
export interface EvaluatedLayout {
  readonly element: AnyLayoutElement;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly children: readonly EvaluatedNode[];
}

export type EvaluatedNode = EvaluatedField | EvaluatedLayout;

/** A form at one moment: what is shown of it, and the values. */
export interface EvaluatedForm {
  readonly nodes: readonly EvaluatedNode[];
  readonly fields: readonly EvaluatedField[];
  /** By field id; of the fields that are shown. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Ids of all fields, hidden ones too. */
  readonly knownIds: ReadonlySet<string>;
  /** For each shown field that was sent: what it had to hold if it is read-only; absent where anything will do. */
  expectedValue(field: EvaluatedField): Promise<{ readonly value: unknown } | undefined>;
}

export function isEvaluatedField(node: EvaluatedNode): node is EvaluatedField {
  return 'id' in node;
}

/** What a static form shows before anybody has entered something. */
export function staticForm(elements: readonly AnyFormElement[]): Pick<EvaluatedForm, 'nodes' | 'fields'> {
  const nodes = elements.map(staticNode);
  return { nodes, fields: fieldsOfNodes(nodes) };
}

/** The fields of a form in the order they are shown. */
export function fieldsOfNodes(nodes: readonly EvaluatedNode[]): readonly EvaluatedField[] {
  return nodes.flatMap((node) => (isEvaluatedField(node) ? [node] : fieldsOfNodes(node.children)));
}

function staticNode(element: AnyFormElement): EvaluatedNode {
  if (isLayout(element)) return { element, properties: element, children: childrenOf(element).map(staticNode) };
  const value = element['value'] ?? element['defaultValue'];
  return { id: fieldId(element), element, properties: element, value, isWatched: false };
}

/** Whether a form is known without being evaluated: nothing in it is a function or a promise, and no file is a default. */
export function isStaticForm(form: unknown): boolean {
  if (isDynamic(form)) return false;
  if (Array.isArray(form)) return form.every(isStaticForm);
  if (typeof form !== 'object' || form === null || form instanceof Date || ArrayBuffer.isView(form)) return true;
  const { type, defaultValue } = form as Readonly<Record<string, unknown>>;
  const isFile = type === 'File' || type === 'FileList';
  if (isFile && defaultValue !== undefined && defaultValue !== null) return false;
  return Object.values(form).every(isStaticForm);
}
