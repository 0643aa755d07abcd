import { expect, it, onTestFinished } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { temporaryDatabase } from '../../helpers/temporary-database.ts';

const rows = Array.from({ length: 200 }, (_, index) => `(${index}, 'n${index}')`).join();

/** How many functions that build rows the driver makes during `work`: one each time that SQLite plans a statement. */
async function plansDuring(work: () => Promise<unknown>): Promise<number> {
  const original = globalThis.Function;
  let made = 0;
  globalThis.Function = new Proxy(original, {
    apply(target, self, parameters) {
      made++;
      return Reflect.apply(target, self, parameters);
    },
  });
  try {
    await work();
  } finally {
    globalThis.Function = original;
  }
  return made;
}

it('SQLite plans pages of one length once, and reads by key once', async () => {
  const storage = await temporaryDatabase(
    `create table t (id integer primary key, name text); insert into t values ${rows};`,
  );
  const source = await createSqlDataSource({ dialect: 'sqlite', storage })();
  onTestFinished(() => source.close());
  const sort = [{ field: 'id', ascending: true }];
  const list = (skip: number, limit: number) =>
    source.list({ collection: 't', projection: ['name'], sort, page: { skip, limit } }, { timezone: 'UTC' });
  const record = (value: number) =>
    source.list(
      {
        collection: 't',
        projection: ['name'],
        where: { field: 'id', operator: 'Equal', value },
        page: { skip: 0, limit: 1 },
      },
      { timezone: 'UTC' },
    );
  const readAll = async () => {
    for (let page = 0; page < 5; page++) expect(await list(page * 15, 15)).toHaveLength(15);
    for (let id = 0; id < 5; id++) expect(await record(id)).toEqual([{ name: `n${id}` }]);
  };
  await readAll();
  expect(await plansDuring(readAll)).toBe(0);
  expect(await list(0, 150)).toHaveLength(150);
});
