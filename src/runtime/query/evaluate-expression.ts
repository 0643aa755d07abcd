import type { DateTime } from 'luxon';
import { datePartReader } from './date-parts.ts';
import { recordPredicate } from './evaluate-condition.ts';
import {
  addDecimals,
  decimalText,
  type ExactDecimal,
  multiplyDecimals,
  plainDecimal,
  scaledDecimal,
  subtractDecimals,
} from './exact-decimal.ts';
import { type ArithmeticOperator, arithmeticOf, type Expression } from './expression.ts';
import { type ExpressionType, expressionType } from './expression-type.ts';
import { valueInDocument } from './json-path.ts';
import type { ColumnLookup } from './parse-condition-tree.ts';
import { valueReader } from './record-path.ts';
import type { RecordData } from './record-query.ts';

type Read = (record: RecordData) => unknown;

interface Typed {
  readonly type: ExpressionType;
  readonly read: Read;
}

/**
 * An expression as a function of a record, relations nested in it. This is what every engine is measured by.
 *
 * Null: a text is put together as if it were empty, a number reckoned with it is null. Exact numbers stay exact when they
 * are added, subtracted and multiplied; a quotient is a floating-point number, and null when the divisor is zero.
 *
 * @param columnAt the column at the end of a path.
 * @param now the present, in the time zone of the caller.
 */
export function expressionReader(expression: Expression, columnAt: ColumnLookup, now: DateTime): Read {
  const { type, read } = typed(expression, columnAt, now);
  return type.isExact ? (record) => exactText(read(record), type) : read;
}

function typed(expression: Expression, columnAt: ColumnLookup, now: DateTime): Typed {
  const type = expressionType(expression, columnAt);
  return { type, read: readerOf(expression, type, columnAt, now) };
}

function readerOf(expression: Expression, type: ExpressionType, columnAt: ColumnLookup, now: DateTime): Read {
  const inner = (part: Expression) => typed(part, columnAt, now);
  if ('field' in expression) return valueReader(expression.field);
  if ('value' in expression) return () => expression.value;
  if ('concat' in expression) {
    const parts = expression.concat.map((part) => textReader(inner(part)));
    return (record) => parts.map((part) => part(record)).join('');
  }
  if ('coalesce' in expression) {
    const parts = expression.coalesce.map(inner);
    return (record) => firstValue(parts, record);
  }
  if ('jsonPath' in expression) {
    const { field, path, type: valueType = 'String' } = expression.jsonPath;
    const read = valueReader(field);
    return (record) => valueInDocument(read(record), path, valueType);
  }
  if ('datePart' in expression) {
    const { part, field } = expression.datePart;
    const [read, partOf] = [valueReader(field), datePartReader(part, columnAt(field).type, now.zone)];
    return (record) => {
      const value = read(record);
      return value === null ? null : partOf(value);
    };
  }
  if ('case' in expression) {
    const branches = expression.case.map((branch) => ({
      isMet: recordPredicate(branch.when, columnAt, now),
      ...inner(branch.then),
    }));
    const otherwise = inner(expression.else ?? { value: null });
    return (record) => (branches.find(({ isMet }) => isMet(record)) ?? otherwise).read(record);
  }
  const { operator, operands } = arithmeticOf(expression) ?? { operator: 'add', operands: [] };
  return arithmeticReader(operator, operands.map(inner), type);
}

function firstValue(parts: readonly Typed[], record: RecordData): unknown {
  for (const { read } of parts) {
    const value = read(record);
    if (value !== null) return value;
  }
  return null;
}

const onNumbers: Readonly<Record<ArithmeticOperator, (a: number, b: number) => number | null>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => (b === 0 ? null : a / b),
};

const onDecimals: Readonly<
  Record<Exclude<ArithmeticOperator, 'divide'>, (a: ExactDecimal, b: ExactDecimal) => ExactDecimal>
> = {
  add: addDecimals,
  subtract: subtractDecimals,
  multiply: multiplyDecimals,
};

function arithmeticReader(operator: ArithmeticOperator, operands: readonly Typed[], type: ExpressionType): Read {
  return (record) => {
    const values = operands.map(({ read }) => read(record));
    if (values.includes(null)) return null;
    if (operator === 'divide' || !type.isExact) {
      const [first = 0, ...others] = values.map(Number);
      return others.reduce<number | null>((a, b) => (a === null ? null : onNumbers[operator](a, b)), first);
    }
    return decimalText(values.map(plainDecimal).reduce(onDecimals[operator]));
  };
}

function exactText(value: unknown, { scale }: ExpressionType): unknown {
  if (value === null) return null;
  const decimal = plainDecimal(value);
  return decimalText(scale === undefined ? decimal : scaledDecimal(decimal, scale));
}

function textReader({ type, read }: Typed): (record: RecordData) => string {
  return (record) => {
    const value = read(record);
    if (value === null) return '';
    if (type.isExact) return String(exactText(value, type));
    return typeof value === 'number' ? decimalText(plainDecimal(value)) : String(value);
  };
}
