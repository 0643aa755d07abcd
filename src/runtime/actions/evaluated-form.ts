import type { AnyFormField, AnyLayoutElement } from '../customizer/any-form-element.ts';

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
