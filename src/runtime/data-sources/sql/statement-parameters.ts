import { type RawBuilder, sql } from 'kysely';
import { DateTime } from 'luxon';
import type { SqlParameter } from '#kernel/ports/sql-row';
import type { Page } from '../../query/record-query.ts';
import type { QueryContext } from '../interface/data-source.ts';

type Sql = RawBuilder<unknown>;

/** The source of a compiled statement's parameters. */
export interface BindContext {
  /** The values of the conditions, in the order they stand in the tree; then those of a patch or a record. */
  readonly values: readonly unknown[];
  /** The present in the caller's time zone; few statements ask for it. */
  now(): DateTime;
  readonly page: Page;
}

/** A place in a statement that is filled when it runs. An object, because Kysely calls functions. */
export interface Slot {
  readonly bind: SqlBinding;
}

/** A parameter whose value is had from the query when it runs. */
export function slot(bind: SqlBinding): Sql {
  return sql`${{ bind } satisfies Slot}`;
}

const wholePage: Page = { skip: 0, limit: 0 };

/** A parameter of a statement, as it is had from a query. */
export type SqlBinding = (context: BindContext) => SqlParameter;

/** The parameters of a statement for one query. */
export function bindParameters(
  bindings: readonly SqlBinding[],
  values: readonly unknown[],
  { timezone }: QueryContext,
  page = wholePage,
): SqlParameter[] {
  const context: BindContext = { values, page, now: () => DateTime.now().setZone(timezone) };
  return bindings.map((bind) => bind(context));
}

/** How the statements of an engine ask for one page of their rows. */
export interface Paging {
  /** The part of a page that changes the text of the statement. Without it one text serves every page. */
  keyOf?(page: Page): string;
  /** The statement that gives this page of the rows of `select`. */
  pageOf(select: Sql, page: Page): Sql;
  /**
   * Whether the rows of this page are found before the records that they refer to, where neither conditions nor order need
   * these. Otherwise the engine looks these up for every row that a page skips, and for every row that it sorts.
   */
  isBeforeJoins?(page: Page): boolean;
}

/** The page as two parameters: one text for all pages. */
export const boundPaging: Paging = {
  pageOf: (select) => sql`${select}${boundPage()}`,
};

/** Larger pages take so long that a plan of their own does not count. */
const largestPlannedLimit = 100;

/**
 * The limit of a short page in the text. SQLite plans by a limit that it knows, so it plans a statement again for each value of a parameter.
 * The driver then makes the function again that builds its rows. Together that takes longer than a read by key.
 */
export const plannedPaging: Paging = {
  keyOf: ({ limit }) => (limit <= largestPlannedLimit ? String(limit) : 'page'),
  pageOf: (select, page) =>
    page.limit <= largestPlannedLimit
      ? sql`${select} limit ${sql.lit(page.limit)} offset ${slot((context) => context.page.skip)}`
      : sql`${select}${boundPage()}`,
};

/** ` limit … offset …`, both as parameters. */
export function boundPage(): Sql {
  return sql` limit ${slot(({ page }) => page.limit)} offset ${slot(({ page }) => page.skip)}`;
}
