import { sql } from 'kysely';
import type { Page } from '../../query/record-query.ts';
import { slot } from './bind-context.ts';
import type { Sql } from './sql-dialect.ts';

/** Those of one record and of pages: so few that the statement of each can be kept. */
const writtenLimits: ReadonlySet<number> = new Set([1, 10, 15, 20, 25, 30, 50, 100]);

/**
 * ` limit … offset …`. A usual limit stands in the text: PostgreSQL takes one that it does not know for a tenth of the table,
 * and so plans the statement anew each time that it runs, which took as long as running it. The first page has no offset,
 * for the same reason.
 */
export function pageClause(page: Page | undefined): Sql {
  if (!page) return sql``;
  const skipped = sql` offset ${slot((context) => context.page.skip)}`;
  if (!isWritten(page)) return sql` limit ${slot((context) => context.page.limit)}${skipped}`;
  return sql` limit ${sql.lit(page.limit)}${page.skip > 0 ? skipped : sql``}`;
}

/** What of a page decides the text of its clause, for the plan cache. */
export function pageKey(page: Page | undefined): string {
  if (!page) return '';
  return isWritten(page) ? `${page.limit}${page.skip > 0 ? '+' : ''}` : '?';
}

function isWritten({ limit }: Page): boolean {
  return writtenLimits.has(limit);
}
