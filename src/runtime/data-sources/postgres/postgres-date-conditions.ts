import { sql } from 'kysely';
import type { DateTime } from 'luxon';
import { type DayInterval, type Interval, relativeDays, relativeInterval } from '../../query/relative-dates.ts';
import { slot } from '../sql/binding.ts';
import type { LeafInput, Sql } from '../sql/sql-dialect.ts';
import { comparedType } from './native-type.ts';
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
