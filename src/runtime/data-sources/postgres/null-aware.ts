import { sql } from 'kysely';
import type { Operator } from '../../query/operators.ts';
import type { Sql } from '../sql/sql-dialect.ts';

/** A record without a value is in no list, unless the list holds `null`. */
export function nullAware(isThere: Sql, reference: Sql, operator: Operator, holdsNull: boolean): Sql {
  if (operator === 'In') return holdsNull ? sql`(${isThere} or ${reference} is null)` : isThere;
  return holdsNull
    ? sql`(not (${isThere}) and ${reference} is not null)`
    : sql`(not (${isThere}) or ${reference} is null)`;
}
