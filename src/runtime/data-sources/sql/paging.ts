import { type RawBuilder, sql } from 'kysely';
import type { Page } from '../../query/record-query.ts';
import { slot } from './bind-context.ts';

type Sql = RawBuilder<unknown>;

/** How the statements of an engine ask for one page of their rows. */
export interface Paging {
  /** The part of a page that changes the text of the statement, for the cache of plans. */
  keyOf(page: Page): string;
  /** The statement that gives this page of the rows of `select`. */
  pageOf(select: Sql, page: Page): Sql;
}

/** The page as two parameters: one text for all pages. */
export const boundPaging: Paging = {
  keyOf: () => 'page',
  pageOf: (select) => sql`${select}${boundPage()}`,
};

/** ` limit … offset …`, both as parameters. */
export function boundPage(): Sql {
  return sql` limit ${slot(({ page }) => page.limit)} offset ${slot(({ page }) => page.skip)}`;
}
