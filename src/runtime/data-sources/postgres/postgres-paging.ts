import { sql } from 'kysely';
import type { Page } from '../../query/record-query.ts';
import { boundPage, type Paging } from '../sql/binding.ts';

const smallestBound = 16;

/**
 * A page within a bound that stands in the text: the next power of two above its last row.
 *
 * PostgreSQL keeps the plan of a prepared statement when that plan is not expected to cost more than one made for the
 * values of a call. It takes a limit that it does not know for a tenth of the table, so it planned every page anew, which
 * took as long as reading the page. Behind the bound it expects a tenth of some rows, and keeps the plan. The rows keep
 * their order: nothing stands between the two limits that could change it.
 */
export const postgresPaging: Paging = {
  keyOf: (page) => (isOneRow(page) ? 'one' : String(boundOf(page))),
  pageOf: (select, page) =>
    isOneRow(page)
      ? sql`${select} limit 1`
      : sql`select * from (${select} limit ${sql.lit(boundOf(page))}) as ${sql.id('bounded')}${boundPage()}`,
  isBeforeJoins: () => true,
};

/** A record by its key, for the most part: no page follows. */
function isOneRow({ skip, limit }: Page): boolean {
  return skip === 0 && limit === 1;
}

function boundOf({ skip, limit }: Page): number {
  return Math.max(smallestBound, 2 ** Math.ceil(Math.log2(skip + limit)));
}
