import { createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PostgresParameters, PostgresPool, PostgresSession } from '#kernel/ports/postgres-pool';
import { openPostgres } from '#node/postgres/open-postgres';
import { createSqlDataSource } from '#runtime/index';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();

function open(options: Partial<PostgresParameters> = {}): PostgresPool {
  const pool = openPostgres({ ...server.parameters(), ...options });
  onTestFinished(() => pool.close());
  return pool;
}

const one = [{ one: '1' }];
const selectOne = 'select 1 as one';

/** Waits until `condition` holds in the database, and fails the test when it never does. */
async function until(condition: string): Promise<void> {
  await expect.poll(async () => (await server.execute('postgres', `select ${condition} as ok`))[0]?.['ok']).toBe(true);
}

const running = (text: string) =>
  `exists (select from pg_stat_activity where state = 'active' and query like '%${text}%' and pid <> pg_backend_pid())`;

describe('a connection to PostgreSQL', () => {
  it.each<[string, Partial<PostgresParameters>, string]>([
    ['a wrong password', { password: 'wrong' }, 'DATABASE_AUTHENTICATION_FAILED'],
    ['no password', { password: undefined }, 'DATABASE_AUTHENTICATION_FAILED'],
    ['a wrong user', { user: 'nobody' }, 'DATABASE_AUTHENTICATION_FAILED'],
    ['a wrong database', { database: 'missing' }, 'DATABASE_NOT_FOUND'],
    ['a port where nothing listens', { port: 1 }, 'DATABASE_UNREACHABLE'],
    ['a host that does not exist', { host: 'nowhere.invalid' }, 'DATABASE_UNREACHABLE'],
    ['encryption that the server does not offer', { sslMode: 'required' }, 'DATABASE_TLS_FAILED'],
    ['a certificate that the server does not have', { sslMode: 'verify' }, 'DATABASE_TLS_FAILED'],
  ])('fails with %s, and does not show the password', async (_what, options, code) => {
    const error = await open(options)
      .all(selectOne)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    const { password } = server.parameters();
    expect(JSON.stringify([String(error), error])).not.toContain(password);
  });

  it('has the name in the list of the database that it was given', async () => {
    const named = 'select application_name as name from pg_stat_activity where pid = pg_backend_pid()';
    expect(await open({ applicationName: 'shop' }).all(named)).toEqual([{ name: 'shop' }]);
    expect(await open().all(named)).toEqual([{ name: 'vendor-cloud' }]);
  });

  it.each(['disabled', 'preferred'] as const)('fails in time when the server does not answer (%s)', async (sslMode) => {
    const sockets: Socket[] = [];
    let isOver = false;
    const silent = createServer((socket) => void (isOver ? socket.destroy() : sockets.push(socket)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const address = silent.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    let hasPatientEnded = false;
    const patient = open({ port, connectTimeoutMs: 600_000, sslMode })
      .all(selectOne)
      .catch(() => undefined)
      .finally(() => {
        hasPatientEnded = true;
      });
    await expect(open({ port, connectTimeoutMs: 300, sslMode }).all(selectOne)).rejects.toMatchObject({
      code: 'DATABASE_UNREACHABLE',
    });
    expect(hasPatientEnded).toBe(false);
    isOver = true;
    for (const socket of sockets) socket.destroy();
    await patient;
  });

  it.each(['disabled', 'preferred'] as const)('is not encrypted with SSL mode %s', async (sslMode) => {
    expect(await open({ sslMode }).all(selectOne)).toEqual(one);
  });

  it('gives dates in one form whatever the server is set to', async () => {
    const [row] = await open().all(
      "select '2024-03-31 12:00:00+02'::timestamptz as at, current_setting('datestyle') as style",
    );
    expect(row).toEqual({ at: '2024-03-31 10:00:00+00', style: 'ISO, DMY' });
  });
});

describe('a statement on PostgreSQL', () => {
  it('is cancelled in the database when the caller goes away', async () => {
    const pool = open();
    const aborting = new AbortController();
    const answer = pool.all('select pg_sleep(60) /* abort me */', [], { signal: aborting.signal });
    await until(running('pg_sleep(60) /* abort me'));
    aborting.abort();
    await expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await until(`not ${running('abort me')}`);
    expect(await pool.all(selectOne)).toEqual(one);
    expect(pool.openConnections()).toBe(1);
  });

  it('is cancelled in the database when it takes too long', async () => {
    const pool = open({ statementTimeoutMs: 200 });
    await expect(pool.all('select pg_sleep(60) /* too slow */')).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
    await until(`not ${running('too slow')}`);
    expect(await pool.all(selectOne)).toEqual(one);
  });

  it('is refused once the data source is closed', async () => {
    const pool = open();
    await pool.close();
    await expect(pool.all(selectOne)).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
  });

  it('may take any time without a statement timeout', async () => {
    const pool = open({ statementTimeoutMs: 0 });
    expect(await pool.all('select 1 as one from pg_sleep(0.1)')).toEqual(one);
  });

  it.each([Number.POSITIVE_INFINITY, 2 ** 31])('has no statement timeout when it is %d', async (statementTimeoutMs) => {
    const { host, port, database, user, password } = server.parameters();
    const parts = { dialect: 'postgres', host, port, database, username: user, password } as const;
    const source = await createSqlDataSource(parts, { statementTimeoutMs, liveQueryConnections: 'main' })();
    onTestFinished(() => source.close());
    const rows = await source.nativeQuery?.('select 1 as one from pg_sleep(0.1)', {}, { timezone: 'UTC' });
    expect(rows).toEqual(one);
  });

  it('finds schemas and encryption in the URI when the options say nothing', async () => {
    const { host, port, database, user, password } = server.parameters();
    await server.execute(database, 'create schema hidden; create table hidden.treasure (id int primary key)');
    const uri = `postgres://${user}:${password}@${host}:${port}/${database}`;
    const source = await createSqlDataSource(`${uri}?schema=hidden`)();
    onTestFinished(() => source.close());
    expect(source.collections.map(({ name }) => name)).toEqual(['treasure']);
    const encrypted = createSqlDataSource(`${uri}?sslmode=require`);
    await expect(encrypted()).rejects.toMatchObject({ code: 'DATABASE_TLS_FAILED' });
    const plain = await createSqlDataSource(`${uri}?sslmode=require`, { sslMode: 'disabled' })();
    onTestFinished(() => plain.close());
  });

  it('does not start when the caller has gone', async () => {
    await expect(open().all(selectOne, [], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
  });

  it('uses a connection again that another statement has released', async () => {
    const pool = open({ poolSize: 2 });
    const pid = 'select pg_backend_pid() as pid, pg_sleep(0.01)';
    const rows = await Promise.all(Array.from({ length: 20 }, () => pool.all(pid)));
    expect(new Set(rows.flat().map((row) => row['pid'])).size).toBe(2);
    expect(pool.openConnections()).toBe(2);
    await pool.close();
    await until(`not exists (select from pg_stat_activity where query like '%${pid}%' and pid <> pg_backend_pid())`);
  });

  it('does not wait for a connection that was lost', async () => {
    const pool = open({ poolSize: 1 });
    const killed = pool.all('select pg_terminate_backend(pg_backend_pid())').catch((error: unknown) => error);
    const others = Promise.all(Array.from({ length: 3 }, () => pool.all(selectOne)));
    expect(await killed).toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(await others).toEqual([one, one, one]);
  });

  it('waits for a free connection in limited time', async () => {
    const pool = open({ poolSize: 1, connectTimeoutMs: 300 });
    const aborting = new AbortController();
    const holding = pool.all('select pg_sleep(60) /* holding */', [], { signal: aborting.signal });
    await until(running('holding'));
    await expect(pool.all(selectOne)).rejects.toMatchObject({ code: 'DATABASE_BUSY' });
    const leaving = new AbortController();
    const waiting = pool.all(selectOne, [], { signal: leaving.signal });
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED' });
    const next = pool.all(selectOne);
    aborting.abort();
    await expect(holding).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(await next).toEqual(one);
    expect(pool.openConnections()).toBe(1);
  });

  it('is refused when it is two statements, prepared or not', async () => {
    for (const preparedStatements of [true, false]) {
      await expect(open({ preparedStatements }).all('select 1; select 2')).rejects.toMatchObject({
        code: 'DATABASE_QUERY_FAILED',
      });
    }
  });

  it('is sent without a name when its prepared form is lost', async () => {
    const pool = open({ poolSize: 1 });
    await pool.all(selectOne);
    await pool.all('deallocate all');
    expect(await pool.all(selectOne)).toEqual(one);
    const [row] = await pool.all("select count(*) from pg_prepared_statements where statement like 'select 1%'");
    expect(row).toEqual({ count: '0' });
  });

  it('is prepared once on each connection, or not at all when that is turned off', async () => {
    const prepared = "select count(*) from pg_prepared_statements where statement like 'select 1%'";
    for (const [preparedStatements, count] of [
      [true, '1'],
      [false, '0'],
    ] as const) {
      const pool = open({ poolSize: 1, preparedStatements });
      await pool.all(selectOne);
      await pool.all(selectOne);
      expect(await pool.all(prepared)).toEqual([{ count }]);
    }
  });

  it('survives a change of its table', async () => {
    const database = await server.createDatabase('create table t (id int); insert into t values (1)');
    const pool = open({ database, poolSize: 1 });
    expect(await pool.all('select * from t')).toEqual([{ id: '1' }]);
    await server.execute(database, 'alter table t add column name text');
    expect(await pool.all('select * from t')).toEqual([{ id: '1', name: null }]);
  });

  it('does not fill a connection with prepared statements', async () => {
    const pool = open({ poolSize: 1 });
    for (let n = 0; n < 600; n++) await pool.all(`select ${n}`);
    const [row] = await pool.all('select count(*)::int < 200 as few from pg_prepared_statements');
    expect(row).toEqual({ few: 't' });
  });
});

describe('a transaction on PostgreSQL', () => {
  it('commits when its work resolves and rolls back when it rejects', async () => {
    const database = await server.createDatabase('create table t (id int)');
    const pool = open({ database });
    expect(await pool.transaction((session) => session.run('insert into t values (1), (2)'))).toBe(2);
    const failing = pool.transaction(async (session) => {
      await session.run('insert into t values (3)');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await pool.all('select count(*) from t')).toEqual([{ count: '2' }]);
  });

  it('rejects after a failed statement, even when its work ignores the failure', async () => {
    const swallowing = open().transaction(async (session) => {
      await session.all('select 1 / 0').catch(() => undefined);
    });
    await expect(swallowing).rejects.toMatchObject({ code: 'DATABASE_QUERY_FAILED' });
  });

  it.each([
    ['goes on', 1],
    ['ends', 0],
  ])('says why it was undone, where its work ignores a failure and %s', async (_how, more) => {
    const database = await server.createDatabase('create table t (id int primary key)');
    const pool = open({ database });
    const ignoring = pool.transaction(async (session) => {
      await session.run('insert into t values (1)');
      await session.run('insert into t values (1)').catch(() => undefined);
      if (more > 0) await session.run('insert into t values (2)');
    });
    await expect(ignoring).rejects.toMatchObject({
      code: 'DATABASE_QUERY_FAILED',
      message: expect.stringContaining('breaks a unique rule'),
      nextSteps: [expect.stringContaining('pass the error on')],
      cause: { code: 'DATABASE_CONSTRAINT_VIOLATED' },
    });
    expect(await pool.all('select * from t')).toEqual([]);
  });

  it('starts again when its first statement loses a deadlock', async () => {
    const database = await server.createDatabase(
      'create table t (id int primary key, n int); insert into t values (1, 0), (2, 0); create sequence tries',
    );
    await server.execute(
      database,
      `
      create function flaky() returns int language plpgsql as $$ begin
        if nextval('tries') < 3 then raise exception 'x' using errcode = '40P01'; end if; return 7; end $$`,
    );
    const pool = open({ database });
    const result = await pool.transaction(async (session) => session.all('select flaky() as n'));
    expect(result).toEqual([{ n: '7' }]);
    await server.execute(database, 'alter sequence tries restart');
    expect(await pool.all('select flaky() as n')).toEqual([{ n: '7' }]);
    await server.execute(database, 'alter sequence tries restart');
    const exposed = pool.transaction(async (session) => {
      await session.all('select 1');
      return session.all('select flaky() as n');
    });
    await expect(exposed).rejects.toMatchObject({ code: 'DATABASE_BUSY' });
  });

  it('carries out its statements one after the other', async () => {
    const results = await open().transaction((session) =>
      Promise.all([1, 2, 3].map((n) => session.all('select $1::int as n', [n]))),
    );
    expect(results).toEqual([[{ n: '1' }], [{ n: '2' }], [{ n: '3' }]]);
  });

  it('writes nothing and leaves no setting behind when it is read-only', async () => {
    const database = await server.createDatabase('create table t (id int)');
    const pool = open({ database, poolSize: 1 });
    const writing = pool.transaction((session) => session.run('insert into t values (1)'), { isReadOnly: true });
    await expect(writing).rejects.toMatchObject({ safeDetails: { sqlState: '25006' } });
    await pool.transaction((session) => session.all("select set_config('search_path', 'elsewhere', false)"), {
      isReadOnly: true,
    });
    expect(await pool.all('select count(*) from t')).toEqual([{ count: '0' }]);
  });
});

describe('a transaction on PostgreSQL at its end', () => {
  it('waits for statements that were sent before, and refuses those that come after', async () => {
    const pool = open();
    const { promise: session, resolve } = Promise.withResolvers<PostgresSession>();
    let slow: Promise<unknown> | undefined;
    const ending = pool.transaction(async (session) => {
      slow = session.all('select pg_sleep(0.3)');
      resolve(session);
    });
    const kept = await session;
    await setImmediate();
    await expect(kept.all(selectOne)).rejects.toMatchObject({ code: 'INTERNAL_BUG' });
    await ending;
    expect(await slow).toHaveLength(1);
  });
});

describe('a pool whose server goes away', () => {
  it('fails the statements under way, and finds the server again when it is back', async () => {
    const pool = open({ connectTimeoutMs: 1000 });
    const other = pool.all(selectOne);
    const sleeping = pool.transaction((session) => session.all('select pg_sleep(60) /* interrupted */'));
    sleeping.catch(() => undefined);
    await other;
    await until(running('interrupted'));
    await server.stop();
    await expect(sleeping).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    await expect(pool.all(selectOne)).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(pool.openConnections()).toBe(0);
    await server.start();
    expect(await pool.all(selectOne)).toEqual(one);
    expect(await pool.transaction((session) => session.all(selectOne))).toEqual(one);
  });

  it('hides from a read that the server has closed its connection', async () => {
    const pool = open({ poolSize: 2 });
    await pool.all(selectOne);
    await server.execute(
      'postgres',
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'vendor-cloud'",
    );
    expect(await pool.all(selectOne)).toEqual(one);
  });
});
