import type { Clock } from '#kernel/ports/clock';
import { sendTheKey, writeDropped } from '#node/database/database-errors';
import { closeCondition } from '../../query/condition-template.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { Operator } from '../../query/operators.ts';
import { createPlanCache } from '../../query/plan-cache.ts';
import type { Page, RecordData } from '../../query/record-query.ts';
import type { DeletedChoice, ListTemplate, PreparedList, QueryContext, RecordStore } from '../interface/data-source.ts';
import type { CompiledRead } from './compile-statements.ts';
import { insertAndRead } from './insert-and-read.ts';
import { withRefusedField } from './refused-value.ts';
import type { SqlRunner, SqlTransaction } from './sql-engine.ts';
import type { SqlStatements } from './sql-statements.ts';
import { bindParameters } from './statement-parameters.ts';
import { withCreationTimes } from './timestamps-and-soft-delete.ts';
import { createToldWrites } from './update-and-delete.ts';

/** Parameters that one INSERT carries at most; every engine has a limit of its own, and none is lower. */
const maxParameters = 10_000;
const maxRecords = 1024;

/** The statements of one transaction run on its connection, and belong to it. */
export function runnerOf(transaction: SqlTransaction): SqlRunner {
  return {
    read: (sql, parameters) => transaction.all(sql, parameters),
    transaction: (work) => work(transaction),
  };
}

/** Reads and writes records with compiled statements. */
export function createSqlRecordStore(runner: SqlRunner, statements: SqlStatements, clock: Clock): RecordStore {
  return {
    hidesValues: true,
    async list(query, context) {
      const statement = statements.list(query, context.deleted);
      const rows = await runner.read(
        statement.plan.sql,
        bindParameters(statement.plan.parameters, statement.values, context, query.page),
        context,
      );
      return rows.map(statement.plan.read);
    },
    async listStored(collection, columns, where, context) {
      const statement = statements.listStored(collection, columns, where, context.deleted);
      const bound = bindParameters(statement.plan.parameters, statement.values, context);
      return (await runner.read(statement.plan.sql, bound, context)).map(statement.plan.read);
    },
    async listPlaces(collection, paths, where, context) {
      const statement = statements.listPlaces(collection, paths, where, context.deleted);
      const bound = bindParameters(statement.plan.parameters, statement.values, context);
      return (await runner.read(statement.plan.sql, bound, context)).map(statement.plan.read);
    },
    async listLocked(collection, columns, keys, context) {
      const statement = statements.listLocked(collection, columns, keys, context.deleted);
      const bound = bindParameters(statement.plan.parameters, statement.values, context);
      return (await runner.read(statement.plan.sql, bound, context)).map(statement.plan.read);
    },
    prepareList: (template) => prepareList(runner, statements, template),
    async count(collection, where, context) {
      const statement = statements.count(collection, where, context.deleted);
      const [row] = await runner.read(
        statement.plan.sql,
        bindParameters(statement.plan.parameters, statement.values, context),
        context,
      );
      return Number(row?.['count']);
    },
    async aggregate(query, context) {
      const statement = statements.aggregate(query, context.deleted);
      const page = { skip: 0, limit: query.limit ?? 0 };
      const rows = await runner.read(
        statement.plan.sql,
        bindParameters(statement.plan.parameters, statement.values, context, page),
        context,
      );
      return rows.map(statement.plan.read);
    },
    create(collection, records, context) {
      const timed = withCreationTimes(statements.collection(collection), records, clock);
      return runner
        .transaction((transaction) => insertAll(transaction, statements, collection, timed, context), context)
        .catch((error: unknown) => {
          throw withRefusedField(error, statements.collection(collection), records, statements.dialect);
        });
    },
    ...createToldWrites(runner, statements, clock),
  };
}

/** Neighbours that give the same columns go in one statement, where the engine returns what it has created. */
async function insertAll(
  transaction: SqlTransaction,
  statements: SqlStatements,
  collection: string,
  records: readonly RecordData[],
  context: QueryContext,
): Promise<RecordData[]> {
  const created: RecordData[] = [];
  const rules = await statements.dialect.keyRules?.(transaction, statements.collection(collection));
  if (rules) return insertAndRead(transaction, rules, statements, collection, records, context);
  const namesOf = (record: RecordData) => statements.columnsOf(collection, record).map(({ name }) => name);
  for (const batch of batches(records, namesOf)) {
    const { plan, values } = statements.insert(collection, batch);
    const rows = await transaction.all(plan.sql, bindParameters(plan.parameters, values, context));
    if (rows.length === batch.length) created.push(...rows.map(plan.read));
    else created.push(await movedRow(transaction, statements, collection, batch, context));
    if (plan.countOn !== undefined) await transaction.all(plan.countOn, []);
  }
  return created;
}

