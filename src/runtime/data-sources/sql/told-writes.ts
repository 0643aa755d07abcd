import type { Clock } from '#kernel/ports/clock';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { QueryContext, RecordStore, TellKeys } from '../interface/data-source.ts';
import { bindParameters } from './binding.ts';
import type { CompiledRead } from './compile-statements.ts';
import { deletionMark, withUpdateTime } from './kept-columns.ts';
import type { SqlRunner } from './sql-engine.ts';
import type { PreparedStatement, SqlStatements } from './sql-statements.ts';
import { withLengthLimit } from './too-long-values.ts';

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
    runner.transaction(async (session) => {
      if (!tell) return session.run(...bound(statement, context));
      const { returnsWritten } = statements.dialect;
      const keys = returnsWritten ? statement : statements.lockedKeys(collection, where, context.deleted);
      const rows = await session.all(...bound(keys, context));
      const written = returnsWritten ? rows.length : await session.run(...bound(statement, context));
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
