import { cloudError } from '#kernel/errors/cloud-error';
import type { SqlRow } from '#kernel/ports/sql-row';
import { parseDecimal } from '../query/exact-decimal.ts';
import { chartNumber } from './chart-result-builder.ts';

export const nativeQueryChartTypes = ['Value', 'Objective', 'Pie', 'Line', 'Leaderboard'] as const;
export type NativeQueryChartType = (typeof nativeQueryChartTypes)[number];

/** A chart with the numbers of a query in the language of a database. */
export interface NativeQueryChart {
  readonly type: NativeQueryChartType;
  readonly connectionName: string;
  /** `{{name}}` in it is a variable. */
  readonly query: string;
}

/** The value of the chart from the rows of its query, as JSON; an empty list when there are no rows. */
export function nativeQueryValue(type: NativeQueryChartType, rows: readonly SqlRow[]): unknown {
  const [first] = rows;
  if (!first) return [];
  switch (type) {
    case 'Value': {
      checkColumns(type, first, ['value']);
      const previous = Object.hasOwn(first, 'previous') ? { countPrevious: numberOf(first['previous']) } : {};
      return { countCurrent: numberOf(first['value']), ...previous };
    }
    case 'Objective':
      checkColumns(type, first, ['value', 'objective']);
      return { objective: numberOf(first['objective']), value: numberOf(first['value']) };
    case 'Line':
      checkColumns(type, first, ['key', 'value']);
      return rows.map((row) => ({ label: keyOf(row['key']), values: { value: numberOf(row['value']) } }));
    default:
      checkColumns(type, first, ['key', 'value']);
      return rows.map((row) => ({ key: keyOf(row['key']), value: numberOf(row['value']) }));
  }
}

function checkColumns(type: NativeQueryChartType, row: SqlRow, names: readonly string[]): void {
  const missing = names.filter((name) => !Object.hasOwn(row, name));
  if (missing.length === 0) return;
  throw cloudError(
    'DATABASE_NATIVE_QUERY_REFUSED',
    `The query of a ${type} chart gives no column ${missing.map((name) => `"${name}"`).join(' and no ')}.`,
    `Name the columns ${names.map((name) => `"${name}"`).join(' and ')} with "as".`,
  );
}

function numberOf(value: unknown): unknown {
  const decimal = parseDecimal(value);
  return decimal ? chartNumber(decimal) : (value ?? null);
}

function keyOf(value: unknown): unknown {
  return typeof value === 'bigint' || value instanceof Uint8Array ? String(value) : (value ?? null);
}
