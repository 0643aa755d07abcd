import type { CloudError } from '#kernel/errors/cloud-error';
import type { SqlRow } from '#kernel/ports/sql-row';
import { constraintViolated, refusedWriteOf, writeRefused } from '../database/database-errors.ts';

const othersRefer = 'a foreign key: other records refer to this one';

const rules: Readonly<Record<string, string>> = {
  '23001': othersRefer,
  '23502': 'a not-null rule: it must have a value',
  '23503': 'a foreign key: the record it refers to does not exist, or others refer to this one',
  '23505': 'a unique rule: another record has it already',
  '23514': 'a check rule of the table',
  '44000': 'the check of a view, which would not show it',
  '23P01': 'an exclusion rule: it conflicts with another record',
};

interface Failure {
  readonly code: string;
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  readonly constraint?: string | undefined;
  readonly dataType?: string | undefined;
  readonly routine?: string | undefined;
}

/** The error of a violated constraint (SQLSTATE class 23 and 44000). @param sql the statement, which tells the table of a domain. */
export function constraintError(failure: Failure, sql: string, cause: unknown): CloudError {
  const { code, table, column, dataType } = failure;
  const fields = column === undefined ? [] : [column];
  if (code === '23514' && dataType !== undefined) {
    const safeDetails = { sqlState: code, written: writtenTable(sql) };
    return constraintViolated({ rule: 'a check rule of the type of a column', fields, safeDetails, cause });
  }
  if (isWithoutPartition(failure)) {
    const problem = 'fits no partition of the table';
    const safeDetails = { sqlState: code };
    return writeRefused({ code: 'DATABASE_CONSTRAINT_VIOLATED', problem, fields, safeDetails, cause });
  }
  // The constraint is one of the table that refers to this one.
  const place = code === '23001' ? { referringTable: table } : dataType ? { written: writtenTable(sql) } : {};
  return constraintViolated({ rule: rules[code], fields, safeDetails: { sqlState: code, ...place }, cause });
}

/** The server has no state of its own for it. Its words may be in any language. */
function isWithoutPartition({ code, routine }: Failure): boolean {
  return code === '23514' && routine === 'ExecFindPartition';
}

/** The table of a statement, as that names it. */
function writtenTable(sql: string): string | undefined {
  return /\b(?:insert into|update)\s+((?:"(?:[^"]|"")+"\.)?"(?:[^"]|"")+")/i.exec(sql)?.[1];
}

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

/** The columns by which a table has its partitions. */
const columnsOfPartitions = `
  select a.attname as name
  from pg_catalog.pg_partitioned_table p
  join pg_catalog.pg_class t on t.oid = p.partrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
  cross join lateral unnest(p.partattrs::int2[]) with ordinality u(attnum, position)
  join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = u.attnum
  where n.nspname = $1 and t.relname = $2
  order by u.position`;

/** The columns of a table that have a domain, or lists of it. */
const columnsOfDomain = `
  select a.attname as name
  from pg_catalog.pg_type d
  join pg_catalog.pg_namespace n on n.oid = d.typnamespace
  join pg_catalog.pg_attribute a on a.atttypid in (d.oid, d.typarray)
  where n.nspname = $1 and d.typname = $2 and a.attrelid = pg_catalog.to_regclass($3) and a.attnum > 0 and not a.attisdropped`;

type Ask = (sql: string, parameters: readonly string[]) => Promise<readonly SqlRow[]>;

/**
 * The same error with the columns of what is violated, if they can be found. The database names them only in its message, which
 * may be in any language.
 */
export async function withViolatedColumns(error: unknown, failure: Failure | undefined, ask: Ask): Promise<unknown> {
  const refused = refusedWriteOf(error);
  if (!refused || !failure || refused.fields.length > 0 || refused.safeDetails?.['referringTable']) return error;
  const { schema = '', table = '', constraint, dataType } = failure;
  const named = async (sql: string, ...parameters: string[]) =>
    (await ask(sql, parameters)).map((row) => String(row['name']));
  const written = refused.safeDetails?.['written'];
  if (dataType !== undefined && typeof written === 'string') {
    const fields = await named(columnsOfDomain, schema, dataType, written);
    // Of several columns, nothing tells which one it was.
    if (fields.length !== 1) return error;
    const problem = failure.code === '23514' ? 'breaks a check rule of its type' : refused.problem;
    return writeRefused({ ...refused, problem, fields });
  }
  if (isWithoutPartition(failure)) {
    return writeRefused({ ...refused, fields: await named(columnsOfPartitions, schema, table) });
  }
  if (constraint === undefined) return error;
  return writeRefused({ ...refused, fields: await named(columnsOfConstraint, schema, table, constraint) });
}
