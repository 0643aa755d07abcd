/**
 * A value as its database holds it, in a text that only that database reads. As a JavaScript value it may have lost digits, or
 * have a form that the database does not compare. In a condition it replaces the value, with the operator
 * `Equal`.
 */
export class StoredForm {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Where a value stands in the order of its column, in a text that only that database reads. Without a text it stands where null
 * stands. In a condition it takes the place of the value: the database then compares as it orders.
 */
export class StoredPlace {
  readonly text: string | undefined;
  /** Whether it is a place in the order of an index, as a clause with the order `index` has it. */
  readonly isOfIndex: boolean;

  constructor(text: string | undefined, isOfIndex = false) {
    this.text = text;
    this.isOfIndex = isOfIndex;
  }
}

/**
 * A value of an export that its database would not make again of what is shown: SQLite keeps a type with each value. The literal is for that
 * database only.
 */
export class KeptValue {
  readonly shown: unknown;
  readonly literal: string;

  constructor(shown: unknown, literal: string) {
    this.shown = shown;
    this.literal = literal;
  }

  /** Keys are compared as texts. */
  toString(): string {
    return String(this.shown);
  }
}
