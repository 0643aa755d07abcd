import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PostgresParameters, PostgresPool } from '#kernel/ports/postgres-pool';
import { openPostgres } from '#node/postgres/open-postgres';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();

function open(options: Partial<PostgresParameters> = {}): PostgresPool {
  const pool = openPostgres({ ...server.parameters(), ...options });
  onTestFinished(() => pool.close());
  return pool;
}

/** Carries out a statement until it is known as a quick one. */
async function carryOutOften(pool: PostgresPool, sql: string, parameters: readonly string[] = []): Promise<void> {
  for (let time = 0; time < 40; time++) await pool.all(sql, parameters);
}

const times = <Result>(count: number, make: (index: number) => Result) =>
  Array.from({ length: count }, (_, n) => make(n));
const pid = 'select pg_backend_pid() as pid';
const sleep = 'select $2::text as done from pg_sleep($1::float8) /* shared */';
const isSleeping =
  "select count(*)::int as n from pg_stat_activity where state = 'active' and query like '%/* shared */%' and pid <> pg_backend_pid()";

async function sleeping(): Promise<unknown> {
  return (await server.execute('postgres', isSleeping))[0]?.['n'];
}

/** A pool that knows the count of a table as a quick read, and what asks for its counts that wait for a lock. */
async function openCounted(options: Partial<PostgresParameters> = {}) {
  const database = await server.createDatabase('create table t (id int)');
  const pool = open({ database, poolSize: 2, ...options });
  const count = 'select count(*) from t';
  await carryOutOften(pool, count);
  const waiting = (column: string) =>
    `select ${column} from pg_stat_activity where wait_event_type = 'Lock' and datname = '${database}' and query like '${count}%'`;
  return { database, pool, count, waiting };
}

