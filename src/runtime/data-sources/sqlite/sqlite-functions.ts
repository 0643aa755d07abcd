import { IANAZone } from 'luxon';
import type { SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { simpleLowerCase } from '#kernel/text/simple-lower-case';
import type { DateBucket } from '../../query/aggregation.ts';
import {
  addDecimals,
  compareDecimals,
  decimalText,
  type ExactDecimal,
  plainDecimal,
} from '../../query/exact-decimal.ts';
import { likeMatcher } from '../../query/like-matcher.ts';
import { averageText, rankText, storedDecimal } from './sqlite-decimals.ts';
import { defineExpressionFunctions } from './sqlite-expression-functions.ts';
import { keptForm, shownText } from './sqlite-values.ts';

/**
 * Functions that SQLite lacks for our semantics: letters without case, patterns of any length, calendar stretches in a time
 * zone, and sums of decimals that lose no digit.
 */
export function defineSqliteFunctions(connection: SqliteConnection): void {
  connection.defineFunction('simple_lower', (text) =>
    typeof text === 'string' ? simpleLowerCase(text) : (text ?? null),
  );
  connection.defineFunction('matches_like', matchesLike());
  connection.defineFunction('first_day', (instant, unit, zone) =>
    firstDay(instant ?? null, String(unit), String(zone)),
  );
  connection.defineFunction('exact_rank', (decimal) =>
    decimal === null || decimal === undefined ? null : rankText(String(decimal)),
  );
  connection.defineFunction('shown_text', (value) => (value === null || value === undefined ? null : shownText(value)));
  connection.defineFunction('kept_form', (stored, value) => keptForm(stored ?? null, value ?? null));
  defineExpressionFunctions(connection);
  defineExtreme(connection, 'exact_min', -1);
  defineExtreme(connection, 'exact_max', 1);
  connection.defineAggregate<ExactDecimal | undefined>('exact_sum', {
    start: () => undefined,
    step: (sum, value, scale) =>
      value === null || value === undefined ? sum : addTo(sum, storedDecimal(value, Number(scale))),
    result: (sum) => (sum ? decimalText(sum) : null),
  });
  connection.defineAggregate<{ readonly sum: ExactDecimal | undefined; readonly count: number }>('exact_avg', {
    start: () => ({ sum: undefined, count: 0 }),
    step: (state, value, scale) =>
      value === null || value === undefined
        ? state
        : { sum: addTo(state.sum, storedDecimal(value, Number(scale))), count: state.count + 1 },
    result: ({ sum, count }) => (sum ? averageText(sum, count) : null),
  });
}

/** The digits that come first, or last, in the order of the numbers. */
function defineExtreme(connection: SqliteConnection, name: string, direction: 1 | -1): void {
  connection.defineAggregate<string | undefined>(name, {
    start: () => undefined,
    step: (best, value) => {
      if (value === null || value === undefined) return best;
      const digits = String(value);
      if (best === undefined) return digits;
      return compareDecimals(plainDecimal(digits), plainDecimal(best)) * direction > 0 ? digits : best;
    },
    result: (best) => best ?? null,
  });
}

function addTo(sum: ExactDecimal | undefined, value: ExactDecimal): ExactDecimal {
  return sum ? addDecimals(sum, value) : value;
}

/** The pattern of one statement is the same for all of its rows. */
function matchesLike(): (text?: SqlValue, pattern?: SqlValue) => SqlValue {
  let last: { readonly pattern: string; readonly isMatch: (text: string) => boolean } | undefined;
  return (text, pattern) => {
    if (text === null || text === undefined || typeof pattern !== 'string') return null;
    if (last?.pattern !== pattern) last = { pattern, isMatch: likeMatcher(pattern) };
    return last.isMatch(String(text)) ? 1 : 0;
  };
}

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** `unit` is a bucket in lower case; a text of ten characters is a day already and belongs to no zone. */
function firstDay(value: SqlValue, unit: string, zone: string): string | null {
  if (value === null) return null;
  const text = String(value);
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) return null;
  const offsetMs = text.length === 10 ? 0 : IANAZone.create(zone).offset(instant) * minuteMs;
  // The local day, reckoned as if it were one of UTC: days, weeks and months have no zone.
  const day = new Date(Math.floor((instant + offsetMs) / dayMs) * dayMs);
  return firstDayOf(day, unit as Lowercase<DateBucket>)
    .toISOString()
    .slice(0, 10);
}

function firstDayOf(day: Date, unit: Lowercase<DateBucket>): Date {
  switch (unit) {
    case 'day':
      return day;
    case 'week':
      return new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * dayMs);
    case 'month':
      return new Date(day.getTime() - (day.getUTCDate() - 1) * dayMs);
    case 'quarter':
      return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - (day.getUTCMonth() % 3)));
    case 'year':
      return new Date(Date.UTC(day.getUTCFullYear(), 0));
  }
}
