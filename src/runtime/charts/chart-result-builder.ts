import { jsonOnly } from '#kernel/json/json-only';
import type {
  ChartKind,
  ChartLine,
  ChartNumber,
  ChartPoint,
  ChartResult,
  ChartResultBuilder,
  TimeRange,
} from '../customizer/chart-definition.ts';
import {
  addDecimals,
  compareDecimals,
  decimalText,
  type ExactDecimal,
  parseDecimal,
  trimDecimal,
} from '../query/exact-decimal.ts';
import { bucketOf, bucketsBetween } from './chart-periods.ts';

/** @param timezone of the caller: days, weeks, months, quarters and years begin in it. */
export function createChartResultBuilder(timezone: string): ChartResultBuilder {
  return {
    value: (value, previous) =>
      chart('Value', {
        countCurrent: numberOrNull(value),
        ...(previous === undefined ? {} : { countPrevious: numberOrNull(previous) }),
      }),
    distribution: (values) => chart('Pie', shares(values).map(shown)),
    leaderboard: (values) =>
      chart(
        'Leaderboard',
        shares(values)
          .toSorted((a, b) => compareDecimals(b.value, a.value))
          .map(shown),
      ),
    timeBased: (timeRange, values) => chart('Line', timeBased(timeRange, pointsOf(values), timezone)),
    multipleTimeBased: (timeRange, dates, lines) => chart('Line', multipleTimeBased(timeRange, dates, lines, timezone)),
    percentage: (value) => chart('Percentage', chartNumber(chartDecimal(value))),
    objective: (value, objective) =>
      chart('Objective', { value: chartNumber(chartDecimal(value)), objective: chartNumber(chartDecimal(objective)) }),
    smart: (value) => chart('Smart', jsonOnly('The value of a smart chart', value)),
  };
}

function chart(kind: ChartKind, value: unknown): ChartResult {
  return { type: 'chart', kind, value };
}

interface Share {
  readonly key: string;
  readonly value: ExactDecimal;
}

function shares(values: Readonly<Record<string, ChartNumber>>): readonly Share[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: chartDecimal(value) }));
}

function shown({ key, value }: Share) {
  return { key, value: chartNumber(value) };
}

function pointsOf(values: readonly ChartPoint[] | Readonly<Record<string, ChartNumber | null>>): readonly ChartPoint[] {
  if (Array.isArray(values)) return values;
  return Object.entries((values ?? {}) as Readonly<Record<string, ChartNumber | null>>).map(([date, value]) => ({
    date,
    value,
  }));
}

function timeBased(timeRange: TimeRange, points: readonly ChartPoint[], timezone: string) {
  const days = points.map(({ date }) => bucketOf(date, timeRange, timezone));
  const sums = sumsByDay(
    days,
    points.map(({ value }) => value),
  );
  return bucketsBetween(days, timeRange).map(({ firstDay, label }) => ({
    label,
    values: { value: sumAt(sums, firstDay) },
  }));
}

function multipleTimeBased(
  timeRange: TimeRange,
  dates: readonly (Date | string)[] | undefined,
  lines: readonly ChartLine[] | undefined,
  timezone: string,
) {
  if (!dates || !lines) return { labels: null, values: null };
  if (dates.length === 0) return { labels: [], values: null };
  const days = dates.map((date) => bucketOf(date, timeRange, timezone));
  const buckets = bucketsBetween(days, timeRange);
  return {
    labels: buckets.map(({ label }) => label),
    values: lines.map(({ label, values }) => {
      if (values.length !== days.length) {
        throw new TypeError(`The line "${label}" has ${values.length} values for ${days.length} dates.`);
      }
      const sums = sumsByDay(days, values);
      return { key: label, values: buckets.map(({ firstDay }) => sumAt(sums, firstDay)) };
    }),
  };
}

type Sums = ReadonlyMap<string, number | string | null>;

function sumsByDay(days: readonly string[], values: readonly (ChartNumber | null | undefined)[]): Sums {
  const grouped = Map.groupBy(days.keys(), (index) => days[index] ?? '');
  return new Map([...grouped].map(([day, indexes]) => [day, sumOfPresent(indexes.map((index) => values[index]))]));
}

/** A period without a value counts as 0; one that is marked as missing stays `null`. */
function sumAt(sums: Sums, firstDay: string): number | string | null {
  return sums.has(firstDay) ? (sums.get(firstDay) ?? null) : 0;
}

function numberOrNull(value: ChartNumber | null): number | string | null {
  return value === null ? null : chartNumber(chartDecimal(value));
}

/** The digits of a number. Throws a `TypeError` for anything else. */
function chartDecimal(value: ChartNumber): ExactDecimal {
  const decimal = parseDecimal(value);
  if (decimal) return decimal;
  throw new TypeError(`A chart needs numbers, and ${JSON.stringify(String(value))} is not one.`);
}

/** A number of JSON where that is exact, else its digits as text. */
export function chartNumber(decimal: ExactDecimal): number | string {
  const text = decimalText(trimDecimal(decimal, 0));
  const number = Number(text);
  const rounded = parseDecimal(number);
  return rounded && compareDecimals(rounded, decimal) === 0 ? number : text;
}

/** The sum of the values; `null` when all of them are missing. */
function sumOfPresent(values: readonly (ChartNumber | null | undefined)[]): number | string | null {
  const present = values.filter((value) => value !== null && value !== undefined);
  if (present.length === 0) return null;
  return chartNumber(present.map(chartDecimal).reduce(addDecimals));
}
