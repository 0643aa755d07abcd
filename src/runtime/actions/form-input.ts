import type { AnyFormField } from '../customizer/any-form-element.ts';

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
