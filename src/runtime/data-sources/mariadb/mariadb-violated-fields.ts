import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlRow } from '#kernel/ports/sql-row';
import { constraintViolation } from '#node/mysql/mysql-errors';

type Query = (sql: string, parameters: readonly string[]) => Promise<readonly SqlRow[]>;

const indexColumns = `
  select column_name as name from information_schema.statistics
  where table_schema = coalesce(?, database()) and table_name = ? and index_name = ? and column_name is not null
  order by seq_in_index`;

const checkClauses = `
  select /*M! table_name as \`table\`, */ check_clause as clause
  from information_schema.check_constraints
  where constraint_schema = coalesce(?, database()) and constraint_name in (?, ?)`;

/**
 * The error of a write with the columns of the rule that it breaks: the server names the key or the check, and not what
 * it is about. Any other error comes back as it is.
 */
export async function withViolatedFields(error: unknown, statement: string, query: Query): Promise<unknown> {
  if (!isCloudError(error) || error.code !== 'DATABASE_CONSTRAINT_VIOLATED') return error;
  const { constraint, mysqlErrno } = error.safeDetails;
  const table = writtenTable(statement);
  if (typeof constraint !== 'string' || typeof mysqlErrno !== 'number' || !table) return error;
  const fields = mysqlErrno === 1062 ? await ofKey(table, constraint, query) : await ofCheck(table, constraint, query);
  return constraintViolation(mysqlErrno, fields, error.cause, constraint);
}

interface WrittenTable {
  readonly schema: string | null;
  readonly name: string;
}

/** Statements come from our own compiler: the first name in backticks that is not an alias is the table. */
function writtenTable(statement: string): WrittenTable | undefined {
  const target = /^(?:insert into|update|delete `t0` from) ((?:`(?:[^`]|``)+`\.)?`(?:[^`]|``)+`)/.exec(statement)?.[1];
  const [first, second] = target === undefined ? [] : quotedNames(target);
  if (first === undefined) return undefined;
  return second === undefined ? { schema: null, name: first } : { schema: first, name: second };
}

async function ofKey(table: WrittenTable, key: string, query: Query): Promise<string[]> {
  const rows = await query(indexColumns, [table.schema, table.name, key] as string[]);
  return rows.map((row) => String(row['name']));
}

/** MariaDB names the check of a column `table.column`, MySQL gives it a name of its own. */
async function ofCheck(table: WrittenTable, check: string, query: Query): Promise<string[]> {
  const column = check.startsWith(`${table.name}.`) ? check.slice(table.name.length + 1) : check;
  const rows = await query(checkClauses, [table.schema, check, column] as string[]);
  const row = rows.find((candidate) => (candidate['table'] ?? table.name) === table.name);
  return row ? [...new Set(quotedNames(String(row['clause'])))] : [];
}

/** The names in backticks in a piece of SQL, in order: `` `a` < `b``c` `` → `a`, `` b`c ``. */
export function quotedNames(text: string): string[] {
  // Texts are stepped over: they may hold backticks.
  return [...text.matchAll(/'(?:[^'\\]|''|\\[\s\S])*'|`((?:[^`]|``)+)`/g)].flatMap(([, name]) =>
    name === undefined ? [] : [name.replaceAll('``', '`')],
  );
}
