import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { PostgresParameters, PostgresPool } from '#kernel/ports/postgres-pool';
import { openPostgres } from '#node/postgres/open-postgres';
import { describeBehindPgbouncer, type Pgbouncer, startPgbouncer } from '../../helpers/pgbouncer.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const modes = [[false], [undefined]] as const;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describeBehindPgbouncer('PostgreSQL', () => {
  const server = usePostgresServer();
  let pooler: Pgbouncer;

  beforeAll(async () => {
    pooler = await startPgbouncer(server.parameters());
  });
  afterAll(() => pooler?.stop());

  const newDatabase = () =>
    server.createDatabase(`
      create table accounts (id int primary key, balance int not null);
      insert into accounts select id, 100 from generate_series(0, 9) id;
      create table transfers (id int primary key, source int, target int)`);

  function open(database: string, options: Partial<PostgresParameters>): PostgresPool {
    const pool = openPostgres({ ...server.parameters(database), port: pooler.port, ...options });
    onTestFinished(() => pool.close());
    return pool;
  }

  /** Of several texts, so that a connection behind the pooler has been given some of them and not others. */
  const read = (pool: PostgresPool, n: number) =>
    pool.all(`select $1::int as n, ${n % 7} as kind, balance from accounts where id = $2`, [n, n % 10]);

  async function transfer(pool: PostgresPool, n: number): Promise<number> {
    // In one order, so that no two transactions wait for each other.
    const [low, high] = n % 10 < (n * 3 + 1) % 10 ? [n % 10, (n * 3 + 1) % 10] : [(n * 3 + 1) % 10, n % 10];
    return pool.transaction(async (session) => {
      await session.run('update accounts set balance = balance - 1 where id = $1', [low]);
      await session.run('update accounts set balance = balance + 1 where id = $1', [high]);
      const [row] = await session.all('select balance from accounts where id = $1', [high]);
      expect(row).toEqual({ balance: expect.stringMatching(/^\d+$/) });
      return session.run('insert into transfers values ($1, $2, $3)', [n, low, high]);
    });
  }

  it.each(modes)('answers 200 reads at once (preparedStatements: %s)', async (preparedStatements) => {
    const pool = open(await newDatabase(), { preparedStatements });
    const answers = await Promise.all(range(200).map((n) => read(pool, n)));
    expect(answers).toEqual(range(200).map((n) => [{ n: String(n), kind: String(n % 7), balance: '100' }]));
    expect(pool.openConnections()).toBeLessThanOrEqual(5);
  });

  it.each(modes)('carries out 50 transactions among reads (preparedStatements: %s)', async (preparedStatements) => {
    const database = await newDatabase();
    // Several agents share the connections of one pooler, as they would in production.
    const pools = range(3).map(() => open(database, { preparedStatements, poolSize: 4 }));
    const poolOf = (n: number) => pools[n % pools.length] as PostgresPool;
    const writes = Promise.allSettled(range(50).map((n) => transfer(poolOf(n), n)));
    const reads = Promise.allSettled(range(200).map((n) => read(poolOf(n), n)));
    expect(await writes).toEqual(range(50).map(() => ({ status: 'fulfilled', value: 1 })));
    expect((await reads).filter(({ status }) => status === 'rejected')).toEqual([]);

    const [sums] = await server.execute(
      database,
      'select (select sum(balance)::int from accounts) as total, (select count(*)::int from transfers) as transfers',
    );
    expect(sums).toEqual({ total: 1000, transfers: 50 });
    const [held] = await server.execute(
      database,
      `select count(*)::int as connections, (count(*) filter (where state <> 'idle'))::int as busy
       from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    expect(held).toMatchObject({ busy: 0 });
    expect(held?.['connections']).toBeLessThanOrEqual(2);
  });

  it.each(modes)('leaves no prepared statement behind (preparedStatements: %s)', async (preparedStatements) => {
    const pool = open(await newDatabase(), { preparedStatements });
    await Promise.all(range(40).map((n) => read(pool, n)));
    await transfer(pool, 1);
    const counts = await Promise.all(range(8).map(() => pool.all('select count(*) from pg_prepared_statements')));
    expect(counts).toEqual(range(8).map(() => [{ count: '0' }]));
  });

  it.each(modes)('undoes a transaction that fails midway (preparedStatements: %s)', async (preparedStatements) => {
    const database = await newDatabase();
    const pool = open(database, { preparedStatements });
    const failing = range(10).map((n) =>
      pool.transaction(async (session) => {
        await session.run('update accounts set balance = 0 where id = $1', [n]);
        throw new Error('no');
      }),
    );
    for (const outcome of await Promise.allSettled(failing)) expect(outcome.status).toBe('rejected');
    expect(await server.execute(database, 'select sum(balance)::int as total from accounts')).toEqual([
      { total: 1000 },
    ]);
  });

  it.each(modes)('cancels an aborted query in the database (preparedStatements: %s)', async (preparedStatements) => {
    const pool = open(await newDatabase(), { preparedStatements });
    const marker = `pooled ${preparedStatements}`;
    const aborting = new AbortController();
    const answer = pool.all(`select pg_sleep(60) /* ${marker} */`, [], { signal: aborting.signal });
    answer.catch(() => undefined);
    const running = `select count(*)::int as count from pg_stat_activity
      where state = 'active' and query like '%/* ${marker} */%' and pid <> pg_backend_pid()`;
    const count = async () => (await server.execute('postgres', running))[0]?.['count'];
    await expect.poll(count).toBe(1);
    aborting.abort();
    await expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await expect.poll(count).toBe(0);
    expect(await read(pool, 3)).toEqual([{ n: '3', kind: '3', balance: '100' }]);
  });

  it('keeps nothing of a native query', async () => {
    const pool = open(await newDatabase(), {});
    const sql = "select pg_advisory_lock(id), set_config('search_path', 'nowhere', false) from accounts";
    await Promise.all(range(8).map(() => pool.nativeQuery(sql)));
    const kept =
      "select current_setting('search_path') as path, count(*) as locks from pg_locks where locktype = 'advisory'";
    const seen = await Promise.all(range(8).map(() => pool.all(kept)));
    expect(seen).toEqual(range(8).map(() => [{ path: '"$user", public', locks: '0' }]));
  });

  it('gives dates in one form, whatever the server is set to', async () => {
    const pool = open(await newDatabase(), {});
    const dates = range(20).map(() => pool.all("select '2024-03-31 12:00:00+02'::timestamptz as at"));
    expect(await Promise.all(dates)).toEqual(range(20).map(() => [{ at: '2024-03-31 10:00:00+00' }]));
  });
});
