import { expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { GroupCommit } from '#platform/store/group-commit';

async function setUp(script = 'create table t (n integer)') {
  const connection = await openSqlite(':memory:');
  onTestFinished(() => connection.close());
  connection.execute(script);
  const executed: string[] = [];
  const group = new GroupCommit({
    execute(statement) {
      executed.push(statement);
      connection.execute(statement);
    },
    isInTransaction: () => connection.isInTransaction(),
  });
  const insert = (n: number) => group.run(async () => void connection.run('insert into t values (?)', [n]));
  const rows = () => connection.all('select n from t order by n').map(({ n }) => n);
  const commits = () => executed.filter((statement) => statement === 'commit').length;
  return { connection, group, insert, rows, commits };
}

it('transactions that wait together are one commit', async () => {
  const { insert, rows, commits } = await setUp();
  await Promise.all([1, 2, 3].map(insert));
  expect(rows()).toEqual([1, 2, 3]);
  expect(commits()).toBe(1);
  await insert(4);
  expect(commits()).toBe(2);
});

it('a transaction that fails leaves nothing and does not harm the others of its group', async () => {
  const { connection, group, insert, rows, commits } = await setUp();
  const failing = group.run(async () => {
    connection.run('insert into t values (?)', [2]);
    throw new Error('changed its mind');
  });
  const outcomes = await Promise.allSettled([insert(1), failing, insert(3)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await expect(failing).rejects.toThrow('changed its mind');
  expect(rows()).toEqual([1, 3]);
  expect(commits()).toBe(1);
});

it('a full disk rejects what was not committed, and the next transaction works when there is space again', async () => {
  const { connection, group, rows } = await setUp('create table t (n integer, filling text)');
  const fill = (n: number, size: number) =>
    group.run(async () => void connection.run('insert into t values (?, ?)', [n, 'x'.repeat(size)]));
  await fill(1, 10);
  connection.execute('pragma max_page_count = 4');
  const outcomes = await Promise.allSettled([fill(2, 10), fill(3, 100_000), fill(4, 10)]);
  const kept = [2, 3, 4].filter((_n, index) => outcomes[index]?.status === 'fulfilled');
  expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: { safeDetails: { sqliteCode: 'SQLITE_FULL' } } });
  expect(rows()).toEqual([1, ...kept]);
  connection.execute('pragma max_page_count = 1000');
  await fill(5, 100_000);
  expect(rows()).toEqual([1, ...kept, 5]);
});

it('a group that cannot begin rejects all of its transactions', async () => {
  const { connection, insert } = await setUp();
  connection.close();
  const outcomes = await Promise.allSettled([insert(1), insert(2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
