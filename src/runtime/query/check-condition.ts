import { nearestName } from '#kernel/text/nearest-name';
import type { ColumnSchema } from './collection-schema.ts';
import { columnValueProblem } from './column-value.ts';
import {
  isListType,
  type Operator,
  operatorArguments,
  operatorFromWire,
  operatorNames,
  operatorsOfRequests,
  operatorsOfType,
  operatorToWire,
} from './operators.ts';
import { furthestAmount } from './relative-dates.ts';

type FilteredColumn = Pick<ColumnSchema, 'type' | 'operators'>;

/** The origin of a condition: code may use every operator of a column, a request only those of the type too. */
export type ConditionOrigin = 'wire' | 'code';

/** The reason why an operator cannot be used on a column, with the operators that can; `undefined` when it can be used. */
export function operatorProblem(
  column: FilteredColumn,
  operator: unknown,
  origin: ConditionOrigin,
): string | undefined {
  if (typeof operator !== 'string' || !Object.hasOwn(operatorArguments, operator)) {
    return [unknownOperator(operator, origin), usable(column, origin)].join('');
  }
  const known = operator as Operator;
  const isRefusedByType = origin === 'wire' && !operatorsOfType(column.type).has(known);
  if (column.operators.has(known) && !isRefusedByType) return undefined;
  if (column.operators.size === 0) return 'the field cannot be filtered';
  return `the field does not support "${spelt(known, origin)}"${usable(column, origin)}`;
}

/** The problem of an unknown operator, with the nearest one, in either spelling. */
export function unknownOperator(spelling: unknown, origin: ConditionOrigin): string {
  const nearest = typeof spelling === 'string' ? nearestOperator(spelling) : undefined;
  const hint = nearest === undefined ? '' : `, the nearest one is "${spelt(nearest, origin)}"`;
  return `there is no operator ${JSON.stringify(spelling)}${hint}`;
}

function nearestOperator(spelling: string): Operator | undefined {
  const nearest = nearestName(spelling, operatorNames) ?? nearestName(spelling, operatorNames.map(operatorToWire));
  return operatorFromWire(spelling) ?? (nearest === undefined ? undefined : operatorFromWire(nearest));
}

function usable(column: FilteredColumn, origin: ConditionOrigin): string {
  const names = origin === 'code' ? [...column.operators] : operatorsOfRequests(column);
  return names.length === 0 ? '' : `; the field has ${names.map((name) => spelt(name, origin)).join(', ')}`;
}

function spelt(operator: Operator, origin: ConditionOrigin): string {
  return origin === 'wire' ? operatorToWire(operator) : operator;
}

/** Operators that compare with `null` and mean it. */
const nullableOperators: ReadonlySet<Operator> = new Set(['Equal', 'In', 'NotIn', 'IncludesAll', 'IncludesNone']);

/** How many values a request may compare with at once. */
const maxListed = 10_000;

/**
 * How many characters of text a request may look for in texts, in one condition and in all of its filter. A database compares
 * them with every row.
 */
const longestPattern = 1000;
export const longestPatterns = 5000;

const patternOperators: ReadonlySet<Operator> = new Set([
  ...(['Contains', 'NotContains', 'StartsWith', 'EndsWith', 'Like'] as const),
  ...(['IContains', 'NotIContains', 'IStartsWith', 'IEndsWith', 'ILike'] as const),
]);

/** The characters of a value that an operator looks for within texts; 0 for an operator that compares whole values. */
export function patternLength(operator: Operator, value: unknown): number {
  return patternOperators.has(operator) && typeof value === 'string' ? value.length : 0;
}

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
  if (origin === 'wire' && patternLength(operator, value) > longestPattern) {
    return `"${name}" takes at most ${longestPattern} characters`;
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
