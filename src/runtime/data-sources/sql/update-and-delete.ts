import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '#kernel/ports/clock';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { QueryContext, RecordStore, TellKeys } from '../interface/data-source.ts';
import type { CompiledRead } from './compile-statements.ts';
import { withRefusedField } from './refused-value.ts';
import type { SqlRunner, SqlTransaction } from './sql-engine.ts';
import type { PreparedStatement, SqlStatements } from './sql-statements.ts';
import { bindParameters } from './statement-parameters.ts';
import { deletionMark, withUpdateTime } from './timestamps-and-soft-delete.ts';

/** So that many keys are not all in memory a second time, and hold up nobody. */
const keysAtOnce = 1_000;

/** Updates and deletions, which tell whose records they changed where somebody wants to know. */
export function createToldWrites(
  runner: SqlRunner,
  statements: SqlStatements,
  clock: Clock,
): Pick<RecordStore, 'tellsKeys' | 'returnsKeys' | 'update' | 'delete'> {
  const change: RecordStore['update'] = async (collection, where, patch, context, tell) => {
    const kept = withUpdateTime(statements.collection(collection), patch, clock);
    const isTold = tell !== undefined;
    return write(
      (part) => statements.update(collection, part, kept, context.deleted, isTold),
      collection,
      where,
      context,
      tell,
    );
  };

  const write = async (
    statementOf: (part: ConditionTree | undefined) => PreparedStatement<CompiledRead> | undefined,
    collection: string,
    where: ConditionTree | undefined,
    context: QueryContext,
    tell: TellKeys | undefined,
  ): Promise<number> => {
    if (!statementOf(where)) return 0;
    return runner.transaction(async (transaction) => {
      let written = 0;
      for await (const part of partsOf(transaction, statements, collection, where, context)) {
        const statement = statementOf(part);
        if (statement) written += await writePart(transaction, statement, { collection, where: part }, context, tell);
      }
      return written;
    }, context);
  };

  /** The keys come from the write itself, or are read and locked before it. */
  const writePart = async (
    transaction: SqlTransaction,
    statement: PreparedStatement<CompiledRead>,
    { collection, where }: { readonly collection: string; readonly where: ConditionTree | undefined },
    context: QueryContext,
    tell: TellKeys | undefined,
  ): Promise<number> => {
    if (!tell) return transaction.run(...bound(statement, context));
    const { returnsWritten } = statements.dialect;
    const { primaryKey } = statements.collection(collection);
    const keys = returnsWritten ? statement : statements.listLocked(collection, primaryKey, where, context.deleted);
    const rows = await transaction.all(...bound(keys, context));
    const written = returnsWritten ? rows.length : await transaction.run(...bound(statement, context));
    for (let start = 0; start < rows.length; start += keysAtOnce) {
      if (start > 0) await nextTurn();
      tell(rows.slice(start, start + keysAtOnce).map(keys.plan.read));
    }
    return written;
  };

  return {
    tellsKeys: true,
    returnsKeys: statements.dialect.returnsWritten,
    update: (collection, where, patch, context, tell) =>
      change(collection, where, patch, context, tell).catch((error: unknown) => {
        throw withRefusedField(error, statements.collection(collection), [patch], statements.dialect);
      }),
    async delete(collection, where, context, tell) {
      const mark = deletionMark(statements.collection(collection), clock);
      if (mark) return change(collection, where, mark, context, tell);
      const isTold = tell !== undefined;
      return write((part) => statements.delete(collection, part, undefined, isTold), collection, where, context, tell);
    },
  };
}

/**
 * The conditions that a write is carried out by, one after the other in its transaction. A database in the thread that serves holds it
 * up for as long as a statement takes. So the keys of many records are read first there, and each part is a number of them.
 */
async function* partsOf(
  transaction: SqlTransaction,
  statements: SqlStatements,
  collection: string,
  where: ConditionTree | undefined,
  context: QueryContext,
): AsyncGenerator<ConditionTree | undefined> {
  const { primaryKey } = statements.collection(collection);
  const most = statements.dialect.rowsAtOnce;
  if (most === undefined || primaryKey.length === 0 || isByFewKeys(where, primaryKey, most)) {
    yield where;
    return;
  }
  const limit = primaryKey.length === 1 ? most : Math.ceil(most / 5);
  const sort = primaryKey.map((field) => ({ field, ascending: true }));
  const keys: RecordData[][] = [];
  for (let page = { skip: 0, limit }; ; page = { skip: page.skip + limit, limit }) {
    const { plan, values } = statements.list(
      { collection, projection: primaryKey, where, sort, page },
      context.deleted,
    );
    const rows = await transaction.all(plan.sql, bindParameters(plan.parameters, values, context, page));
    keys.push(rows.map(plan.read));
    if (rows.length < limit) break;
    await nextTurn();
  }
  if (keys.length === 1) yield where;
  else {
    for (const part of keys) {
      if (part.length > 0) yield conditionOf(part, primaryKey);
      await nextTurn();
    }
  }
}

/** Whether a condition is on the key, and names few enough records. */
function isByFewKeys(where: ConditionTree | undefined, primaryKey: readonly string[], most: number): boolean {
  if (!where) return false;
  const parts = isBranch(where) && where.aggregator === 'And' ? where.conditions : [where];
  return primaryKey.every((key) =>
    parts.some((part) => {
      if (isBranch(part) || part.field !== key) return false;
      return (
        part.operator === 'Equal' || (part.operator === 'In' && Array.isArray(part.value) && part.value.length <= most)
      );
    }),
  );
}

function conditionOf(records: readonly RecordData[], primaryKey: readonly string[]): ConditionTree {
  const [only, ...others] = primaryKey;
  if (only !== undefined && others.length === 0) {
    return { field: only, operator: 'In', value: records.map((record) => record[only]) };
  }
  const conditions = records.map((record) => ({
    aggregator: 'And' as const,
    conditions: primaryKey.map((field) => ({ field, operator: 'Equal' as const, value: record[field] })),
  }));
  return { aggregator: 'Or', conditions };
}

function bound({ plan, values }: PreparedStatement, context: QueryContext) {
  return [plan.sql, bindParameters(plan.parameters, values, context)] as const;
}
