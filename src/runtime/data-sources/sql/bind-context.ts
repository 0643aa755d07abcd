import { type RawBuilder, sql } from 'kysely';
import type { DateTime } from 'luxon';
import type { SqlValue } from '#kernel/ports/sql-row';
import type { Page } from '../../query/record-query.ts';

/** What is bound to a statement; a list is one parameter where the engine has arrays. */
export type SqlParameter = SqlValue | readonly SqlValue[];

/** What a compiled statement draws its parameters from. */
export interface BindContext {
  /** The values of the conditions, in the order they stand in the tree; then those of a patch or a record. */
  readonly values: readonly unknown[];
  /** The present in the caller's time zone; few statements ask for it. */
  now(): DateTime;
  readonly page: Page;
}

/** A place in a statement that is filled when it runs. An object, because Kysely calls functions. */
export interface Slot {
  readonly bind: (context: BindContext) => SqlParameter;
}

/** A parameter whose value is had from the query when it runs. */
export function slot(bind: (context: BindContext) => SqlParameter): RawBuilder<unknown> {
  return sql`${{ bind } satisfies Slot}`;
}
