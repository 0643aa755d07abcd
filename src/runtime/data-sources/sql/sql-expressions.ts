import type { RawBuilder } from 'kysely';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { DatePart, Expression } from '../../query/expression.ts';
import type { ExpressionKind, ExpressionType } from '../../query/expression-type.ts';

type Sql = RawBuilder<unknown>;

/** A part of an expression as SQL. */
export interface SqlOperand {
  readonly sql: Sql;
  readonly type: ExpressionType;
  /** Given when it is a column as it is. */
  readonly column?: ColumnSchema;
  /** Given when it is a number of the expression itself: its digits, without an exponent. */
  readonly digits?: string;
}

/** An expression as its engine would rather write it, and what a column of such values would be declared as. */
export interface ShortForm {
  readonly sql: Sql;
  readonly nativeType: string;
  /** The type that the engine compares by: it is lost when the SQL becomes a part of something else. */
  typed(whole: Sql): Sql;
}

/** The value of a column in a form that is quicker to compare, and that an index may be on. */
export interface Candidate {
  readonly value: Sql;
  /** Whether the value is that of the column. Without it the column is null. */
  readonly isValue: Sql;
}

export type DocumentKind = Exclude<ExpressionKind, 'Null'>;

/** The differences between SQL engines in expressions. Null stays null unless a method says otherwise. */
export interface SqlExpressions {
  /** A quicker way to the same values of an exact expression, where the engine has one. */
  shortForm?(
    expression: Expression,
    columnAt: (path: string) => { readonly column: ColumnSchema; readonly reference: Sql },
  ): ShortForm | undefined;
  /** The declaration that a column of the type would have. */
  nativeTypeOf(type: ExpressionType): string;
  /** A column in the form that the rest takes: texts to be put together, instants, numbers as they are stored. */
  fieldOf(column: ColumnSchema, reference: Sql): Sql;
  text(value: string): Sql;
  boolean(value: boolean): Sql;
  /** A text, number, boolean or day as text. */
  asText(operand: SqlOperand): Sql;
  /** Texts one after the other, null as the empty one. */
  concat(parts: readonly Sql[]): Sql;
  asDouble(operand: SqlOperand): Sql;
  asExact(operand: SqlOperand): Sql;
  exactArithmetic(operator: 'add' | 'subtract' | 'multiply', a: Sql, b: Sql): Sql;
  /** An exact number with the digits after its point that its type has. */
  finishExact(number: Sql, type: ExpressionType): Sql;
  /** The value at the path of the document; null when it is not of the kind. */
  jsonPath(document: Sql, path: readonly (string | number)[], kind: DocumentKind): Sql;
  /** The text at the path of the document, or whatever else is there as text. */
  textCandidate?(document: Sql, path: readonly (string | number)[]): Candidate;
  datePart(column: ColumnSchema, reference: Sql, part: DatePart): Sql;
}

/** `$."key"[0]`, which SQLite, MariaDB and PostgreSQL all read; keys hold no quotation marks and no backslashes. */
export function jsonPathText(path: readonly (string | number)[]): string {
  return `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `."${step}"`)).join('')}`;
}
