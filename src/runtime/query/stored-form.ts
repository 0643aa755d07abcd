/**
 * A value as its database holds it, in a text that only that database reads. As a JavaScript value it may have lost digits, or
 * have a form that the database does not compare. In a condition it stands in the place of the value, with the operator
 * `Equal`.
 */
export class StoredForm {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
