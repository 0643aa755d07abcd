import { expect, it, onTestFinished } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import { openSqliteEngine } from '#runtime/data-sources/sqlite/sqlite-engine';
import { temporaryDatabase } from '../../../../helpers/temporary-database.ts';

const utc = { timezone: 'UTC' };

/** A data source on a table `t`, and the texts of what it writes. */
async function open(): Promise<{ source: DataSource; written: string[] }> {
  const engine = await openSqliteEngine(
    await temporaryDatabase('create table t (id integer primary key, a integer, b integer)'),
  );
  const written: string[] = [];
  const source = await createDataSourceOn({
    ...engine,
    transaction: (work, context) =>
      engine.transaction((session) => {
        const all: typeof session.all = (sql, parameters) => {
          written.push(sql);
          return session.all(sql, parameters);
        };
        return work({ ...session, all });
      }, context),
  });
  onTestFinished(() => source.close());
  return { source, written };
}

const records = (count: number) => Array.from({ length: count }, (_, index) => ({ a: index, b: index + 1 }));

it('takes at most a dozen statements to create any number of records', async () => {
  const { source, written } = await open();
  for (const count of [1, 2, 3, 5, 7, 100, 255, 257, 1000, 1023, 3001, 6000]) {
    const created = await source.create('t', records(count), utc);
    expect(created.map(({ a, b }) => ({ a, b }))).toEqual(records(count));
  }
  expect(new Set(written).size).toBeLessThanOrEqual(12);
});

it('keeps the order of records that give different columns', async () => {
  const { source, written } = await open();
  const created = await source.create('t', [{ a: 1 }, { a: 2 }, {}, {}, { b: 3 }, { a: 4 }], utc);
  expect(created.map(({ a, b }) => [a, b])).toEqual([
    [1, null],
    [2, null],
    [null, null],
    [null, null],
    [null, 3],
    [4, null],
  ]);
  expect(written).toHaveLength(5);
});
