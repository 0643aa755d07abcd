import type { ColumnType, PrimitiveType } from './column-type.ts';

/** The argument of an operator: none, one value of the column's type, a list of them, or a number of its own. */
export type OperatorArgument = 'none' | 'value' | 'list' | 'number';

/** Every filter operator, by the name used in code. The wire name is the same in snake case. */
export const operatorArguments = {
  Equal: 'value',
  NotEqual: 'value',
  In: 'list',
  NotIn: 'list',
  Present: 'none',
  Blank: 'none',
  Missing: 'none',
  LessThan: 'value',
  GreaterThan: 'value',
  LessThanOrEqual: 'value',
  GreaterThanOrEqual: 'value',
  Contains: 'value',
  NotContains: 'value',
  StartsWith: 'value',
  EndsWith: 'value',
  Like: 'value',
  IContains: 'value',
  NotIContains: 'value',
  IStartsWith: 'value',
  IEndsWith: 'value',
  ILike: 'value',
  LongerThan: 'number',
  ShorterThan: 'number',
  Match: 'value',
  IncludesAll: 'list',
  IncludesNone: 'list',
  Today: 'none',
  Yesterday: 'none',
  Past: 'none',
  Future: 'none',
  PreviousWeek: 'none',
  PreviousMonth: 'none',
  PreviousQuarter: 'none',
  PreviousYear: 'none',
  PreviousWeekToDate: 'none',
  PreviousMonthToDate: 'none',
  PreviousQuarterToDate: 'none',
  PreviousYearToDate: 'none',
  Before: 'value',
  After: 'value',
  PreviousXDays: 'number',
  PreviousXDaysToDate: 'number',
  BeforeXHoursAgo: 'number',
  AfterXHoursAgo: 'number',
} as const satisfies Record<string, OperatorArgument>;

/** The name of a comparison in a condition. */
export type Operator = keyof typeof operatorArguments;

export const operatorNames = Object.keys(operatorArguments) as readonly Operator[];

const presence = ['Present', 'Blank', 'Missing'] as const satisfies readonly Operator[];
const base = ['Equal', 'NotEqual', ...presence] as const satisfies readonly Operator[];
const membership = ['In', 'NotIn'] as const satisfies readonly Operator[];
const lists = [...base, ...membership, 'IncludesAll', 'IncludesNone'] as const satisfies readonly Operator[];
const order = [
  'LessThan',
  'GreaterThan',
  'LessThanOrEqual',
  'GreaterThanOrEqual',
] as const satisfies readonly Operator[];
const text = operatorNames.slice(operatorNames.indexOf('Contains'), operatorNames.indexOf('Match'));
const hours = ['BeforeXHoursAgo', 'AfterXHoursAgo'] as const satisfies readonly Operator[];
const dates = operatorNames.slice(operatorNames.indexOf('Today'), operatorNames.indexOf('BeforeXHoursAgo'));

const wireOperators: Readonly<Record<PrimitiveType, ReadonlySet<Operator>>> = {
  Binary: new Set(lists),
  Boolean: new Set(lists),
  Date: new Set([...base, ...membership, ...dates, ...hours]),
  Dateonly: new Set([...base, ...membership, ...dates]),
  Enum: new Set(lists),
  Json: new Set(lists),
  Number: new Set([...lists, ...order]),
  Point: new Set(base),
  String: new Set([...lists, ...text]),
  Time: new Set([...base, ...membership, 'LessThan', 'GreaterThan']),
  Uuid: new Set(lists),
};

/** The operators a request may use on a column of the type; a list is judged by what it holds, an object by nothing. */
export function operatorsOfType(type: ColumnType): ReadonlySet<Operator> {
  if (typeof type === 'string') return wireOperators[type];
  return isListType(type) ? operatorsOfType(type[0]) : none;
}

const none: ReadonlySet<Operator> = new Set();

/** The operators of a column that a request may use: some databases know more, for code. */
export function operatorsOfRequests(column: {
  readonly type: ColumnType;
  readonly operators: ReadonlySet<Operator>;
}): Operator[] {
  const ofType = operatorsOfType(column.type);
  return [...column.operators].filter((operator) => ofType.has(operator));
}

/**
 * Whether values of the type have an order. Documents and points have none that databases agree on, or none at all; lists have
 * that of their items.
 */
export function hasOrder(type: ColumnType): boolean {
  if (isListType(type)) return hasOrder(type[0]);
  return typeof type === 'string' && type !== 'Json' && type !== 'Point';
}

export function isListType(type: ColumnType): type is readonly [ColumnType] {
  return Array.isArray(type);
}

/** The operator of a wire spelling (`i_contains`, also `IContains` and `iContains`), or `undefined`. */
export function operatorFromWire(spelling: string): Operator | undefined {
  const name = spelling.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(operatorArguments, name) ? (name as Operator) : undefined;
}

/** `IContains` → `i_contains`. */
export function operatorToWire(operator: Operator): string {
  return operator.replaceAll(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
