import { DateTime } from 'luxon';
import { decimalText, parseDecimal, roundDecimal } from '../../query/exact-decimal.ts';
import type { MemoryColumn } from './memory-schema.ts';

/** A validated value in the form in which records carry it. */
export function storedValue(column: MemoryColumn, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  switch (column.type) {
    case 'Number':
      return storedNumber(column, value);
    case 'Date':
      return storedInstant(value);
    case 'Time':
      return /^\d{2}:\d{2}$/.test(String(value)) ? `${value}:00` : value;
    case 'Uuid':
      return String(value).toLowerCase();
    default:
      // Store a copy, so that the caller cannot change the stored value.
      return typeof value === 'object' ? structuredClone(value) : value;
  }
}

function storedNumber({ isExact, scale }: MemoryColumn, value: unknown): unknown {
  if (isExact !== true) return typeof value === 'number' ? value : Number(value);
  const decimal = parseDecimal(value);
  if (!decimal) return value;
  return decimalText(scale === undefined ? decimal : roundDecimal(decimal, scale));
}

function storedInstant(value: unknown): string {
  const instant = value instanceof Date ? DateTime.fromJSDate(value) : DateTime.fromISO(String(value), { zone: 'utc' });
  return instant.toUTC().toISO() ?? String(value);
}
