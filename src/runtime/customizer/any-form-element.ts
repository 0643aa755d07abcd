import type { FormFieldType } from './form-value.ts';

/** A field of a form with its types forgotten, after its shape was checked. */
export interface AnyFormField {
  readonly type: FormFieldType;
  readonly label: string;
  readonly [property: string]: unknown;
}

export interface AnyLayoutElement {
  readonly type: 'Layout';
  readonly component: 'Separator' | 'HtmlBlock' | 'Row' | 'Page';
  readonly [property: string]: unknown;
}

export type AnyFormElement = AnyFormField | AnyLayoutElement;

export function isLayout(element: AnyFormElement): element is AnyLayoutElement {
  return element.type === 'Layout';
}

export function fieldId(field: AnyFormField): string {
  return typeof field['id'] === 'string' ? field['id'] : field.label;
}

/** The elements inside a row or a page. */
export function childrenOf(element: AnyFormElement): readonly AnyFormElement[] {
  if (!isLayout(element)) return [];
  const inner = element.component === 'Row' ? element['fields'] : element['elements'];
  return Array.isArray(inner) ? inner : [];
}

/** The fields of a form in their order, those inside rows and pages too. */
export function fieldsIn(elements: readonly AnyFormElement[]): readonly AnyFormField[] {
  return elements.flatMap((element) => (isLayout(element) ? fieldsIn(childrenOf(element)) : [element]));
}

/** Something that is only known once it is asked for. */
export function isDynamic(value: unknown): value is ((...parameters: unknown[]) => unknown) | PromiseLike<unknown> {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
