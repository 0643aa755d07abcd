import { refusedWriteOf, tooLongProblem, writeRefused } from '#node/database/database-errors';
import type { CollectionSchema } from '../../query/collection-schema.ts';
import type { RecordData } from '../../query/record-query.ts';

/**
 * The error of a write that holds a text too long for its column, with the column and what it takes at most. PostgreSQL
 * names neither, MariaDB only the column. Any other error comes back as it is.
 */
export function withLengthLimit(error: unknown, { fields }: CollectionSchema, records: readonly RecordData[]): unknown {
  const refused = refusedWriteOf(error);
  if (!refused || refused.problem !== tooLongProblem()) return error;
  const tooLong = [...fields.values()].flatMap((field) => {
    const limit = field.kind === 'column' ? lengthLimit(field.nativeType) : undefined;
    const isTooLong = ({ [field.name]: value }: RecordData) =>
      limit !== undefined && typeof value === 'string' && [...value].length > limit;
    return limit !== undefined && records.some(isTooLong) ? [{ name: field.name, limit }] : [];
  });
  const [first] = tooLong;
  if (!first) return error;
  return writeRefused({ ...refused, problem: tooLongProblem(first.limit), fields: [first.name] });
}

/** `varchar(3)` and `character varying(3)` take 3 characters. */
function lengthLimit(nativeType: string): number | undefined {
  const limit = /^(?:var)?char(?:acter)?(?: varying)?\((\d+)\)/i.exec(nativeType)?.[1];
  return limit === undefined ? undefined : Number(limit);
}
