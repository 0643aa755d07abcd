import { describe, expect, it } from 'vitest';
import type { SqlValue } from '#kernel/ports/sql-row';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { openScanConnection } from '#runtime/data-sources/sqlite/scan-connection';
import { defineSqliteFunctions } from '#runtime/data-sources/sqlite/sqlite-functions';
import { temporaryDatabase } from '../../../../helpers/temporary-database.ts';

const script = `
  create table orders (id integer primary key, customer_id integer, total decimal(12,2), note text collate nocase, photo blob);
  create table customers (id integer primary key, name text);
  create table sparse (id integer primary key, name text);
  create table words (word text primary key, n integer) without rowid;
  create table "odd ""names""" (rowid text, _rowid_ text, oid text);
  create index orders_customer on orders (customer_id);
  create view totals as select customer_id, count(*) as n, sum(total) as total from orders group by customer_id;
  create view named (ref, amount) as select id, total from orders;
  create virtual table texts using fts5 (body);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
    insert into orders select i, i % 100 + 1, i * 0.25, 'Note ' || i, x'00ff' from n;
  insert into customers select id, 'c' || id from orders where id <= 100;
  insert into sparse select id * 1024, note from orders;
  insert into words select note, id from orders;
  insert into "odd ""names""" select note, note, note from orders;
  insert into texts select note from orders;
`;

/** A connection that goes on for as long as `isStopped` says. */
async function openOn(file: string) {
  const state = { isStopped: false, questions: 0 };
  const connection = await openScanConnection(file, () => {
    state.questions += 1;
    if (state.isStopped) throw new Error('stopped');
  });
  const all = (sql: string, parameters: readonly SqlValue[] = []) => [...connection.each(sql, parameters)];
  return { all, state };
}

const scanning = [
  ['a filter that nothing matches', 'select count(*) from orders where total = -1'],
  ['a filter by a function of ours', "select count(*) from orders where simple_lower(note) = 'x'"],
  ['a sort', 'select id from orders order by total desc limit 1'],
  ['a group', 'select total % 10, count(*) from orders group by 1 order by 2'],
  ['an exact sum', 'select exact_sum(total, 2) from orders'],
  ['a maximum without an index', 'select max(total) from orders'],
  ['a join', "select count(*) from orders o left join customers c on c.id = o.customer_id where c.name = 'x'"],
  ['a join without an index', 'select count(*) from customers c left join orders o on o.note = c.name'],
  ['a product', 'select count(*) from customers a, orders b where a.name = b.note'],
  ['a view', 'select * from totals where n < 0'],
  ['a view with named columns', 'select ref from named where amount < 0'],
  ['a sub-query', 'select id from orders where id in (select n from words where n < 0)'],
  ['a union', 'select 1 from orders where total < 0 union all select 1 from words where n < 0'],
  ['a common table', 'with x as materialized (select * from orders) select count(*) from x where total < 0'],
  ['a table without row ids', 'select count(*) from words where n < 0'],
  ['a table whose keys go in steps', "select count(*) from sparse where name = 'x'"],
  ['a table whose columns hide the row id', `select count(*) from "odd ""names""" where oid = 'x'`],
  ['an index', 'select count(*) from orders where customer_id % 1000 = 999'],
] as const;

describe('a scan connection', () => {
  it.each(scanning)('stops %s inside the database', async (_name, sql) => {
    const { all, state } = await openOn(await temporaryDatabase(script));
    const answer = all(sql);
    state.isStopped = true;
    const before = state.questions;
    expect(() => all(sql)).toThrow('stopped');
    expect(state.questions).toBe(before + 1);
    state.isStopped = false;
    expect(all(sql)).toEqual(answer);
  });

  it.each(scanning)('answers %s as any other connection', async (_name, sql) => {
    const file = await temporaryDatabase(script);
    const { all } = await openOn(file);
    const plain = await openSqlite(file, { isReadOnly: true });
    defineSqliteFunctions(plain);
    expect(all(sql)).toEqual(plain.all(sql));
    plain.close();
  });

  it('asks seldom enough to cost little', async () => {
    const { all, state } = await openOn(await temporaryDatabase(script));
    all('select count(*) from orders where total = -1');
    expect(state.questions).toBeLessThan(100);
  });

  it.each([
    ['row ids', 'select rowid as n from orders where total = 1', [{ n: 4 }]],
    [
      'an index by its name',
      'select count(*) as n from orders indexed by orders_customer where customer_id = 1',
      [{ n: 200 }],
    ],
    ['a full-text index', "select count(*) as n from texts where texts match 'note'", [{ n: 20_000 }]],
    ['what a table is made of', "select pk as n from pragma_table_info('orders') where name = 'id'", [{ n: 1 }]],
    ['the collation of a column', "select id as n from orders where note = 'NOTE 7'", [{ n: 7 }]],
    ['the affinity of a column', "select id as n from orders where total = '0.25'", [{ n: 1 }]],
    [
      'existence without an index',
      'select count(*) as n from customers c where exists (select 1 from orders o where o.note = c.name)',
      [{ n: 0 }],
    ],
  ])('reads %s', async (_name, sql, rows) => {
    const { all } = await openOn(await temporaryDatabase(script));
    expect(all(sql)).toEqual(rows);
  });

  it('adds no guard that would change the plan of a statement', async () => {
    const { all, state } = await openOn(await temporaryDatabase(script));
    all('select count(*) as n from customers c where exists (select 1 from orders o where o.note = c.name)');
    // For the one row that came out.
    expect(state.questions).toBe(1);
  });

  it('guards tables that came later, and forgets those that went', async () => {
    const file = await temporaryDatabase(script);
    const { all, state } = await openOn(file);
    all('select count(*) from orders where total = -1');
    const other = await openSqlite(file);
    other.execute(
      'create table later as select * from orders; drop table sparse; alter table customers add column city text',
    );
    other.close();
    const before = state.questions;
    expect(all('select count(*) as n from later where total = -1')).toEqual([{ n: 0 }]);
    // One is for the row that came out.
    expect(state.questions).toBeGreaterThan(before + 1);
    expect(all('select city from customers where id = 1')).toEqual([{ city: null }]);
    expect(() => all('select * from sparse')).toThrow();
  });

  it('cannot write, not even beside the tables', async () => {
    const { all } = await openOn(await temporaryDatabase(script));
    expect(() => all("insert into customers values (1000, 'x') returning id")).toThrow();
    expect(() => all("insert into main.customers values (1000, 'x') returning id")).toThrow();
    expect(all('select count(*) as n from customers')).toEqual([{ n: 100 }]);
  });
});
