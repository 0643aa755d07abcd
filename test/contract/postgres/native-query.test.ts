import { beforeAll, describe, expect, it } from 'vitest';
import { openPostgresEngine } from '#runtime/data-sources/postgres/open-postgres-engine';
import type { SqlEngine } from '#runtime/data-sources/sql/sql-engine';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();
const context = { timezone: 'UTC' };

describe.each([true, false])('a native query on PostgreSQL (prepared statements: %s)', (preparedStatements) => {
  let engine: SqlEngine;
  beforeAll(async () => {
    engine = await server.openEngine('create table t (id int); insert into t values (1), (2)', {
      preparedStatements,
      poolSize: 1,
    });
  });

  it('binds its values by name', async () => {
    const sql = "select id, $word::text as word, '$word' as text from t where id = $id or id = $id::int";
    expect(await engine.runReadOnly(sql, { id: 2, word: "x'; drop table t" }, context)).toEqual([
      { id: '2', word: "x'; drop table t", text: '$word' },
    ]);
  });

  it('is not kept prepared, where it would take the place of statements that are used again', async () => {
    await engine.runReadOnly('select id from t where id = $id /* one-off */', { id: 1 }, context);
    const prepared = "select count(*) from pg_prepared_statements where statement like '%one-off */'";
    expect(await engine.read(prepared, [], context)).toEqual([{ count: '0' }]);
  });

  it.each([
    'do $$ begin perform 1; end $$',
    "copy t to program 'true'",
    'copy t to stdout',
    'lock table t in access exclusive mode',
    'select id from t for update',
    'select id into u from t',
    'with d as (delete from t returning id) select id from d',
    'create temp table u (id int)',
    'prepare p as select 1',
    'deallocate all',
    'discard all',
    'listen x',
    "set lock_timeout = '1s'",
    'reset all',
    'explain analyze select 1',
    'fetch all from native_query',
    'declare other cursor for select 1',
    'rollback to savepoint native_query',
  ])('is refused when no cursor could have it: %s', async (sql) => {
    const [before] = await engine.read('select pg_backend_pid() as pid', [], context);
    await expect(engine.runReadOnly(sql, {}, context)).rejects.toMatchObject({ code: 'DATABASE_NATIVE_QUERY_REFUSED' });
    expect(await engine.read('select pg_backend_pid() as pid', [], context)).toEqual([before]);
  });

  it.each([
    'select id from t where id = 1;',
    'values (1)',
    'table t limit 1',
    '(select 1)',
    'with a as (select 1) table a',
  ])('is carried out when a cursor could have it: %s', async (sql) => {
    expect((await engine.runReadOnly(sql, {}, context)).map((row) => Object.values(row))).toEqual([['1']]);
  });

  const session = () =>
    engine.read(
      `select pg_backend_pid() as pid, current_setting('search_path') as path, current_setting('lock_timeout') as "lockTimeout",
        current_setting('statement_timeout') as "statementTimeout", current_user as "user",
        (select count(*) from pg_locks where locktype = 'advisory') as locks,
        (select count(*) from pg_listening_channels()) as channels`,
      [],
      context,
    );

  it.each([
    "select set_config('search_path', 'nowhere', false), set_config('statement_timeout', '1ms', false)",
    "select set_config('role', 'pg_monitor', false)",
    "select pg_advisory_lock(1), pg_advisory_lock_shared(2), pg_notify('x', 'y')",
    'select pg_advisory_lock(3), 1 / (id - id) from t',
  ])('leaves its session as it was: %s', async (sql) => {
    const before = await session();
    await engine.runReadOnly(sql, {}, context).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'DATABASE_NATIVE_QUERY_REFUSED' });
    });
    expect(await session()).toEqual(before);
  });

  it('does not choose the random numbers of those that come after it', async () => {
    const drawn = async () => {
      await engine.runReadOnly('select setseed(0.5)', {}, context);
      return engine.read('select random() as drawn', [], context);
    };
    expect(await drawn()).not.toEqual(await drawn());
  });

  it('waits two seconds at most for a lock, and as long as any statement for itself', async () => {
    const sql = "select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement";
    expect(await engine.runReadOnly(sql, {}, context)).toEqual([{ lock: '2s', statement: '30s' }]);
  });

  it.each([
    ['writes', 'delete from t returning id'],
    ['writes in a function', "select setval(pg_get_serial_sequence('t', 'id'), 1), nextval('missing')"],
    ['is two', 'select 1; delete from t'],
    ['ends the transaction first', 'commit; delete from t'],
    ['has an error', 'selct 1'],
    ['has no value for a name', 'select $missing'],
  ])('is refused when it %s', async (_what, sql) => {
    const error = await engine.runReadOnly(sql, {}, context).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'DATABASE_NATIVE_QUERY_REFUSED' });
    expect(String(error)).not.toMatch(/delete|selct|setval/);
    expect(await engine.read('select count(*) from t', [], context)).toEqual([{ count: '2' }]);
  });
});

it('a native query on PostgreSQL gives up while others hold a table', async () => {
  const database = await server.createDatabase('create table t (id int)');
  const engine = await openPostgresEngine(server.parameters(database));
  try {
    await engine.transaction(async (session) => {
      await session.run('lock table t in access exclusive mode', []);
      const waiting = engine.runReadOnly('select id from t', {}, context);
      await expect(waiting).rejects.toMatchObject({ code: 'DATABASE_BUSY' });
    }, context);
  } finally {
    await engine.close();
  }
});
