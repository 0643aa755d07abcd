import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FormDocument, LayoutDocument } from './form-document.ts';

type Kind = LayoutDocument['component'];
type Of<Component extends Kind> = Extract<LayoutDocument, { readonly component: Component }>;

/** An element of a form. Positions count from 0. Every method throws `TEST_FORM_MISUSED` for an element of another kind. */
export class LayoutElement {
  readonly #document: LayoutDocument;

  constructor(document: LayoutDocument) {
    this.#document = document;
  }

  isInput(): boolean {
    return this.#document.component === 'input';
  }

  isRow(): boolean {
    return this.#document.component === 'row';
  }

  isHTMLBlock(): boolean {
    return this.#document.component === 'htmlBlock';
  }

  isSeparator(): boolean {
    return this.#document.component === 'separator';
  }

  /** Id of the field that an input shows. */
  getInputId(): string {
    return this.#as('input').fieldId;
  }

  getHtmlBlockContent(): string {
    return this.#as('htmlBlock').content;
  }

  /** An element in a row. */
  rowElement(position: number): LayoutElement {
    return elementAt('The row', this.#as('row').fields, position);
  }

  /** How many elements a row has. */
  get rowLength(): number {
    return this.#as('row').fields.length;
  }

  #as<Component extends Kind>(component: Component): Of<Component> {
    const document = this.#document;
    if (document.component === component) return document as Of<Component>;
    throw misused(`The element is of the kind "${document.component}", not "${component}".`);
  }
}

/** One page of a form. */
export class LayoutPage {
  readonly #document: Of<'page'>;

  constructor(document: Of<'page'>) {
    this.#document = document;
  }

  /** `undefined` where the client names the button. */
  get nextButtonLabel(): string | undefined {
    return this.#document.nextButtonLabel;
  }

  /** `undefined` where the client names the button. */
  get previousButtonLabel(): string | undefined {
    return this.#document.previousButtonLabel;
  }

  /** How many elements it has. */
  get length(): number {
    return this.#document.elements.length;
  }

  /** Throws `TEST_FORM_MISUSED` where the page has no such element. */
  element(position: number): LayoutElement {
    return elementAt('The page', this.#document.elements, position);
  }
}

/** How a form is laid out. A form with pages has pages only; another one has elements only. */
export class FormLayout {
  readonly #nodes: readonly LayoutDocument[];

  constructor({ layout, fields }: FormDocument) {
    const plain = fields.map(({ field: fieldId }) => ({ component: 'input' as const, fieldId }));
    this.#nodes = layout.length > 0 ? layout : plain;
  }

  /** How many pages, or elements, it has. */
  get length(): number {
    return this.#nodes.length;
  }

  /** Throws `TEST_FORM_MISUSED` where there is no such page. */
  page(position: number): LayoutPage {
    const node = nodeAt('The form', this.#nodes, position);
    if (node.component === 'page') return new LayoutPage(node);
    throw misused('The form has no pages.');
  }

  /** Throws `TEST_FORM_MISUSED` where there is no such element. */
  element(position: number): LayoutElement {
    return elementAt('The form', this.#nodes, position);
  }
}

function elementAt(owner: string, nodes: readonly LayoutDocument[], position: number): LayoutElement {
  const node = nodeAt(owner, nodes, position);
  if (node.component === 'page') throw misused(`${owner} has pages: ask for page(${position}) first.`);
  return new LayoutElement(node);
}

function nodeAt(owner: string, nodes: readonly LayoutDocument[], position: number): LayoutDocument {
  const node = nodes[position];
  if (node) return node;
  throw misused(`${owner} has ${nodes.length} elements, and none at position ${position}; positions count from 0.`);
}

function misused(message: string): CloudError {
  return cloudError(
    'TEST_FORM_MISUSED',
    message,
    'Ask for an element that the form has, with the method that fits its kind.',
  );
}
