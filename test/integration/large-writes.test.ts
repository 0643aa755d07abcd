import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createSqlDataSource } from '#runtime/index';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const utc = { timezone: 'UTC' };
const rows = 12_000;

async function openSource(ddl: string): Promise<DataSource> {
  const file = path.join(await temporaryFolder(), 'shop.sqlite');
  const connection = await openSqlite(file);
  connection.execute(ddl);
  connection.close();
  const source = await createSqlDataSource(`sqlite:${file}`)();
  onTestFinished(() => source.close());
  return source;
}

const series = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) `;
const simple = `create table items (id integer primary key, kind text);
  ${series} insert into items select i, case when i % 2 then 'odd' else 'even' end from n;`;
const composite = `create table items (a integer, b text, kind text, primary key (a, b));
  ${series} insert into items select i / 10, 'b' || i, case when i % 2 then 'odd' else 'even' end from n;`;

/** Turns of the event loop that others had while something was done. */
async function turnsDuring<Result>(
  work: Promise<Result>,
): Promise<{ readonly result: Result; readonly turns: number }> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const result = await work;
  isOver = true;
  return { result, turns };
}

describe.each([
  ['one column', simple],
  ['two columns', composite],
])('a write of many records of SQLite with a key of %s', (_key, ddl) => {
  it('lets others have their turn', { tags: 'long' }, async () => {
    const source = await openSource(ddl);
    const odd = { field: 'kind', operator: 'Equal', value: 'odd' } as const;
    const updated = await turnsDuring(source.update('items', undefined, { kind: 'odd' }, utc));
    expect(updated.result).toBe(rows);
    expect(updated.turns).toBeGreaterThan(3);
    const told: unknown[] = [];
    const deleted = await turnsDuring(source.delete('items', odd, utc, (keys) => told.push(...keys)));
    expect([deleted.result, told.length]).toEqual([rows, rows]);
    expect(deleted.turns).toBeGreaterThan(3);
    expect(await source.count('items', undefined, utc)).toBe(0);
  });

  it('is one transaction: what one part is refused undoes all of them', async () => {
    const source = await openSource(`${ddl}
      create trigger keeps before delete on items when old.rowid = ${rows} begin select raise(abort, 'no'); end;`);
    await expect(source.delete('items', undefined, utc)).rejects.toMatchObject({ code: expect.any(String) });
    expect(await source.count('items', undefined, utc)).toBe(rows);
  });

  it('is about the records that fulfilled its condition when it began', async () => {
    const source = await openSource(ddl);
    const even = { field: 'kind', operator: 'Equal', value: 'even' } as const;
    expect(await source.update('items', even, { kind: 'odd' }, utc)).toBe(rows / 2);
    expect(await source.count('items', even, utc)).toBe(0);
  });
});
