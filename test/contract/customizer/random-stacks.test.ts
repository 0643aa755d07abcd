import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import type { CompiledModel } from '#runtime/model/compiled-model';
import { columnLookup, isToManyAt } from '#runtime/model/field-path';
import { aggregateRecords } from '#runtime/query/aggregate-records';
import type { Aggregation } from '#runtime/query/aggregation';
import { recordPredicate } from '#runtime/query/evaluate-condition';
import { valueReader } from '#runtime/query/record-path';
import type { RecordData } from '#runtime/query/record-query';
import { pageOf, sortRecords } from '#runtime/query/sort-records';
import type { RecordService } from '#runtime/records/request/record-service';
import { everythingAllowed } from '../../helpers/call-context.ts';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import { linkedRecords } from './linked-records.ts';
import { collectionOf, type Question, questionOn } from './question-arbitrary.ts';
import { call, customizedShop } from './shop.ts';
import { stack } from './stack-arbitrary.ts';
import { warehouse } from './warehouse.ts';

/** The values of the records that are found, the key first, and how many records have the same groups. */
interface Answer {
  readonly records: readonly (readonly unknown[])[];
  readonly groups: readonly (readonly unknown[])[];
}

const seed = process.env['DIFFERENTIAL_SEED'];
const stacks = process.env['DIFFERENTIAL_STACKS'];
const questionsPerStack = 10;

/**
 * Random customizations, and random questions about what comes of them. A failure prints its seed; `DIFFERENTIAL_SEED` runs
 * it again, `DIFFERENTIAL_STACKS` sets how many stacks of customizations are made.
 */
describe.each([
  ['memory', openMemory],
  ['SQLite', openSqliteTables],
] as const)('random customizations on %s', (_name, open) => {
  it('are filtered, sorted, read and grouped as the evaluator does with everything that can be read', async () => {
    const property = fc.asyncProperty(stack, fc.integer(), async (chosen, questionSeed) => {
      const customize = chosen.apply;
      const { model, service } = await customizedShop(open, customize, everythingAllowed, warehouse);
      const everything = await linkedRecords(model, service);
      for (const question of fc.sample(questionOn(model), { numRuns: questionsPerStack, seed: questionSeed })) {
        const expected = answerOf(model, everything.get(question.collection) ?? [], question);
        const found = await ask(model, service, question);
        expect(found, `${chosen.names.join(', ')}: ${JSON.stringify(question)}`).toEqual(expected);
      }
    });
    await fc.assert(property, { numRuns: stacks === undefined ? 30 : Number(stacks), ...seeded() });
  });
});

function seeded(): { readonly seed?: number } {
  return seed === undefined ? {} : { seed: Number(seed) };
}

async function ask(model: CompiledModel, service: RecordService, question: Question): Promise<Answer> {
  const { collection, where } = question;
  const records = await service.list(question, call);
  const groups = await service.aggregate({ collection, where, aggregation: countOf(question) }, call);
  return {
    records: valuesOf(model, question, records),
    groups: groups.map((row) => [row.value, ...row.groups]),
  };
}

/** What the evaluator says of all records; ties in the order of the key, as the service has them. */
function answerOf(model: CompiledModel, records: readonly RecordData[], question: Question): Answer {
  const { where, sort, page, groups } = question;
  const collection = collectionOf(model, question.collection);
  const columnAt = columnLookup(model, collection);
  const now = DateTime.now().setZone(call.caller.timezone);
  const found = records.filter(recordPredicate(where, columnAt, now, (path) => isToManyAt(model, collection, path)));
  const ascending = sort.at(-1)?.ascending ?? true;
  // A replaced sort by the total in place of the cents gives the same order.
  const sorted = sortRecords(
    found,
    [...sort, ...collection.primaryKey.map((field) => ({ field, ascending }))],
    columnAt,
  );
  const rows = aggregateRecords(found, countOf(question), columnAt, call.caller.timezone);
  return {
    records: valuesOf(model, question, pageOf(sorted, page)),
    groups: rows.map(({ value, group }) => [value, ...groups.map((path) => group[path])]),
  };
}

function countOf({ groups }: Question): Aggregation {
  return { operation: 'Count', groups: groups.map((field) => ({ field })) };
}

function valuesOf(model: CompiledModel, { collection, projection }: Question, records: readonly RecordData[]) {
  const readers = [...collectionOf(model, collection).primaryKey, ...projection].map(valueReader);
  return records.map((record) => readers.map((read) => read(record)));
}
