import type { ColumnSchema } from './collection-schema.ts';
import { columnValueProblem } from './column-value.ts';
import { type ConditionOrigin, operatorProblem } from './operator-problem.ts';
import { isListType, type Operator, operatorArguments, operatorToWire } from './operators.ts';
import { furthestAmount } from './relative-dates.ts';

/** Operators that compare with `null` and mean it. */
const nullableOperators: ReadonlySet<Operator> = new Set(['Equal', 'In', 'NotIn', 'IncludesAll', 'IncludesNone']);

/** How many values a request may compare with at once. */
const maxListed = 10_000;

/**
 * The reason why a condition cannot be used on its column, or `undefined` when it can. A tree written in code may use every
 * operator the column supports and compare with `null` by `NotEqual`; one from a request is held to the table of its type.
 */
export function checkLeaf(
  column: ColumnSchema,
  operator: Operator,
  value: unknown,
  origin: ConditionOrigin,
): string | undefined {
  const name = origin === 'wire' ? operatorToWire(operator) : operator;
  return operatorProblem(column, operator, origin) ?? valueProblem(column, operator, value, origin, name);
}

function valueProblem(
  column: ColumnSchema,
  operator: Operator,
  value: unknown,
  origin: ConditionOrigin,
  name: string,
): string | undefined {
  const argument = operatorArguments[operator];
  const isNull = value === null || value === undefined;
  if (argument === 'none') return isNull ? undefined : `"${name}" takes no value`;
  if (isNull) {
    const isAllowed = nullableOperators.has(operator) || (operator === 'NotEqual' && origin === 'code');
    return isAllowed ? undefined : `"${name}" needs a value`;
  }
  if (argument === 'number') {
    if (typeof value !== 'number' || !Number.isFinite(value)) return `"${name}" needs a number`;
    const furthest = furthestAmount(operator);
    return Math.abs(value) <= furthest ? undefined : `"${name}" reaches at most ${furthest} back or ahead`;
  }
  if (operator === 'Match') return isPattern(value) ? undefined : `"${name}" needs a regular expression`;
  const item = isListType(column.type) ? { ...column, type: column.type[0] } : column;
  if (argument === 'list') {
    if (!Array.isArray(value)) return `"${name}" needs a list`;
    if (origin === 'wire' && value.length > maxListed) return `"${name}" takes at most ${maxListed} values`;
    const problem = value.map((one) => columnValueProblem(item, one)).find((found) => found !== undefined);
    return problem === undefined ? undefined : `every value must be ${problem}`;
  }
  const problem = columnValueProblem(column, value);
  return problem === undefined ? undefined : `the value must be ${problem}`;
}

/** The text of one is taken with the flag `u`. */
function isPattern(value: unknown): boolean {
  if (value instanceof RegExp) return true;
  if (typeof value !== 'string') return false;
  try {
    new RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}
