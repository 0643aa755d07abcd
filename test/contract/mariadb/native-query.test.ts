import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMariadbEngine } from '#runtime/data-sources/mariadb/open-mariadb-engine';
import type { SqlEngine } from '#runtime/data-sources/sql/sql-engine';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

const context = { timezone: 'UTC' };

describeOnMysqlFamily('A native query', (member) => {
  const isMariadb = member.dialect === 'mariadb';
  let server: MysqlFamilyServer;
  let engine: SqlEngine;

  beforeAll(async () => {
    server = await member.start();
    const { host, port, user, password } = server;
    const statements = ['create table t (id int primary key)', 'insert into t values (1), (2)'];
    if (isMariadb) statements.push('create sequence s');
    const database = await server.createDatabase('shop', statements);
    engine = await openMariadbEngine({ host, port, user, password, database, poolSize: 1 });
  });
  afterAll(async () => {
    await engine?.close();
    await server?.stop();
  });

  it.each([
    'optimize table t',
    'analyze table t',
    'repair table t',
    'check table t',
    'flush tables',
    'lock tables t write',
    'select id from t for update',
    'delete from t',
    ...(isMariadb
      ? ['select nextval(s)', 'delete from t returning id', 'set statement max_statement_time = 0 for select 1']
      : ['table t into @a', 'handler t open', 'show create table t', 'explain analyze delete from t']),
    'for select 1',
    't',
    'show tables',
    'call p()',
    'do sleep(0)',
    "prepare x from 'select 1'",
    'set @a = 1',
  ])('is refused when it is not one: %s', async (sql) => {
    const created = 'select create_time as at from information_schema.tables where table_name = ?';
    const before = await engine.read(created, ['t'], context);
    await expect(engine.runReadOnly(sql, {}, context)).rejects.toMatchObject({ code: 'DATABASE_NATIVE_QUERY_REFUSED' });
    expect(await engine.read(created, ['t'], context)).toEqual(before);
  });

  const values = isMariadb ? 'values (1)' : 'values row(1)';
  it.each(['select id from t where id = 1', values, '(select 1)', 'with a as (select 1) select * from a'])(
    'is carried out: %s',
    async (sql) => {
      expect((await engine.runReadOnly(sql, {}, context)).map((row) => Object.values(row).map(Number))).toEqual([[1]]);
    },
  );

  it.each(["select get_lock('a', 0), @a := 5", "select get_lock('a', 0), @a := 5, cast('x' as signed) from nowhere"])(
    'leaves no lock and no variable behind: %s',
    async (sql) => {
      await engine.runReadOnly(sql, {}, context).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'DATABASE_NATIVE_QUERY_REFUSED' });
      });
      expect(await engine.read('select @a as a', [], context)).toEqual([{ a: null }]);
      const isFree = async () => Number((await engine.read("select is_free_lock('a') as f", [], context))[0]?.['f']);
      await expect.poll(isFree).toBe(1);
    },
  );
});
