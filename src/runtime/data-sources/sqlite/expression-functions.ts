import type { SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import {
  addDecimals,
  decimalText,
  type ExactDecimal,
  multiplyDecimals,
  plainDecimal,
  scaledDecimal,
  subtractDecimals,
} from '../../query/exact-decimal.ts';
import type { DatePart } from '../../query/expression.ts';
import { valueInDocument } from '../../query/json-path.ts';
import { decimalDigits } from './sqlite-values.ts';
import { storedDatePart } from './stored-date-part.ts';

/** Functions that SQLite lacks for expressions: decimals of any length, and parts of dates in a time zone. */
export function defineExpressionFunctions(connection: SqliteConnection): void {
  const defineOnDecimals = (name: string, operate: (a: ExactDecimal, b: ExactDecimal) => ExactDecimal) =>
    connection.defineFunction(name, (a, b) =>
      isNull(a) || isNull(b) ? null : decimalText(operate(plainDecimal(a), plainDecimal(b))),
    );
  defineOnDecimals('exact_add', addDecimals);
  defineOnDecimals('exact_subtract', subtractDecimals);
  defineOnDecimals('exact_multiply', multiplyDecimals);
  connection.defineFunction('exact_text', (number, scale) => {
    if (isNull(number)) return null;
    return decimalText(plainDecimal(isNull(scale) ? number : decimalDigits(number, Number(scale))));
  });
  connection.defineFunction('exact_scaled', (digits, scale) =>
    isNull(digits) ? null : decimalText(scaledDecimal(plainDecimal(digits), Number(scale))),
  );
  connection.defineFunction('exact_double', (digits) => (isNull(digits) ? null : Number(digits)));
  connection.defineFunction('json_instant', (text) => valueInDocument([text], [0], 'Date') as SqlValue);
  connection.defineFunction('json_day', (text) => valueInDocument([text], [0], 'Dateonly') as SqlValue);
  connection.defineFunction('date_part', (date, part, zone) =>
    isNull(date) ? null : storedDatePart(String(date), part as DatePart, String(zone)),
  );
}

function isNull(value: SqlValue | undefined): value is null | undefined {
  return value === null || value === undefined;
}