/** The record that a trigger has put elsewhere, within what counts as its table; it returns nothing of it. */
async function movedRow(
  transaction: SqlTransaction,
  statements: SqlStatements,
  collection: string,
  batch: readonly RecordData[],
  context: QueryContext,
): Promise<RecordData> {
  const [record, ...others] = batch;
  const moved = record && others.length === 0 ? statements.movedRow(collection, record) : undefined;
  if (!moved) throw writeDropped(collection, sendTheKey);
  const [row] = await transaction.all(moved.plan.sql, bindParameters(moved.plan.parameters, moved.values, context));
  if (!row) throw writeDropped(collection, sendTheKey);
  return moved.plan.read(row);
}

/** Runs of records that give the same columns, in pieces that one statement carries. */
function batches(records: readonly RecordData[], columnsOf: (record: RecordData) => readonly string[]): RecordData[][] {
  const runs: { readonly key: string; readonly columns: number; readonly records: RecordData[] }[] = [];
  for (const record of records) {
    const columns = columnsOf(record);
    const key = JSON.stringify(columns);
    const last = runs.at(-1);
    if (last?.key === key) last.records.push(record);
    else runs.push({ key, columns: columns.length, records: [record] });
  }
  return runs.flatMap((run) => pieces(run.records, run.columns));
}

/** Each as long as a power of two: so few lengths that the statement of each is compiled and prepared once. */
function pieces(records: readonly RecordData[], columns: number): RecordData[][] {
  // A statement of default values makes one record.
  const limit = columns === 0 ? 1 : Math.min(maxRecords, maxParameters / columns);
  const all: RecordData[][] = [];
  for (let start = 0; start < records.length; ) {
    const length = powerOfTwoWithin(Math.min(limit, records.length - start));
    all.push(records.slice(start, start + length));
    start += length;
  }
  return all;
}

/** The greatest that is not above `limit`, but at least 1. */
function powerOfTwoWithin(limit: number): number {
  return limit < 1 ? 1 : 2 ** (31 - Math.clz32(limit));
}

/** Texts of one list: they differ where a value is null, for instance, and by how deep a page lies. */
const maxTexts = 50;

/** A prepared list. Its statement depends on the values and the page only where they change its text, which is rare. */
function prepareList(
  runner: SqlRunner,
  statements: SqlStatements,
  { collection, projection, where, sort }: ListTemplate,
): PreparedList {
  const { variantOf, looksIntoValue, paging } = statements.dialect;
  const leaves = (where ? operatorsOf(where.tree) : []).map((operator) => ({
    operator,
    looksInto: looksIntoValue?.(operator) ?? true,
  }));
  const plans = createPlanCache<CompiledRead>(maxTexts);

  function planFor(values: readonly unknown[], page: Page | undefined, shown: DeletedChoice | undefined): CompiledRead {
    let variant = shown ?? '';
    variant += page ? (paging.keyOf?.(page) ?? 'page') : '';
    leaves.forEach(({ operator, looksInto }, index) => {
      const value = values[index];
      const isSimple = typeof value !== 'object' && value !== undefined && !looksInto;
      variant += isSimple ? ' ' : ` ${variantOf(operator, value)}`;
    });
    return plans.memo(variant, {
      context: () => {
        const condition = where && closeCondition(where, values);
        return statements.list({ collection, projection, where: condition, sort, page }, shown).plan;
      },
    });
  }

  return async (values, page, context) => {
    const plan = planFor(values, page, context.deleted);
    const rows = await runner.read(plan.sql, bindParameters(plan.parameters, values, context, page), context);
    return rows.map(plan.read);
  };
}

function operatorsOf(tree: ConditionTree): readonly Operator[] {
  return isBranch(tree) ? tree.conditions.flatMap(operatorsOf) : [tree.operator];
}
