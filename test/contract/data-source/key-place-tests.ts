import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { ConditionTree } from '#runtime/query/condition-tree';
import type { ListQuery } from '#runtime/query/record-query';
import { createRecordService } from '#runtime/records/create-record-service';
import type { PlaceInList } from '#runtime/records/request/record-service';
import { callIn, everythingAllowed } from '../../helpers/call-context.ts';

/** A table with a key whose index has another order than comparisons of texts. */
export interface KeyedTable {
  /** Columns of the key with their types. */
  readonly key: Readonly<Record<string, string>>;
  /** The values of a row as SQL, by the number of the row. */
  readonly row: (number: number) => string;
}

const rows = 1_200;
const call = callIn('UTC');

/** Statements that make the tables. */
export function keyedTables(tables: Readonly<Record<string, KeyedTable>>): readonly string[] {
  return Object.entries(tables).flatMap(([name, { key, row }]) => {
    const columns = Object.entries(key).map(([column, type]) => `${column} ${type} not null`);
    const values = Array.from({ length: rows }, (_, number) => `(${row(number)}, ${number % 7})`);
    return [
      `create table ${name} (${columns.join()}, grade int, primary key (${Object.keys(key).join()}))`,
      `insert into ${name} values ${values.join()}`,
    ];
  });
}

/**
 * Every record comes once, in pages behind a place and in batches of an export. None of them sorts the table, unless few rows are left.
 *
 * @param sorts What the database calls a sort of its own in a plan.
 */
export function describeKeyPlaces(
  tables: Readonly<Record<string, KeyedTable>>,
  sorts: RegExp,
  open: () => DataSource,
): void {
  const keysOf = (name: string) => Object.keys(tables[name]?.key ?? {});
  const emulated = async (collection: string) => {
    const collector = createDeclarationCollector();
    collector.agent.customizeCollection(collection, (on) => on.emulateFieldOperator('grade', 'GreaterThan'));
    return collector.finish();
  };
  const watched = (customizations: Awaited<ReturnType<typeof emulated>> = []) => {
    const source = open();
    const asked: ListQuery[] = [];
    const list: DataSource['list'] = (query, context) => {
      asked.push(query);
      return source.list(query, context);
    };
    return {
      source,
      asked,
      service: createRecordService(compileModel([{ ...source, list }], customizations), everythingAllowed),
    };
  };
  const sortsWhileManyAreLeft = async (source: DataSource, asked: readonly ListQuery[]) => {
    expect(asked.length).toBeGreaterThan(5);
    const half = asked.slice(0, Math.floor(asked.length / 2));
    const plans = await Promise.all(half.map((query) => source.explain?.(query, { timezone: 'UTC' })));
    const steps = plans.flatMap((plan) => plan?.steps ?? []);
    expect(steps.length).toBeGreaterThan(0);
    return steps.filter((step) => sorts.test(step));
  };

  describe.each(Object.keys(tables))('the key of %s', (collection) => {
    const idOf = (record: Readonly<Record<string, unknown>>) =>
      keysOf(collection)
        .map((key) => record[key])
        .join('|');

    it.each([
      ['no order', []],
      ['an order that ends in the key', [{ field: 'grade', ascending: false }]],
    ])('leads through all records once, page by page, with %s', async (_what, sort) => {
      const { source, asked, service } = watched();
      const shown: string[] = [];
      let after: PlaceInList | undefined;
      do {
        const read = () => ({ collection, projection: [...keysOf(collection), 'grade'], sort, size: 150, after });
        const { records, hasMore, placeBehind } = await service.page({ collection, read }, call);
        shown.push(...records.map(idOf));
        // A page that is found by counting would be empty here.
        after = hasMore ? { ...(await placeBehind(records.length)), skip: 10 * rows } : undefined;
      } while (after);
      expect(shown).toHaveLength(rows);
      expect(new Set(shown).size).toBe(rows);
      // Only the key has an index.
      if (sort.length === 0) expect(await sortsWhileManyAreLeft(source, asked)).toEqual([]);
    });

    it('leads through the chunks of a condition that the database does not know, in the order of its index', async () => {
      const { asked, service } = watched(await emulated(collection));
      const where: ConditionTree = { field: 'grade', operator: 'GreaterThan', value: 2 };
      const found = await service.list({ collection, projection: keysOf(collection), where }, call);
      expect(new Set(found.map(idOf)).size).toBe(
        Array.from({ length: rows }, (_, n) => n % 7).filter((n) => n > 2).length,
      );
      // So small a table may be sorted: what counts is that its index will do.
      expect(asked[0]?.sort).toEqual(keysOf(collection).map((field) => ({ field, ascending: true, order: 'any' })));
    });

    it('leads an export through all records once, and sorts the table for none of its batches', async () => {
      const { source, asked, service } = watched();
      const query = { collection, projection: keysOf(collection) };
      const exported = await allOf(await service.exportRecords(query, undefined, call));
      expect(new Set(exported.map(idOf)).size).toBe(rows);
      expect(await sortsWhileManyAreLeft(source, asked)).toEqual([]);
    });
  });
}

/** All records of an export, in one list. */
export async function allOf<Item>(batches: AsyncIterable<readonly Item[]>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}
