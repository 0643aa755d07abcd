import { DateTime } from 'luxon';
import { beforeAll, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { columnOf, isValueField } from '#runtime/model/compiled-model';
import { recordPredicate } from '#runtime/query/evaluate-condition';
import type { RecordData } from '#runtime/query/record-query';
import { termCondition } from '#runtime/query/search/term-condition';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../helpers/call-context.ts';

const wholes = [
  '0',
  '1',
  '5',
  '-1',
  '+5',
  '7',
  '007',
  '255',
  '32768',
  '2147483648',
  '9007199254740993',
  '9223372036854775807',
];
const larges = ['9223372036854775808', '18446744073709551616', '-9223372036854775809', '9'.repeat(40), '9'.repeat(220)];
const fractions = ['5.5', '-0.5', '.5', '5.', '5.0', '0.1', '0.10000000000000000000001', '3.4028235e39'];
const exponents = ['1e3', '5e-1', '1e308', '1e309', '1e400', '-1e999', '1e-999', '1E2', '1e1000'];
const noNumbers = ['NaN', 'Infinity', '-infinity', '0x10', '1_000', '1,5', '٣', '1 2', '--5', '5-'];
const comparisons = [
  '>5',
  '>=5.5',
  '<5',
  '<=-1e400',
  '!=5',
  '<>5.5',
  '≠5',
  '≥1e30',
  '≤99999999999999999999',
  '>',
  '=',
  '> 5',
  '=>5',
];
const dates = [
  '2024',
  '2024-02',
  '2024-02-29',
  '2024-02-30',
  '0001-01-01',
  '9998-12-31',
  '9999-12-31',
  '>2024',
  '<=2024-02',
  '!=2024-02-29',
  '2024-02-29T10:20:30Z',
  '10:20:30',
];
const words = [
  'true',
  'FALSE',
  'red',
  'RED',
  'NULL',
  'null',
  'a',
  '%',
  '_',
  '\\',
  'a\\',
  "a'b",
  'é',
  '日本',
  '😀',
  '\ud800',
  'a\0b',
  '{',
  '[1',
  '{"a":1}',
  '$1',
  ':',
  'x'.repeat(220),
];
const identifiers = [
  '6f1a9c4e-1111-4222-8333-444455556666',
  '6F1A9C4E-1111-4222-8333-444455556666',
  '6f1a9c4e',
  '10.0.0.1',
  '(1,2)',
  '(0,1)',
  '\\x00ff',
  '00ff',
];

/** Each is looked for in every column, by the name of the column and without a name. */
const terms = [wholes, larges, fractions, exponents, noNumbers, comparisons, dates, words, identifiers].flat();

/** Prime to the number of the terms, so that each column meets other ones. */
const everydayStep = 23;

/** A search for each pair of a column and a term has the answer of the evaluator in memory, also where the term is negated. */
export function describeSearchTerms(open: () => Promise<DataSource>): void {
  const call = callIn('UTC');
  let service: ReturnType<typeof createRecordService>;
  let records: readonly RecordData[];
  let columns: ReadonlyMap<string, ReturnType<typeof columnOf>>;

  beforeAll(async () => {
    const model = compileModel([await open()], []);
    service = createRecordService(model, everythingAllowed);
    const fields = [...(model.collections.get('kinds')?.fields.values() ?? [])].filter(isValueField);
    columns = new Map(fields.map((field) => [field.name, columnOf(field)]));
    records = await service.list({ collection: 'kinds', page: { skip: 0, limit: 100 } }, call);
  });

  async function found(search: string): Promise<readonly unknown[]> {
    const query = { collection: 'kinds', projection: ['id'], search, page: { skip: 0, limit: 100 } };
    return (await service.list(query, call)).map(({ id }) => id).toSorted();
  }

  function expected(name: string, text: string, isNegated: boolean): readonly unknown[] {
    const column = columns.get(name);
    if (!column) throw new Error(`There is no column ${name}.`);
    const now = DateTime.utc();
    const tree = termCondition({ path: name, column, operators: column.operators, now }, text, isNegated);
    // What a column cannot hold is found nowhere.
    if (!tree) return isNegated ? records.map(({ id }) => id).toSorted() : [];
    const holds = recordPredicate(tree, () => column, now);
    return records
      .filter(holds)
      .map(({ id }) => id)
      .toSorted();
  }

  /** Every `step`th pair of a column and a term is looked for. */
  async function compareWithEvaluator(step: number): Promise<void> {
    const pairs = [...columns.keys()].flatMap((name) =>
      terms.flatMap((text) => [false, true].map((isNegated) => ({ name, text, isNegated }))),
    );
    const chosen = pairs.filter((_, index) => index % step === 0);
    const wrong = await eachOf(chosen, async ({ name, text, isNegated }) => {
      const search = `${isNegated ? '-' : ''}${name}:${quoted(text)}`;
      const wanted = expected(name, text, isNegated).join();
      const answer = await found(search).then((ids) => ids.join(), String);
      return answer === wanted ? undefined : `${search} finds [${answer}], and not [${wanted}]`;
    });
    expect(wrong).toEqual([]);
  }

  it('finds in each column what the evaluator finds', () => compareWithEvaluator(everydayStep));

  it('finds for every pair what the evaluator finds', { tags: 'long', timeout: 600_000 }, () =>
    compareWithEvaluator(1),
  );

  it('answers each term without a name of a column', async () => {
    const searches = terms.flatMap((text) => [text, quoted(text), `-${quoted(text)}`]);
    const failed = await eachOf(searches, (search) =>
      found(search).then(
        () => undefined,
        (error: unknown) => `${search}: ${error}`,
      ),
    );
    expect(failed).toEqual([]);
  });
}

function quoted(text: string): string {
  const quote = text.includes("'") ? '"' : "'";
  return `${quote}${text}${quote}`;
}

/** What `complaintOf` says of the items, as many at a time as a data source has connections. */
async function eachOf<Item>(
  items: readonly Item[],
  complaintOf: (item: Item) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const complaints: string[] = [];
  const rest = items.values();
  const work = async () => {
    for (const item of rest) complaints.push(...[(await complaintOf(item)) ?? []].flat());
  };
  await Promise.all(Array.from({ length: 5 }, work));
  return complaints;
}
