import { sql } from 'kysely';
import { DateTime } from 'luxon';
import type { Operator } from '../../query/operators.ts';
import type { Sql } from './sql-dialect.ts';

/**
 * Records show instants to the millisecond, and what they show is what they are found by: columns that keep finer ones are
 * compared with the first instant of a millisecond, and the first of the next. The column stays bare, so that an index of it
 * serves.
 */
export function shownInstantComparison(operator: Operator, reference: Sql, first: Sql, next: Sql): Sql {
  switch (operator) {
    case 'Equal':
      return sql`(${reference} >= ${first} and ${reference} < ${next})`;
    case 'NotEqual':
      return sql`(${reference} < ${first} or ${reference} >= ${next} or ${reference} is null)`;
    case 'After':
      return sql`${reference} >= ${next}`;
    default:
      return sql`${reference} < ${first}`;
  }
}

/** Whether an instant, or one of a list, says more than milliseconds: then what is stored is meant, not what is shown. */
export function isFineInstant(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isFineInstant);
  return typeof value === 'string' && /:\d\d[.,]\d{3}0*[1-9]/.test(value);
}

/** A millisecond later. A text without zone is UTC. */
export function nextMillisecond(value: unknown): string {
  const instant = value instanceof Date ? DateTime.fromJSDate(value) : DateTime.fromISO(String(value), { zone: 'utc' });
  return instant.plus({ milliseconds: 1 }).toUTC().toISO() ?? String(value);
}
