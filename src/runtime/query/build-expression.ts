import type { ColumnType } from './column-type.ts';
import type { ConditionTree } from './condition-tree.ts';
import type { DatePart, Expression, ExpressionBranch } from './expression.ts';

/** An expression, or a constant that stands for itself. */
export type Operand<Path extends string = string> = Expression<Path> | string | number | boolean | null;

/** A field of the record, or a path `relation:field`. */
export function field<const Path extends string>(path: Path): Expression<Path> {
  return { field: path };
}

/**
 * Texts one after the other. What is null is the empty text; numbers, booleans and days are written as text.
 *
 * @example customers.addField('address', { columnType: 'String', expression: concat(field('street'), ', ', field('city')) });
 */
export function concat<const Path extends string = never>(...parts: readonly Operand<Path>[]): Expression<Path> {
  return { concat: parts.map(expressionOf) };
}

/** Exact where one of the numbers is; null when one of them is. */
export function add<const Path extends string = never>(...numbers: readonly Operand<Path>[]): Expression<Path> {
  return { add: numbers.map(expressionOf) };
}

/** Exact where one of the numbers is; null when one of them is. */
export function subtract<const Path extends string = never>(
  number: Operand<Path>,
  less: Operand<Path>,
): Expression<Path> {
  return { subtract: [expressionOf(number), expressionOf(less)] };
}

/** Exact where one of the numbers is; null when one of them is. */
export function multiply<const Path extends string = never>(...numbers: readonly Operand<Path>[]): Expression<Path> {
  return { multiply: numbers.map(expressionOf) };
}

/** A floating-point number; null when it is divided by zero. */
export function divide<const Path extends string = never>(
  number: Operand<Path>,
  divisor: Operand<Path>,
): Expression<Path> {
  return { divide: [expressionOf(number), expressionOf(divisor)] };
}

/** The first that is not null. */
export function coalesce<const Path extends string = never>(...operands: readonly Operand<Path>[]): Expression<Path> {
  return { coalesce: operands.map(expressionOf) };
}

/**
 * The value of the first condition that holds.
 *
 * @example
 * caseWhen(
 *   [when({ field: 'total', operator: 'GreaterThan', value: 1000 }, 'large')],
 *   'small',
 * )
 */
export function caseWhen<const Path extends string = never>(
  branches: readonly ExpressionBranch<Path>[],
  otherwise: Operand<Path> = null,
): Expression<Path> {
  return { case: branches, else: expressionOf(otherwise) };
}

/** A branch of `caseWhen`: a condition, and the value where it holds. */
export function when<const Path extends string = never>(
  condition: ConditionTree,
  then: Operand<Path>,
): ExpressionBranch<Path> {
  // biome-ignore lint/suspicious/noThenProperty: the counterpart of `when`, and no function.
  return { when: condition, then: expressionOf(then) };
}

/** A value inside a JSON document; null when it is not of the type. */
export function jsonPath<const Path extends string>(
  path: Path,
  steps: readonly (string | number)[],
  type?: ColumnType,
): Expression<Path> {
  return { jsonPath: { field: path, path: steps, ...(type === undefined ? {} : { type }) } };
}

/** A part of a date, in the time zone of the caller. Weeks are those of ISO 8601, weekdays count from Monday, 1. */
export function datePart<const Path extends string>(part: DatePart, path: Path): Expression<Path> {
  return { datePart: { part, field: path } };
}

function expressionOf<Path extends string>(operand: Operand<Path>): Expression<Path> {
  return typeof operand === 'object' && operand !== null ? operand : { value: operand };
}
