import { refusedWriteOf, writeRefused } from '../database/database-errors.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { postgresFailure } from './postgres-errors.ts';

/** The columns of a constraint or of a unique index, by schema, table and name. */
const columnsOfConstraint = `
  select a.attname as name
  from pg_catalog.pg_class t
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
  cross join lateral (
    select c.conkey as keys from pg_catalog.pg_constraint c where c.conrelid = t.oid and c.conname = $3
    union all
    select i.indkey::int2[] from pg_catalog.pg_index i
    join pg_catalog.pg_class x on x.oid = i.indexrelid
    where i.indrelid = t.oid and x.relname = $3
    limit 1
  ) k
  cross join lateral unnest(k.keys) with ordinality u(attnum, position)
  join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = u.attnum
  where n.nspname = $1 and t.relname = $2
  order by u.position`;

/**
 * The same error with the columns of the violated constraint, if they can be found. The database names them only in its
 * message, which may be in any language. Call this after the rollback, because it uses the connection.
 */
export async function withViolatedColumns(error: unknown, connection: PostgresConnection): Promise<unknown> {
  const refused = refusedWriteOf(error);
  if (!refused || refused.fields.length > 0 || refused.safeDetails?.['referringTable']) return error;
  const failure = postgresFailure(refused.cause);
  if (failure?.constraint === undefined || connection.isLost()) return error;
  try {
    const place = [failure.schema ?? '', failure.table ?? '', failure.constraint];
    const { rows } = await connection.execute(columnsOfConstraint, place);
    return writeRefused({ ...refused, fields: rows.map((row) => String(row['name'])) });
  } catch {
    // Without the columns, the error still says which kind of rule was violated.
    return error;
  }
}
