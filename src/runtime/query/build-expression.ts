import type { ColumnType } from './column-type.ts';
import type { ConditionTree } from './condition-tree.ts';
import type { DatePart, Expression, ExpressionBranch } from './expression.ts';

/** An expression, or a constant that stands for itself. */
export type Operand = Expression | string | number | boolean | null;

/** A field of the record, or a path `relation:field`. */
export function field(path: string): Expression {
  return { field: path };
}

/**
 * Texts one after the other. What is null is the empty text; numbers, booleans and days are written as text.
 *
 * @example customers.addField('address', { columnType: 'String', expression: concat(field('street'), ', ', field('city')) });
 */
export function concat(...parts: readonly Operand[]): Expression {
  return { concat: parts.map(expressionOf) };
}

/** Exact where one of the numbers is; null when one of them is. */
export function add(...numbers: readonly Operand[]): Expression {
  return { add: numbers.map(expressionOf) };
}

export function subtract(number: Operand, less: Operand): Expression {
  return { subtract: [expressionOf(number), expressionOf(less)] };
}

export function multiply(...numbers: readonly Operand[]): Expression {
  return { multiply: numbers.map(expressionOf) };
}

/** A floating-point number; null when it is divided by zero. */
export function divide(number: Operand, divisor: Operand): Expression {
  return { divide: [expressionOf(number), expressionOf(divisor)] };
}

/** The first that is not null. */
export function coalesce(...operands: readonly Operand[]): Expression {
  return { coalesce: operands.map(expressionOf) };
}

/**
 * What belongs to the first condition that holds.
 *
 * @example
 * caseWhen(
 *   [when({ field: 'total', operator: 'GreaterThan', value: 1000 }, 'large')],
 *   'small',
 * )
 */
export function caseWhen(branches: readonly ExpressionBranch[], otherwise: Operand = null): Expression {
  return { case: branches, else: expressionOf(otherwise) };
}

export function when(condition: ConditionTree, then: Operand): ExpressionBranch {
  // biome-ignore lint/suspicious/noThenProperty: the counterpart of `when`, and no function.
  return { when: condition, then: expressionOf(then) };
}

/** A value inside a JSON document; null when it is not of the type. */
export function jsonPath(path: string, steps: readonly (string | number)[], type?: ColumnType): Expression {
  return { jsonPath: { field: path, path: steps, ...(type === undefined ? {} : { type }) } };
}

/** A part of a date, in the time zone of the caller. Weeks are those of ISO 8601, weekdays count from Monday, 1. */
export function datePart(part: DatePart, path: string): Expression {
  return { datePart: { part, field: path } };
}

function expressionOf(operand: Operand): Expression {
  return typeof operand === 'object' && operand !== null ? operand : { value: operand };
}
