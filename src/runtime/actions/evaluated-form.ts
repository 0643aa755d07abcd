import type { AnyFormField, AnyLayoutElement } from '../customizer/form-element.ts';

/** A visible field, with every property known. */
export interface EvaluatedField {
  readonly id: string;
  readonly element: AnyFormField;
  /** Its properties by name; a function is replaced by its result. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly value: unknown;
  /** Another part of the form depends on the value, so the client asks for the form again after an edit. */
  readonly isWatched: boolean;
}

/** A visible layout element, with its visible children. */
interface EvaluatedLayout {
  readonly element: AnyLayoutElement;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly children: readonly EvaluatedNode[];
}

export type EvaluatedNode = EvaluatedField | EvaluatedLayout;

/** A form at one moment: its visible part, and the values. */
export interface EvaluatedForm {
  readonly nodes: readonly EvaluatedNode[];
  readonly fields: readonly EvaluatedField[];
  /** The values of the visible fields, by field id. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Ids of all fields, hidden ones too. */
  readonly knownIds: ReadonlySet<string>;
  /** The value that a visible read-only field must have when the client sends it; `undefined` when any value will do. */
  expectedValue(field: EvaluatedField): Promise<{ readonly value: unknown } | undefined>;
}

/** The part of a form that a run of its action needs. */
export type FormOfRun = Omit<EvaluatedForm, 'nodes'>;

export function isEvaluatedField(node: EvaluatedNode): node is EvaluatedField {
  return 'id' in node;
}

/** The fields of a form in their visible order. */
export function fieldsOfNodes(nodes: readonly EvaluatedNode[]): readonly EvaluatedField[] {
  return nodes.flatMap((node) => (isEvaluatedField(node) ? [node] : fieldsOfNodes(node.children)));
}

/** The input of a form's evaluation. */
export interface FormInput {
  /** The values that the client sent, by field id, not decoded. */
  readonly sent: ReadonlyMap<string, unknown>;
  /** Decodes a value; `collectionName` is that of a Collection field. */
  decode(field: AnyFormField, sent: unknown, collectionName: unknown): unknown;
  /** The field that the user has just changed. */
  readonly changedField?: string | undefined;
  /** Asks for one field only, and searches its options. */
  readonly search?: FormSearch | undefined;
}

/** A search in the options of one field. */
export interface FormSearch {
  readonly fieldId: string;
  readonly text: string;
}
