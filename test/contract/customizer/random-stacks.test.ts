import fc, { type Arbitrary } from 'fast-check';
import { DateTime } from 'luxon';
import { describe, it } from 'vitest';
import { type CompiledModel, columnOf } from '#runtime/plan/compiled-model';
import { columnLookup, resolvePath } from '#runtime/plan/field-path';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { evaluateCondition } from '#runtime/query/evaluate-condition';
import type { RecordData, SortClause } from '#runtime/query/record-query';
import { sortRecords } from '#runtime/query/sort-records';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import { call, customizedShop } from './shop.ts';
import { type Stack, stack, valueFor } from './stack-arbitrary.ts';

interface Question {
  readonly where: ConditionTree | undefined;
  readonly sort: readonly SortClause[];
}

const seed = process.env['DIFFERENTIAL_SEED'];
const questionsPerStack = 12;

describe.each([
  ['memory', openMemory, 60],
  ['SQLite', openSqliteTables, 60],
] as const)('random customizations on %s', (_name, open, numRuns) => {
  it('filter and sort as the evaluator does over everything that can be read', async () => {
    const property = fc.asyncProperty(stack, fc.integer(), async (chosen, questionSeed) => {
      const { model, service } = await customizedShop(open, (agent) => chosen.apply(agent));
      const everything = await service.list({ collection: 'orders', projection: chosen.paths }, call);
      const questions = fc.sample(questionOn(model, chosen), { numRuns: questionsPerStack, seed: questionSeed });
      for (const question of questions) {
        const found = await service.list({ collection: 'orders', projection: ['id'], ...question }, call);
        const expected = answer(model, everything, question);
        if (idsOf(found) !== idsOf(expected)) {
          throw new Error(
            `${chosen.names.join(', ')}: ${JSON.stringify(question)} gave ${idsOf(found)}, not ${idsOf(expected)}`,
          );
        }
      }
    });
    await fc.assert(property, { numRuns, ...seeded() });
  });
});

function seeded(): { readonly seed?: number } {
  return seed === undefined ? {} : { seed: Number(seed) };
}

function idsOf(records: readonly RecordData[]): string {
  return records.map(({ id }) => id).join(' ');
}

/** What the evaluator says of records that hold everything; ties in the order of the key, as the service has them. */
function answer(model: CompiledModel, records: readonly RecordData[], { where, sort }: Question): RecordData[] {
  const orders = model.collections.get('orders');
  if (!orders) throw new Error('There are orders.');
  const columnAt = columnLookup(model, orders);
  const now = DateTime.now().setZone(call.caller.timezone);
  const found = records.filter((record) => evaluateCondition(record, where, columnAt, now));
  const ascending = sort.at(-1)?.ascending ?? true;
  // A replaced sort by the total in place of the cents gives the same order.
  return sortRecords(found, [...sort, { field: 'id', ascending }], columnAt);
}

function questionOn(model: CompiledModel, chosen: Stack): Arbitrary<Question> {
  const orders = model.collections.get('orders');
  if (!orders) throw new Error('There are orders.');
  const columns = chosen.paths.map((path) => ({ path, column: columnOf(resolvePath(model, orders, path).field) }));
  const leaf = fc
    .constantFrom(...columns)
    .chain(({ path, column }) =>
      fc
        .constantFrom(...[...column.operators].filter((operator) => operator !== 'Match'))
        .chain((operator) =>
          valueFor(column.type, operator).map(
            (value): ConditionTree =>
              value === undefined ? { field: path, operator } : { field: path, operator, value },
          ),
        ),
    );
  const { tree } = fc.letrec<{ tree: ConditionTree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 2, depthSize: 'small' },
      leaf,
      fc.record({
        aggregator: fc.constantFrom('And', 'Or'),
        conditions: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
      }) as Arbitrary<ConditionTree>,
    ),
  }));
  const sortable = columns.filter(({ column }) => column.isSortable).map(({ path }) => path);
  return fc.record({
    where: fc.option(tree, { nil: undefined }),
    sort: fc
      .uniqueArray(fc.constantFrom(...sortable), { minLength: 1, maxLength: 2 })
      .chain((fields) =>
        fc.tuple(...fields.map((field) => fc.boolean().map((ascending): SortClause => ({ field, ascending })))),
      ),
  });
}