describe('quick reads on PostgreSQL', () => {
  it('share a connection, while slow and unknown reads do not', async () => {
    const { database, pool, waiting } = await openCounted({ poolSize: 3 });
    const connectionsOf = async (sqls: readonly string[]) =>
      new Set((await Promise.all(sqls.map((sql) => pool.all(sql)))).flat().map((row) => row['pid'])).size;
    const expectOwnConnections = (sqls: readonly string[]) =>
      open({ database }).transaction(async (session) => {
        await session.run('lock table t in access exclusive mode');
        const held = Promise.all(sqls.map((sql) => pool.all(sql)));
        // None of them ends before all of them are carried out.
        await expect.poll(() => server.execute('postgres', waiting('pid'))).toHaveLength(sqls.length);
        return { held };
      });
    const unknown = times(3, (n) => `select count(*) from t where id > ${n}`);
    await (await expectOwnConnections(unknown)).held;
    await (await expectOwnConnections(times(3, () => unknown[0] ?? ''))).held;
    await carryOutOften(pool, pid);
    // Once the machine is calm enough for them to be quick.
    await expect.poll(() => connectionsOf(times(6, () => pid))).toBe(1);
  });

  it('each get their own answer', async () => {
    const pool = open({ poolSize: 2 });
    await carryOutOften(pool, sleep, ['0', '']);
    const answers = await Promise.all(times(200, (n) => pool.all(sleep, ['0', String(n)])));
    expect(answers).toEqual(times(200, (n) => [{ done: String(n) }]));
  });

  it('fail one by one, with the same errors as on a connection of their own', async () => {
    const pool = open({ poolSize: 1 });
    const divide = 'select 6 / $1::int as n';
    await carryOutOften(pool, divide, ['1']);
    const [two, failed, three] = await Promise.allSettled(['3', '0', '2'].map((by) => pool.all(divide, [by])));
    expect(two).toMatchObject({ value: [{ n: '2' }] });
    expect(failed).toMatchObject({ reason: { code: 'DATABASE_QUERY_FAILED' } });
    expect(three).toMatchObject({ value: [{ n: '3' }] });
  });

  it('do not wait for a read that takes unexpectedly long, which is cancelled when its caller goes away', async () => {
    const pool = open({ poolSize: 2 });
    await carryOutOften(pool, sleep, ['0', '']);
    const aborting = new AbortController();
    const stuck = pool.all(sleep, ['60', 'stuck'], { signal: aborting.signal });
    const behind = await Promise.all(times(5, (n) => pool.all(sleep, ['0', String(n)])));
    expect(behind).toEqual(times(5, (n) => [{ done: String(n) }]));
    expect(await sleeping()).toBe(1);
    aborting.abort();
    await expect(stuck).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await expect.poll(sleeping).toBe(0);
    await expect.poll(() => pool.all(pid)).toHaveLength(1);
    expect(pool.openConnections()).toBe(2);
  });

  it('end for a caller who goes away while another read is carried out', async () => {
    const pool = open({ poolSize: 1 });
    await carryOutOften(pool, sleep, ['0', '']);
    const aborting = new AbortController();
    const first = pool.all(sleep, ['0.5', 'first']);
    const second = pool.all(sleep, ['0', 'second'], { signal: aborting.signal });
    aborting.abort();
    await expect(second).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(await first).toEqual([{ done: 'first' }]);
  });

  it('are cancelled when they take too long, and the reads behind them are answered', async () => {
    const pool = open({ poolSize: 2, statementTimeoutMs: 400 });
    await carryOutOften(pool, sleep, ['0', '']);
    const stuck = pool.all(sleep, ['60', 'stuck']);
    const behind = pool.all(sleep, ['0', 'behind']);
    await expect(stuck).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
    expect(await behind).toEqual([{ done: 'behind' }]);
    await expect.poll(sleeping).toBe(0);
  });

  it('are cancelled one after the other when nobody waits for them any more, and release the connection', async () => {
    const { database, pool, count, waiting } = await openCounted({ poolSize: 1 });
    await carryOutOften(pool, sleep, ['0', '']);
    const leaving = new AbortController();
    const { first, left } = await open({ database }).transaction(async (session) => {
      await session.run('lock table t in access exclusive mode');
      const held = pool.all(count);
      await expect.poll(() => server.execute('postgres', waiting('pid')), { interval: 10 }).toHaveLength(1);
      const gone = times(3, () => pool.all(sleep, ['60', 'gone'], { signal: leaving.signal }));
      leaving.abort();
      return { first: held, left: Promise.allSettled(gone) };
    });
    expect(await first).toEqual([{ count: '0' }]);
    expect((await left).map(({ status }) => status)).toEqual(times(3, () => 'rejected'));
    expect(await pool.all(pid)).toHaveLength(1);
    expect(await sleeping()).toBe(0);
  });

  it('fail in time when their table is locked, and leave nothing behind in the database', async () => {
    const { database, pool, count, waiting } = await openCounted({ statementTimeoutMs: 300 });
    const locking = open({ database });
    await locking.transaction(async (session) => {
      await session.run('lock table t in access exclusive mode');
      const answers = await Promise.allSettled(times(4, () => pool.all(count)));
      expect(answers).toEqual(
        times(4, () => expect.objectContaining({ reason: expect.objectContaining({ code: 'DATABASE_TIMEOUT' }) })),
      );
      expect(await pool.all(pid)).toHaveLength(1);
      await expect.poll(() => server.execute('postgres', waiting('pid'))).toEqual([]);
    });
    expect(await pool.all(count)).toEqual([{ count: '0' }]);
  });

  it('are answered before reads that come later when they wait for a connection', async () => {
    const pool = open({ poolSize: 1, connectTimeoutMs: 30_000 });
    await carryOutOften(pool, sleep, ['0.005', '']);
    let unanswered = 90;
    const burst = times(90, async () => {
      await pool.all(sleep, ['0.005', 'burst']);
      unanswered -= 1;
    });
    const newcomers = times(20, async (n) => {
      await setTimeout(6 * n);
      await pool.all(sleep, ['0.005', 'newcomer']);
      return unanswered;
    });
    await Promise.all(burst);
    for (const overtaken of await Promise.all(newcomers)) expect(overtaken).toBeLessThan(20);
  });

  it('have connections of their own with shareConnections: false', async () => {
    const pool = open({ poolSize: 3, shareConnections: false });
    // All three are open from here on.
    await Promise.all(times(3, (n) => pool.all(sleep, ['0.2', String(n)])));
    await carryOutOften(pool, pid);
    const rows = await Promise.all(times(3, () => pool.all(pid)));
    expect(new Set(rows.flat().map((row) => row['pid'])).size).toBe(3);
  });

  it('are sent again when their connection is lost', async () => {
    const { database, pool, count, waiting } = await openCounted();
    const locking = open({ database });
    const { answers } = await locking.transaction(async (session) => {
      await session.run('lock table t in access exclusive mode');
      const asked = Promise.all(times(5, () => pool.all(count)));
      await expect.poll(() => server.execute('postgres', waiting('pid')), { interval: 10 }).not.toEqual([]);
      await server.execute('postgres', waiting('pg_terminate_backend(pid)'));
      return { answers: asked };
    });
    expect(await answers).toEqual(times(5, () => [{ count: '0' }]));
  });

  it('survive a change of their table', async () => {
    const database = await server.createDatabase('create table t (id int); insert into t values (1)');
    const pool = open({ database, poolSize: 2 });
    await carryOutOften(pool, 'select * from t');
    await server.execute(database, 'alter table t add column name text');
    const answers = await Promise.all(times(8, () => pool.all('select * from t')));
    expect(answers).toEqual(times(8, () => [{ id: '1', name: null }]));
  });

  it('leave a connection to a transaction, even when they never stop', async () => {
    const pool = open({ poolSize: 1, connectTimeoutMs: 3000 });
    await carryOutOften(pool, pid);
    let isDone = false;
    let answered = 0;
    const readers = times(4, async () => {
      while (!isDone) answered += (await pool.all(pid)).length;
    });
    await expect.poll(() => answered).toBeGreaterThan(100);
    const written = pool
      .transaction((session) => session.all('select 1 as one'))
      .finally(() => {
        isDone = true;
      });
    expect(await written).toEqual([{ one: '1' }]);
    await Promise.all(readers);
  });

  it('are refused once the data source is closed, while those under way are answered', async () => {
    const pool = open({ poolSize: 1 });
    await carryOutOften(pool, sleep, ['0', '']);
    const underWay = Promise.all([pool.all(sleep, ['0.5', 'under way']), pool.all(sleep, ['0', 'behind'])]);
    await expect.poll(sleeping, { interval: 10 }).toBe(1);
    const closing = pool.close();
    await expect(pool.all(sleep, ['0', 'late'])).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(await underWay).toEqual([[{ done: 'under way' }], [{ done: 'behind' }]]);
    await closing;
  });
});
