import { beforeAll, describe, expect, it } from 'vitest';
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
