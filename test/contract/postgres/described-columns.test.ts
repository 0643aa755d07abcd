import { expect, it, onTestFinished } from 'vitest';
import type { SqlParameter } from '#kernel/ports/sql-row';
import { createPostgresClient, type PostgresResult } from '#node/postgres/postgres-client';
import { serversOf } from '#node/postgres/postgres-hosts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();

/** A client, how many times the server has described columns to it, and what it is asked. */
async function connect() {
  const [address] = serversOf(server.parameters());
  const client = await createPostgresClient(address, undefined, 5_000);
  let described = 0;
  client.connection.on('rowDescription', () => described++);
  await client.connect();
  onTestFinished(() => client.end());
  const ask = (sql: string, name?: string, values: readonly SqlParameter[] = []) =>
    new Promise<PostgresResult>((resolve, reject) => {
      client.ask(sql, values, name, (error, result) => (error ? reject(error) : resolve(result)));
    });
  /** As a pooler that has prepared the statement again on a server connection where the table had changed. */
  const sendOddRow = () => client.connection.emit('dataRow', { fields: ['1', '2', '3'] });
  return { ask, described: () => described, sendOddRow };
}

it('the server describes the columns of a named statement once for each connection', async () => {
  const sql = 'select $1::int as "1", $2::text as "0", null::text as empty, 7 as twice, 8 as twice, 9 as "__proto__"';
  const first = await connect();
  const values = [1, 'é', 3, 'x'] as const;
  const all = [await first.ask(sql, 'odd', values.slice(0, 2)), await first.ask(sql, 'odd', values.slice(2))];
  const expected = (one: string, zero: string) => {
    const row = { 1: one, 0: zero, empty: null, twice: '8' };
    return [Object.defineProperty(row, '__proto__', { value: '9', enumerable: true })];
  };
  expect(all.map(({ rows }) => rows)).toEqual([expected('1', 'é'), expected('3', 'x')]);
  expect(first.described()).toBe(1);
  const second = await connect();
  await second.ask(sql, 'odd', values.slice(0, 2));
  expect(second.described()).toBe(1);
});

it('statements that are sent at once all get their columns, and one without a name each time', async () => {
  const { ask, described } = await connect();
  const sql = 'select n from generate_series(1, $1::int) as n';
  const answers = await Promise.all([3, 0, 2].map((count) => ask(sql, 'numbers', [count])));
  expect(answers.map(({ rows }) => rows.map(({ n }) => n))).toEqual([['1', '2', '3'], [], ['1', '2']]);
  await ask(sql, 'numbers', [1]);
  expect(described()).toBe(3);
  await ask(sql, undefined, [1]);
  await ask(sql, undefined, [1]);
  expect(described()).toBe(5);
});

it('a statement whose columns have changed is refused, and the next one under another name has the new ones', async () => {
  const { ask } = await connect();
  await ask('create temporary table changing (a int)');
  const { command, rowCount } = await ask('insert into changing values (1), (2)', 'insert');
  expect([command, rowCount]).toEqual(['INSERT', 2]);
  expect(await ask('select * from changing order by a', 'all')).toMatchObject({ rows: [{ a: '1' }, { a: '2' }] });
  await ask('alter table changing add b text');
  await expect(ask('select * from changing order by a', 'all')).rejects.toMatchObject({ code: '0A000' });
  const { rows } = await ask('select * from changing order by a', 'all again');
  expect(rows[0]).toEqual({ a: '1', b: null });
  expect(await ask('begin')).toMatchObject({ command: 'BEGIN', rowCount: null, rows: [] });
  expect(await ask('commit')).toMatchObject({ command: 'COMMIT' });
});

it('a row with other columns than the server has described is refused, and the next answer is described again', async () => {
  const { ask, described, sendOddRow } = await connect();
  await ask('select 1 as one', 'one');
  const odd = ask('select 1 as one', 'one');
  sendOddRow();
  await expect(odd).rejects.toThrow('The columns of a prepared statement have changed.');
  expect(await ask('select 1 as one', 'one')).toMatchObject({ rows: [{ one: '1' }] });
  expect(described()).toBe(2);
});
