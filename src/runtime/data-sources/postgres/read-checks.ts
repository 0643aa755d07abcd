import type { PostgresPool } from '#kernel/ports/postgres-pool';
import type { TableCheck } from '../checks/table-check.ts';

/** The checks of tables, and those of the domains that columns have. */
const checks = `
  select n.nspname as schema, c.relname as "table", pg_catalog.pg_get_expr(k.conbin, k.conrelid) as text, null as "valueColumn"
  from pg_catalog.pg_constraint k
  join pg_catalog.pg_class c on c.oid = k.conrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any($1::text[]) and k.contype = 'c'
  union all
  select n.nspname, c.relname, pg_catalog.pg_get_expr(k.conbin, 0), a.attname
  from pg_catalog.pg_constraint k
  join pg_catalog.pg_attribute a on a.atttypid = k.contypid and a.attnum > 0 and not a.attisdropped
  join pg_catalog.pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any($1::text[]) and k.contype = 'c' and k.contypid <> 0
  order by 1, 2, 3`;

export async function readPostgresChecks(
  pool: PostgresPool,
  schemas: readonly string[],
): Promise<readonly TableCheck[]> {
  const rows = await pool.all(checks, [schemas]);
  return rows.map((row) => ({
    schema: String(row['schema']),
    table: String(row['table']),
    text: String(row['text']),
    ...(row['valueColumn'] === null ? {} : { valueColumn: String(row['valueColumn']) }),
  }));
}
