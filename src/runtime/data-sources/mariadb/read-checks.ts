import type { SqlRow } from '#kernel/ports/sql-row';
import type { TableCheck } from '../checks/table-check.ts';

type Query = (sql: string, parameters: readonly string[]) => Promise<readonly SqlRow[]>;

// MariaDB names the table beside the check, MySQL beside the name of the constraint, which is unique there.
const checks = `
  select distinct c.constraint_schema as \`schema\`, coalesce(/*M! c.table_name, */ t.table_name) as \`table\`, c.check_clause as clause
  from information_schema.check_constraints c
  left join information_schema.table_constraints t
    on t.constraint_schema = c.constraint_schema and t.constraint_name = c.constraint_name and t.constraint_type = 'CHECK'
  where c.constraint_schema in (?)
  order by 1, 2, 3`;

export async function readMariadbChecks(query: Query, schemas: readonly string[]): Promise<readonly TableCheck[]> {
  const rows = await query(checks.replace('(?)', `(${schemas.map(() => '?').join(', ')})`), schemas);
  return rows.map((row) => ({
    schema: row['schema'] === schemas[0] ? null : String(row['schema']),
    table: String(row['table']),
    // MySQL keeps the quotes of texts with a backslash before them.
    text: String(row['clause']).replaceAll("\\'", "'"),
  }));
}
