import { describe, expect, it, onTestFinished } from 'vitest';
import type { PostgresPool, PostgresSession } from '#kernel/ports/postgres-pool';
import { openPostgres } from '#node/postgres/open-postgres';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();

async function open(): Promise<{ database: string; pool: PostgresPool }> {
  const database = await server.createDatabase(`
    create table counters (id int primary key, n int not null);
    insert into counters values (1, 0), (2, 0)`);
  const pool = openPostgres(server.parameters(database));
  onTestFinished(() => pool.close());
  return { database, pool };
}

/** How long the connection waits for a lock before it looks for a deadlock, of which it then is the victim. */
const lookAfter = (session: PostgresSession, duration: string) =>
  session.all("select set_config('deadlock_timeout', $1, true)", [duration]);
const add = (session: PostgresSession, id: number, amount: number) =>
  session.run('update counters set n = n + $2 where id = $1', [id, amount]);

const lockBothInReverse = `
  with locked as materialized (select id from counters order by id desc for update)
  update counters set n = n + 100 from locked where counters.id = locked.id`;

async function waiting(database: string, count: number): Promise<void> {
  const blocked = `select count(*)::int as count from pg_stat_activity
    where datname = '${database}' and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await server.execute('postgres', blocked))[0]?.['count']).toBe(count);
}

const counters = (database: string) => server.execute(database, 'select id, n from counters order by id');

describe('two transactions that wait for each other on PostgreSQL', () => {
  it('both succeed when the one that is undone had done nothing else', async () => {
    const { database, pool } = await open();
    await server.execute('postgres', `alter database ${database} set deadlock_timeout = '2s'`);
    let tries = 0;
    let safe: Promise<number> | undefined;
    const exposed = pool.transaction(async (session) => {
      await lookAfter(session, '60s');
      await add(session, 1, 1);
      safe = pool.transaction((other) => {
        tries += 1;
        return other.run(lockBothInReverse);
      });
      safe.catch(() => undefined);
      await waiting(database, 1);
      return add(session, 2, 1);
    });
    expect(await exposed).toBe(1);
    expect(await safe).toBe(2);
    // Repeated was the statement, not the caller's work.
    expect(tries).toBe(1);
    expect(await counters(database)).toEqual([
      { id: 1, n: 101 },
      { id: 2, n: 101 },
    ]);
    const [undone] = await server.execute(
      database,
      `select deadlocks::int as deadlocks from pg_stat_database where datname = '${database}'`,
    );
    // A busy machine may run into it a second time.
    expect(undone?.['deadlocks']).toBeGreaterThan(0);
  });

  it('fail in the one that is undone after it had done something else', async () => {
    const { database, pool } = await open();
    await server.execute('postgres', `alter database ${database} set deadlock_timeout = '60s'`);
    let safe: Promise<number> | undefined;
    const exposed = pool.transaction(async (session) => {
      await lookAfter(session, '1ms');
      await add(session, 1, 1);
      safe = pool.transaction((other) => other.run(lockBothInReverse));
      safe.catch(() => undefined);
      await waiting(database, 1);
      return add(session, 2, 1);
    });
    await expect(exposed).rejects.toMatchObject({ code: 'DATABASE_BUSY', safeDetails: { sqlState: '40P01' } });
    expect(await safe).toBe(2);
    expect(await counters(database)).toEqual([
      { id: 1, n: 100 },
      { id: 2, n: 100 },
    ]);
    expect(await pool.all('select 1 as one')).toEqual([{ one: '1' }]);
  });

  it('leave exactly one of them done when both had done something else', async () => {
    const { database, pool } = await open();
    let arrived = 0;
    let meet: () => void = () => undefined;
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const cross = (first: number, second: number, amount: number) =>
      pool.transaction(async (session) => {
        await add(session, first, amount);
        arrived += 1;
        if (arrived === 2) meet();
        await met;
        await add(session, second, amount);
        return amount;
      });
    const outcomes = await Promise.allSettled([cross(1, 2, 1), cross(2, 1, 10)]);
    const done = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(refused).toMatchObject([{ code: 'DATABASE_BUSY', nextSteps: ['Try again when they are done.'] }]);
    expect(done).toHaveLength(1);
    expect(await counters(database)).toEqual([
      { id: 1, n: done[0] },
      { id: 2, n: done[0] },
    ]);
    expect(await pool.transaction((session) => add(session, 1, 0))).toBe(1);
  });
});
