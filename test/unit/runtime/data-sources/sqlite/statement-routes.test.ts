import { describe, expect, it, onTestFinished } from 'vitest';
import type { SqlValue } from '#kernel/ports/sql-row';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createStatementRoutes } from '#runtime/data-sources/sqlite/sqlite-engine';
import { defineSqliteFunctions } from '#runtime/data-sources/sqlite/sqlite-functions';
import { temporaryDatabase } from '../../../../helpers/temporary-database.ts';

const script = `
  create table large (id integer primary key, state text, note text);
  create table small (id integer primary key, note text);
  create index large_state on large (state);
  create view shown as select l.id, l.note from large l;
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 100001) insert into large select i, 's' || i % 9, 'n' || i from n;
  insert into small select id, note from large where id <= 20000;
`;

async function routes(file?: string) {
  const reader = await openSqlite(file ?? (await temporaryDatabase(script)), { isReadOnly: true });
  onTestFinished(() => reader.close());
  defineSqliteFunctions(reader);
  return createStatementRoutes(reader);
}

describe('our statements', () => {
  it.each<[string, readonly SqlValue[]]>([
    ['select count(*) from large as t0 where t0.note = ?', ['x']],
    ['select t0.id from large as t0 order by t0.note limit ? offset ?', [15, 0]],
    ['select t0.id from large as t0 where t0.note = ? order by t0.id limit ? offset ?', ['x', 15, 0]],
    ['select t0.id from large as t0 order by t0.id limit ? offset ?', [15, 100_000]],
    ['select t0.id from large as t0 order by t0.id limit 15 offset ?', [100_000]],
    ['select t0.id from small as t0 left join large as t1 on t1.note = t0.note limit ? offset ?', [15, 0]],
    ['select max(t0.note) from large as t0', []],
    ['select t0.id from shown as t0 where t0.note = ?', ['x']],
    ['select t0.state, count(*) from large as t0 group by 1', []],
    ['select count(*) from small as t0 where simple_lower(t0.note) = ?', ['x']],
    ["select count(*) from small as t0 where t0.note like ? escape '\\'", ['%x%']],
    [`select count(*) from small as t0 where ${Array(6).fill('t0.note glob ?').join(' or ')}`, Array(6).fill('*x*')],
  ])('are long: %s %j', async (sql, parameters) => {
    expect((await routes()).isLong(sql, parameters)).toBe(true);
  });

  it.each<[string, readonly SqlValue[]]>([
    ['select count(*) from large as t0', []],
    ['select t0.note from large as t0 where t0.id = ?', [1]],
    ['select t0.note from large as t0 where t0.state = ? limit ? offset ?', ['s1', 15, 0]],
    ['select t0.note from large as t0 where t0.id in (select value from json_each(?))', ['[1,2]']],
    ['select t0.id from large as t0 order by t0.id desc limit ? offset ?', [100, 200]],
    ['select t0.id from large as t0 order by t0.id desc limit 100 offset ?', [200]],
    ['select t0.id from large as t0 left join small as t1 on t1.id = t0.id order by t0.id limit ? offset ?', [15, 0]],
    ['select t0.id from small as t0 where t0.note = ?', ['x']],
    ['select t0.id from small as t0 left join large as t1 on t1.id = t0.id where t0.note = ?', ['x']],
  ])('are not: %s %j', async (sql, parameters) => {
    expect((await routes()).isLong(sql, parameters)).toBe(false);
  });
});

describe('a statement', () => {
  it('becomes long when its index goes', async () => {
    const file = await temporaryDatabase(script);
    const { isLong } = await routes(file);
    const sql = 'select t0.note from large as t0 where t0.state = ?';
    expect(isLong(sql, ['s1'])).toBe(false);
    const writer = await openSqlite(file);
    writer.execute('drop index large_state');
    writer.close();
    await expect.poll(() => isLong(sql, ['s1'])).toBe(true);
  });
});

describe("somebody else's statements", () => {
  it.each([
    ['select count(*) from small a, small b', true],
    ['with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n', true],
    ['with recursive n(i) as (select 1 union all select i + 1 from n) select i from n', true],
    ["select value from json_each('[1,2]')", true],
    ['select count(*) from large', false],
    ['select note from large where id = 1', false],
  ])('may be long where there is a loop: %s', async (sql, mayBeLong) => {
    expect((await routes()).mayBeLong(sql, [])).toBe(mayBeLong);
  });
});
