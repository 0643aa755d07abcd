import { IANAZone } from 'luxon';
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

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** A part of a stored instant on the clock of a zone; a text of ten characters is a day already and belongs to none. */
function storedDatePart(stored: string, part: DatePart, zone: string): number | null {
  const instant = Date.parse(stored);
  if (Number.isNaN(instant)) return null;
  const isLocal = stored.length === 10 || zone === 'UTC';
  const offsetMs = isLocal ? 0 : IANAZone.create(zone).offset(instant) * minuteMs;
  // The local time, reckoned as if it were one of UTC: years, weeks and days have no zone.
  return parts[part](new Date(instant + offsetMs));
}

const parts: Readonly<Record<DatePart, (local: Date) => number>> = {
  year: (local) => local.getUTCFullYear(),
  quarter: (local) => Math.floor(local.getUTCMonth() / 3) + 1,
  month: (local) => local.getUTCMonth() + 1,
  week: weekOf,
  weekday: weekdayOf,
  day: (local) => local.getUTCDate(),
  hour: (local) => local.getUTCHours(),
};

function weekdayOf(local: Date): number {
  return local.getUTCDay() || 7;
}

/** A week is of the year that its Thursday is of. */
function weekOf(local: Date): number {
  const thursday = new Date(local.getTime() + (4 - weekdayOf(local)) * dayMs);
  const dayOfYear = Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0)) / dayMs);
  return Math.floor(dayOfYear / 7) + 1;
}
