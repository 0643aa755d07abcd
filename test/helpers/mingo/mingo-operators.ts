import { Context, evalExpr } from 'mingo/core';
import * as accumulator from 'mingo/operators/accumulator';
import * as expression from 'mingo/operators/expression';
import * as pipeline from 'mingo/operators/pipeline';
import * as projection from 'mingo/operators/projection';
import * as query from 'mingo/operators/query';
import type { AnyObject, Options } from 'mingo/types';
import { ObjectId } from 'mongodb';
import { isPlainObject } from '#node/mongo/mongo-bson-values';
import { ExactNumber } from './exact-number.ts';

/** The operators of mingo, those that meet ids and exact numbers taught about them. */
export const mingoContext = Context.init({
  accumulator: { ...accumulator, $sum: sum },
  expression: { ...expression, $convert: convert, $toString: text, $toDecimal: exact, $divide: divide },
  pipeline,
  projection,
  query,
});

function sum(documents: readonly AnyObject[], term: unknown, options: Options): unknown {
  const values: readonly unknown[] = accumulator.$push([...documents], term, options);
  const numbers = values.filter((value) => value instanceof ExactNumber);
  if (numbers.length === 0) return accumulator.$sum([...documents], term, options);
  return numbers.reduce((total, value) => total.plus(value));
}

function text(document: AnyObject, operand: unknown, options: Options): unknown {
  const value = evalExpr(document, operand, options);
  // A server refuses these, where mingo writes JSON.
  if (isPlainObject(value) || Array.isArray(value)) throw new TypeError('Unsupported conversion to string.');
  return value instanceof ObjectId ? value.toHexString() : expression.$toString(document, { $literal: value }, options);
}

function convert(document: AnyObject, operand: unknown, options: Options): unknown {
  const { input, to, onError } = operand as { readonly input: unknown; readonly to: string; readonly onError: unknown };
  if (to === 'decimal') return exact(document, input, options);
  try {
    return text(document, input, options);
  } catch {
    return onError;
  }
}

function exact(document: AnyObject, operand: unknown, options: Options): unknown {
  const value = evalExpr(document, operand, options) ?? null;
  return value === null ? null : ExactNumber.of(value);
}

function divide(document: AnyObject, operands: readonly unknown[], options: Options): unknown {
  const [dividend, divisor] = operands.map((operand) => evalExpr(document, operand, options));
  if (dividend instanceof ExactNumber && divisor instanceof ExactNumber) return dividend.dividedBy(divisor);
  return expression.$divide(document, [dividend, divisor], options);
}
