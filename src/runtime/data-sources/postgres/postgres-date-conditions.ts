import { sql } from 'kysely';
import type { DateTime } from 'luxon';
import { meansMillisecond } from '../../query/instant-precision.ts';
import type { Operator } from '../../query/operators.ts';
import { type DayInterval, type Interval, relativeDays, relativeInterval } from '../../query/relative-dates.ts';
import type { LeafInput, Sql } from '../sql/sql-dialect.ts';
import { slot } from '../sql/statement-parameters.ts';
import { comparedType } from './postgres-native-type.ts';
import { encodeForPostgres } from './postgres-values.ts';

type Edge = 'after' | 'before' | 'from';

/** Stretches of time relative to the present, as bounds on the bare column: an index on it serves them. */
export function dateCondition(leaf: LeafInput): Sql {
  const bound = (edge: Edge) => {
    const parameter = slot(({ values, now }) => edgeOf(leaf, edge, values[leaf.index], now()));
    return sql`${parameter}::${sql.raw(comparedType(leaf.column))}`;
  };
  switch (leaf.operator) {
    case 'Past':
    case 'BeforeXHoursAgo':
      return sql`${leaf.reference} < ${bound('before')}`;
    case 'Future':
    case 'AfterXHoursAgo':
      return sql`${leaf.reference} > ${bound('after')}`;
    default:
      return sql`(${leaf.reference} >= ${bound('from')} and ${leaf.reference} < ${bound('before')})`;
  }
}

function edgeOf({ column, operator }: LeafInput, edge: Edge, value: unknown, now: DateTime) {
  if (column.type === 'Dateonly') {
    const days: DayInterval = relativeDays(operator, value, now);
    return days[edge] ?? null;
  }
  const interval: Interval = relativeInterval(operator, value, now);
  return encodeForPostgres(column, interval[edge]?.toJSDate() ?? null);
}

/** A record without a value is in no list, unless the list holds `null`. */
export function nullAware(isThere: Sql, reference: Sql, operator: Operator, holdsNull: boolean): Sql {
  if (operator === 'In') return holdsNull ? sql`(${isThere} or ${reference} is null)` : isThere;
  return holdsNull
    ? sql`(not (${isThere}) and ${reference} is not null)`
    : sql`(not (${isThere}) or ${reference} is null)`;
}

/** Equality of instants that records show by the millisecond, as bounds on the bare column: an index on it serves. */
export function millisecondCondition(leaf: LeafInput): Sql {
  const { column, reference, operator } = leaf;
  if (operator === 'In' || operator === 'NotIn') {
    return nullAware(isAmong(leaf), reference, operator, leaf.variant === 'null');
  }
  const type = sql.raw(comparedType(column));
  const first = slot(({ values }) => encodeForPostgres(column, values[leaf.index]));
  const last = slot(({ values }) => lastMicrosecond(String(encodeForPostgres(column, values[leaf.index]))));
  const isWithin = sql`${reference} between ${first}::${type} and ${last}::${type}`;
  return operator === 'Equal' ? sql`(${isWithin})` : sql`(not (${isWithin}) or ${reference} is null)`;
}

/** A time with three digits behind the second reaches to the next millisecond; with more it is itself only. */
function lastMicrosecond(instant: string): string {
  return instant.replace(/(\.\d{3})(Z?(?: BC)?)$/, '$1999$2');
}

/** An index is asked for what lies between the first and the last item; what it finds is looked up in the list. */
function isAmong(leaf: LeafInput): Sql {
  const { reference } = leaf;
  const whole = listOf(leaf, meansMillisecond);
  const first = sql`(select min(i) from unnest(${whole}) i)`;
  const last = sql`(select max(i) from unnest(${whole}) i) + interval '999 microseconds'`;
  const isInMillisecond = sql`${reference} between ${first} and ${last} and date_trunc('milliseconds', ${reference}) = any(${whole})`;
  return sql`((${isInMillisecond}) or ${reference} = any(${listOf(leaf, (item) => !meansMillisecond(item))}))`;
}

function listOf({ column, index }: LeafInput, isMeant: (item: unknown) => boolean): Sql {
  const list = slot(({ values }) => {
    const given = values[index];
    const items = Array.isArray(given) ? given.filter((item: unknown) => item !== null && isMeant(item)) : [];
    return encodeForPostgres({ ...column, type: [column.type] }, items);
  });
  return sql`${list}::${sql.raw(comparedType(column))}[]`;
}
