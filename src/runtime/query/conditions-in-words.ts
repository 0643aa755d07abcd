import { type ConditionTree, isBranch } from './condition-tree.ts';
import type { Operator } from './operators.ts';

type LengthUnit = 'character' | 'byte';

/** What a value that fulfils an operator has to be, to follow the name of a field in a sentence for people. */
const rules: Readonly<Record<Operator, (value: unknown, unit: LengthUnit) => string>> = {
  Equal: (value) => `must be ${shown(value)}`,
  NotEqual: (value) => `must not be ${shown(value)}`,
  In: (value) => `must be one of ${shown(value)}`,
  NotIn: (value) => `must be none of ${shown(value)}`,
  Present: () => 'must not be empty',
  Blank: () => 'must be empty',
  Missing: () => 'must be empty',
  LessThan: (value) => `must be less than ${shown(value)}`,
  GreaterThan: (value) => `must be more than ${shown(value)}`,
  LessThanOrEqual: (value) => `must be at most ${shown(value)}`,
  GreaterThanOrEqual: (value) => `must be at least ${shown(value)}`,
  Contains: (value) => `must contain ${shown(value)}`,
  NotContains: (value) => `must not contain ${shown(value)}`,
  StartsWith: (value) => `must start with ${shown(value)}`,
  EndsWith: (value) => `must end with ${shown(value)}`,
  Like: (value) => `must have the form ${shown(value)}, where % is any text and _ any character`,
  IContains: (value) => `must contain ${shown(value)}`,
  NotIContains: (value) => `must not contain ${shown(value)}`,
  IStartsWith: (value) => `must start with ${shown(value)}`,
  IEndsWith: (value) => `must end with ${shown(value)}`,
  ILike: (value) => `must have the form ${shown(value)}, where % is any text and _ any character`,
  LongerThan: (value, unit) => `must be longer than ${counted(value, unit)}`,
  ShorterThan: (value, unit) => `must be shorter than ${counted(value, unit)}`,
  Match: (value) => `must match the pattern ${String(value)}`,
  IncludesAll: (value) => `must include all of ${shown(value)}`,
  IncludesNone: (value) => `must include none of ${shown(value)}`,
  Today: () => 'must be today',
  Yesterday: () => 'must be yesterday',
  Past: () => 'must be in the past',
  Future: () => 'must be in the future',
  PreviousWeek: () => 'must be in the week before this one',
  PreviousMonth: () => 'must be in the month before this one',
  PreviousQuarter: () => 'must be in the quarter before this one',
  PreviousYear: () => 'must be in the year before this one',
  PreviousWeekToDate: () => 'must be between the start of this week and now',
  PreviousMonthToDate: () => 'must be between the start of this month and now',
  PreviousQuarterToDate: () => 'must be between the start of this quarter and now',
  PreviousYearToDate: () => 'must be between the start of this year and now',
  Before: (value) => `must be before ${shown(value)}`,
  After: (value) => `must be after ${shown(value)}`,
  PreviousXDays: (value) => `must be in the ${shown(value)} days before today`,
  PreviousXDaysToDate: (value) => `must be between ${shown(value)} days ago and now`,
  BeforeXHoursAgo: (value) => `must be more than ${shown(value)} hours ago`,
  AfterXHoursAgo: (value) => `must be less than ${shown(value)} hours ago, or in the future`,
};

/**
 * A validation as people read it, after the name of a field: `must be longer than 2 characters`.
 *
 * @param unit What the length of the value is counted in.
 * @example ruleInWords('In', ['open', 'paid']) // must be one of "open", "paid"
 */
export function ruleInWords(operator: Operator, value?: unknown, unit: LengthUnit = 'character'): string {
  return rules[operator](value, unit);
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ');
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function counted(count: unknown, unit: LengthUnit): string {
  return Number(count) === 1 ? `1 ${unit}` : `${shown(count)} ${unit}s`;
}

const longestList = 3;

/** A condition as a person reads it: `total GreaterThan 10 and (status Equal "paid" or status Missing)`. */
export function conditionInWords(tree: ConditionTree): string {
  if (!isBranch(tree)) {
    const value = tree.value === undefined || tree.value === null ? '' : ` ${valueInWords(tree.value)}`;
    return `${tree.field} ${tree.operator}${value}`;
  }
  if (tree.conditions.length === 0) return tree.aggregator === 'And' ? 'anything' : 'nothing';
  return tree.conditions
    .map((condition) => (isBranch(condition) ? `(${conditionInWords(condition)})` : conditionInWords(condition)))
    .join(tree.aggregator === 'And' ? ' and ' : ' or ');
}

/** A condition as what a record has to be like: `status must be one of "open", "paid" and (total must be at least 5 or …)`. */
export function demandsInWords(tree: ConditionTree): string {
  if (!isBranch(tree)) return `${tree.field} ${ruleInWords(tree.operator, tree.value)}`;
  if (tree.conditions.length === 0) return conditionInWords(tree);
  return tree.conditions
    .map((condition) => (isBranch(condition) ? `(${demandsInWords(condition)})` : demandsInWords(condition)))
    .join(tree.aggregator === 'And' ? ' and ' : ' or ');
}

function valueInWords(value: unknown): string {
  if (!Array.isArray(value) || value.length <= longestList) return JSON.stringify(value) ?? '';
  return `[${value
    .slice(0, longestList)
    .map((item) => JSON.stringify(item))
    .join(', ')}, … ${value.length} in all]`;
}
