import { DateTime } from 'luxon';
import type { Page } from '../../query/record-query.ts';
import type { QueryContext } from '../interface/data-source.ts';
import type { SqlParameter } from './bind-context.ts';
import type { PreparedStatement } from './sql-statements.ts';

const wholePage: Page = { skip: 0, limit: 0 };

/** The parameters of a statement for one query. */
export function bindStatement(
  { plan, values }: PreparedStatement,
  context: QueryContext,
  page = wholePage,
): SqlParameter[] {
  const bindings = { values, page, now: () => DateTime.now().setZone(context.timezone) };
  return plan.parameters.map((parameter) => parameter(bindings));
}
