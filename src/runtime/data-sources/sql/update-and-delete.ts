import type { Clock } from '#kernel/ports/clock';
import { refusedWriteOf, tooLongProblem, writeRefused } from '#node/database/database-errors';
import type { CollectionSchema } from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { QueryContext, RecordStore, TellKeys } from '../interface/data-source.ts';
import type { CompiledRead } from './compile-statements.ts';
import type { SqlRunner } from './sql-engine.ts';
import type { PreparedStatement, SqlStatements } from './sql-statements.ts';
import { bindParameters } from './statement-parameters.ts';
import { deletionMark, withUpdateTime } from './timestamps-and-soft-delete.ts';

/** So that many keys are not all in memory a second time. */
const keysAtOnce = 1_000;

/** Updates and deletions, which tell whose records they changed where somebody wants to know. */
export function createToldWrites(
  runner: SqlRunner,
  statements: SqlStatements,
  clock: Clock,
): Pick<RecordStore, 'tellsKeys' | 'returnsKeys' | 'update' | 'delete'> {
  const change: RecordStore['update'] = async (collection, where, patch, context, tell) => {
    const kept = withUpdateTime(statements.collection(collection), patch, clock);
    const statement = statements.update(collection, where, kept, context.deleted, tell !== undefined);
    if (!statement) return 0;
    return write(statement, { collection, where }, context, tell);
  };

  /** The keys come from the write itself, or are read and locked before it. */
  const write = (
    statement: PreparedStatement<CompiledRead>,
    { collection, where }: { readonly collection: string; readonly where: ConditionTree | undefined },
    context: QueryContext,
    tell: TellKeys | undefined,
  ): Promise<number> =>
    runner.transaction(async (transaction) => {
      if (!tell) return transaction.run(...bound(statement, context));
      const { returnsWritten } = statements.dialect;
      const keys = returnsWritten ? statement : statements.lockedKeys(collection, where, context.deleted);
      const rows = await transaction.all(...bound(keys, context));
      const written = returnsWritten ? rows.length : await transaction.run(...bound(statement, context));
      for (let start = 0; start < rows.length; start += keysAtOnce) {
        tell(rows.slice(start, start + keysAtOnce).map(keys.plan.read));
      }
      return written;
    }, context);

  return {
    tellsKeys: true,
    returnsKeys: statements.dialect.returnsWritten,
    update: (collection, where, patch, context, tell) =>
      change(collection, where, patch, context, tell).catch((error: unknown) => {
        throw withLengthLimit(error, statements.collection(collection), [patch]);
      }),
    async delete(collection, where, context, tell) {
      const mark = deletionMark(statements.collection(collection), clock);
      if (mark) return change(collection, where, mark, context, tell);
      const statement = statements.delete(collection, where, undefined, tell !== undefined);
      return write(statement, { collection, where }, context, tell);
    },
  };
}

function bound({ plan, values }: PreparedStatement, context: QueryContext) {
  return [plan.sql, bindParameters(plan.parameters, values, context)] as const;
}

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
