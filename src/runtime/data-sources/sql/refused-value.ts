import { isCloudError } from '#kernel/errors/cloud-error';
import { type RefusedWrite, refusedWriteOf, tooLongProblem, writeRefused } from '#node/database/database-errors';
import type { CollectionSchema, ColumnSchema } from '../../query/collection-schema.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { SqlDialect } from './sql-dialect.ts';

/** The states of SQL for a value that its type does not read, or does not hold. */
const unfitStates: ReadonlySet<unknown> = new Set(['22003', '22007', '22008', '22P02']);

/**
 * The error of a write that holds a value which does not fit its column, with the column. PostgreSQL does not name it, and MariaDB
 * does not say how long a text may be. Any other error comes back as it is.
 */
export function withRefusedField(
  error: unknown,
  { fields }: CollectionSchema,
  records: readonly RecordData[],
  dialect: SqlDialect,
): unknown {
  const columns = [...fields.values()].filter((field) => field.kind === 'column');
  const refused = refusedWriteOf(error);
  if (refused?.problem === tooLongProblem()) return withLengthLimit(refused, columns, records) ?? error;
  if (!isCloudError(error) || !unfitStates.has(error.safeDetails['sqlState'])) return error;
  const { safeDetails, cause } = error;
  return withUnfitColumn({ safeDetails, cause }, columns, records, dialect) ?? error;
}

function withLengthLimit(refused: RefusedWrite, columns: readonly ColumnSchema[], records: readonly RecordData[]) {
  for (const { name, nativeType } of columns) {
    const limit = lengthLimit(nativeType);
    const isTooLong = ({ [name]: value }: RecordData) =>
      limit !== undefined && typeof value === 'string' && [...value].length > limit;
    if (records.some(isTooLong)) return writeRefused({ ...refused, problem: tooLongProblem(limit), fields: [name] });
  }
  return undefined;
}

/** `varchar(3)` and `character varying(3)` take 3 characters. */
function lengthLimit(nativeType: string): number | undefined {
  const limit = /^(?:var)?char(?:acter)?(?: varying)?\((\d+)\)/i.exec(nativeType)?.[1];
  return limit === undefined ? undefined : Number(limit);
}

/** The first value that is known not to fit; else the only column whose values nobody but the server can judge. */
function withUnfitColumn(
  from: Pick<RefusedWrite, 'safeDetails' | 'cause'>,
  columns: readonly ColumnSchema[],
  records: readonly RecordData[],
  dialect: SqlDialect,
) {
  const unknown = new Set<string>();
  for (const column of columns) {
    for (const { [column.name]: value } of records) {
      const refusal = value === undefined ? 'none' : (dialect.refusalOf?.(column, value) ?? 'none');
      if (refusal === 'unknown') unknown.add(column.name);
      else if (refusal !== 'none') return unfit(from, refusal.problem, column.name);
    }
  }
  const [only, ...others] = unknown;
  if (only === undefined || others.length > 0) return undefined;
  return unfit(from, 'does not fit the type, the size or the range of its column', only);
}

function unfit(from: Pick<RefusedWrite, 'safeDetails' | 'cause'>, problem: string, field: string) {
  return writeRefused({ ...from, code: 'DATABASE_VALUE_REFUSED', problem, fields: [field] });
}
