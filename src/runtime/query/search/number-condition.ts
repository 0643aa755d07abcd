import { coerceLeafValue } from '../coerce-leaf-value.ts';
import { columnValueProblem } from '../column-value.ts';
import type { ConditionTree } from '../condition-tree.ts';
import type { Operator } from '../operators.ts';
import { type ComparisonSign, readComparison } from './comparison-text.ts';
import { conditionOn, eitherOf, type SearchedField } from './searched-field.ts';

const numberText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
/** More than any column keeps. */
const maxDigits = 400;

const operatorOf: Readonly<Record<ComparisonSign, Operator>> = {
  '=': 'Equal',
  '!=': 'NotEqual',
  '<': 'LessThan',
  '<=': 'LessThanOrEqual',
  '>': 'GreaterThan',
  '>=': 'GreaterThanOrEqual',
};

/** The number, or those on one side of it: `5`, `-0.5`, `>=1e3`, `!=7`. Records without one are met by what is negated. */
export function numberCondition(field: SearchedField, text: string, isNegated: boolean): ConditionTree | undefined {
  const { sign, value: digits } = readComparison(text, isNegated);
  const value = numberValue(field.column, digits);
  if (value === undefined) return undefined;
  const condition = conditionOn(field, operatorOf[sign], value);
  return isNegated && sign !== '=' && sign !== '!=' ? eitherOf([condition, conditionOn(field, 'Missing')]) : condition;
}

/** The number of a text as the column takes it, no digit lost. */
export function numberValue(column: SearchedField['column'], digits: string): unknown {
  if (digits.length > maxDigits || !numberText.test(digits)) return undefined;
  const value = coerceLeafValue({ ...column, type: 'Number' }, 'Equal', digits);
  return columnValueProblem({ ...column, type: 'Number' }, value) === undefined ? value : undefined;
}
