import { coerceLeafValue } from '../coerce-leaf-value.ts';
import type { ColumnType } from '../column-type.ts';
import { columnValueProblem } from '../column-value.ts';
import type { ConditionTree } from '../condition-tree.ts';
import { isListType, type Operator } from '../operators.ts';
import { dateCondition } from './date-condition.ts';
import { type ComparisonSign, conditionOn, eitherOf, readComparison, type SearchedField } from './searched-field.ts';

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
function numberCondition(field: SearchedField, text: string, isNegated: boolean): ConditionTree | undefined {
  const { sign, value: digits } = readComparison(text, isNegated);
  const value = numberValue(field.column, digits);
  if (value === undefined) return undefined;
  const condition = conditionOn(field, operatorOf[sign], value);
  return isNegated && sign !== '=' && sign !== '!=' ? eitherOf([condition, conditionOn(field, 'Missing')]) : condition;
}

/** The number of a text as the column takes it, no digit lost. */
function numberValue(column: SearchedField['column'], digits: string): unknown {
  if (digits.length > maxDigits || !numberText.test(digits)) return undefined;
  const value = coerceLeafValue({ ...column, type: 'Number' }, 'Equal', digits);
  return columnValueProblem({ ...column, type: 'Number' }, value) === undefined ? value : undefined;
}

type TermCondition = (field: SearchedField, text: string, isNegated: boolean) => ConditionTree | undefined;

/**
 * The condition of a term on one field, by the type of the field. A text contains it, a number or an enum value equals it, and
 * a date lies within it. A negated term holds for exactly the other records, including those without a value.
 *
 * @returns `undefined` when the field cannot hold the term at all, nor be asked for it.
 */
export function termCondition(field: SearchedField, text: string, isNegated: boolean): ConditionTree | undefined {
  if (text === 'NULL') return conditionOn(field, isNegated ? 'Present' : 'Missing');
  const { type } = field.column;
  if (text === '') return type === 'String' ? conditionOn(field, isNegated ? 'NotEqual' : 'Equal', '') : undefined;
  if (isListType(type)) return listCondition(field, type[0], text, isNegated);
  return typeof type === 'string' ? conditions[type]?.(field, text, isNegated) : undefined;
}

const conditions: Readonly<Partial<Record<string, TermCondition>>> = {
  String: textCondition,
  Number: numberCondition,
  Date: dateCondition,
  Dateonly: dateCondition,
  Enum: (field, text, isNegated) => membership(field, enumValues(field.column, text), isNegated),
  Boolean: (field, text, isNegated) => membership(field, booleanValues(text), isNegated),
  Uuid: (field, text, isNegated) => membership(field, uuidValues(text), isNegated),
};

const textOperators: readonly (readonly [positive: Operator, negative: Operator])[] = [
  ['IContains', 'NotIContains'],
  ['Contains', 'NotContains'],
  ['Equal', 'NotEqual'],
];

/** Contained, without regard to case where the field can be asked so. */
function textCondition(field: SearchedField, text: string, isNegated: boolean): ConditionTree | undefined {
  for (const [positive, negative] of textOperators) {
    const condition = conditionOn(field, isNegated ? negative : positive, text);
    if (condition) return condition;
  }
  return undefined;
}

function membership(field: SearchedField, values: readonly unknown[], isNegated: boolean): ConditionTree | undefined {
  const [only] = values;
  if (values.length === 0) return undefined;
  if (values.length === 1) return conditionOn(field, isNegated ? 'NotEqual' : 'Equal', only);
  return conditionOn(field, isNegated ? 'NotIn' : 'In', values);
}

/** Some item is it. */
function listCondition(
  field: SearchedField,
  type: ColumnType,
  text: string,
  isNegated: boolean,
): ConditionTree | undefined {
  const values = itemValues(field, type, text);
  if (values.length === 0) return undefined;
  if (isNegated) return conditionOn(field, 'IncludesNone', values);
  return eitherOf(values.map((value) => conditionOn(field, 'IncludesAll', [value])));
}

function itemValues({ column }: SearchedField, type: ColumnType, text: string): readonly unknown[] {
  if (type === 'String') return [text];
  if (type === 'Enum') return enumValues(column, text);
  const number = type === 'Number' ? numberValue(column, text.trim()) : undefined;
  return number === undefined ? [] : [number];
}

function enumValues({ enumValues: known = [] }: SearchedField['column'], text: string): readonly string[] {
  const wanted = text.trim();
  // What may be in it is not known, so nothing is to be compared without case.
  if (known.length === 0) return [wanted];
  return known.filter((value) => value.trim().toLowerCase() === wanted.toLowerCase());
}

function booleanValues(text: string): readonly boolean[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === 'true' || wanted === '1') return [true];
  return wanted === 'false' || wanted === '0' ? [false] : [];
}

/** Databases that keep UUIDs as text keep them in either case. */
function uuidValues(text: string): readonly string[] {
  const uuid = text.trim();
  if (columnValueProblem({ type: 'Uuid', isExact: false }, uuid) !== undefined) return [];
  return [...new Set([uuid, uuid.toLowerCase(), uuid.toUpperCase()])];
}
