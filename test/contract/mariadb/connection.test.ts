import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type MysqlDatabase, type MysqlParameters, type MysqlSession, openMysql } from '#node/mysql/open-mysql';
import { openMariadbEngine } from '#runtime/data-sources/mariadb/open-mariadb-engine';
import type { SqlEngine } from '#runtime/data-sources/sql/sql-engine';
import { describeOnMysqlFamily, endless, numbersTo } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

const utc = { timezone: 'UTC' };
const portOf = (server: Server) => (server.address() as AddressInfo).port;

describeOnMysqlFamily('Connections', (member) => {
  let server: MysqlFamilyServer;
  let parameters: MysqlParameters;
  const opened: { close(): Promise<void> }[] = [];
  const open = async (changes: Partial<MysqlParameters> = {}): Promise<MysqlDatabase> => {
    const database = await openMysql({ ...parameters, ...changes });
    opened.push(database);
    return database;
  };
  const openEngine = async (): Promise<SqlEngine> => {
    const engine = await openMariadbEngine(parameters);
    opened.push(engine);
    return engine;
  };

  beforeAll(async () => {
    server = await member.start();
    await server.createDatabase('shop', [
      'create table parents (id int primary key)',
      `create table items (id int auto_increment primary key, a int, b varchar(9), must int not null default 1,
        parent_id int, positive int check (positive > 0), lower_one int, tiny tinyint,
        unique key \`a and b\` (a, b), constraint \`in \`\`order\` check (lower_one < positive),
        foreign key (parent_id) references parents (id))`,
      'insert into parents values (1)',
      'insert into items (id, a, b, parent_id) values (1, 1, "x", 1), (2, 2, "x", null)',
    ]);
    parameters = {
      host: server.host,
      port: server.port,
      user: server.user,
      password: server.password,
      database: 'shop',
    };
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });
  afterAll(() => server?.stop());

  it.each([true, false])(
    'loses no digit and makes no Date of what it reads (prepared: %s)',
    async (preparedStatements) => {
      const database = await open({ preparedStatements });
      const [row] = await database.all(
        `select cast(concat(?) as unsigned) as big, cast(? as decimal(40,10)) as exact, cast(? as datetime(6)) as at, ? as text,
        cast(? as binary) as bytes, ? is null as nothing`,
        [
          '18446744073709551615',
          '12345678901234567890.0123456789',
          '2024-02-29 01:02:03.456789',
          'é🎈\'\\"',
          new Uint8Array([0, 255]),
          null,
        ],
      );
      expect(row).toMatchObject({
        big: '18446744073709551615',
        exact: '12345678901234567890.0123456789',
        at: '2024-02-29 01:02:03.456789',
        text: 'é🎈\'\\"',
      });
      expect([...((row?.['bytes'] ?? []) as Uint8Array)]).toEqual([0, 255]);
    },
  );

  it('binds whole numbers whole', async () => {
    const database = await open();
    const query = 'select ? = 9007199254740993 as big, ? as small limit ?';
    const [row] = await database.all(query, [9007199254740993n, 7, 1]);
    expect([Number(row?.['big']), row?.['small']]).toEqual([1, '7']);
  });

  it.each([
    ['a wrong password', { password: 'wrong' }, 'DATABASE_AUTHENTICATION_FAILED'],
    ['a user that does not exist', { user: 'nobody' }, 'DATABASE_AUTHENTICATION_FAILED'],
    ['a database that does not exist', { database: 'nowhere' }, 'DATABASE_NOT_FOUND'],
    ['a host that does not exist', { host: 'db.invalid' }, 'DATABASE_UNREACHABLE'],
    ['TLS that the server does not offer', { sslMode: 'required' }, 'DATABASE_TLS_FAILED'],
  ] as const)('tells of %s, without the password', async (_what, changes, code) => {
    const database = await open(changes);
    const failure = await database.all('select 1', []).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code });
    expect(String(failure)).not.toMatch(/correct horse|wrong|select/);
  });

  it('gives up on a server that accepts and says nothing, within the connect timeout', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const database = await open({ port: portOf(silent), connectTimeoutMs: 200 });
    await expect(database.all('select 1', [])).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    silent.close();
  });

  it('cancels a query that takes too long', async () => {
    const database = await open({ statementTimeoutMs: 200 });
    await expect(database.all(endless, [])).rejects.toMatchObject({
      code: 'DATABASE_TIMEOUT',
    });
    expect(await database.all('select 1 as one', [])).toHaveLength(1);
  });

  it('ends a write that takes too long in the database, and frees its locks', async () => {
    const database = await open({ statementTimeoutMs: 200 });
    const admin = await server.connect('shop');
    const slow = 'update items set must = must + 1 where id = 1 and benchmark(1000000000000, sha2(must, 256)) = 0';
    await expect(database.transaction((session) => session.run(slow, []))).rejects.toMatchObject({
      code: 'DATABASE_TIMEOUT',
    });
    await seen(admin, '%benchmark%', 0);
    await admin.query('set innodb_lock_wait_timeout = 5');
    await admin.query('update items set must = 1 where id = 1');
    await admin.end();
  });

  it('uses a connection on which a write took too long again', async () => {
    const database = await open({ statementTimeoutMs: 200, poolSize: 1 });
    const idOf = async () => (await database.all('select connection_id() as id', []))[0]?.['id'];
    const before = await idOf();
    const slow = 'update items set must = 5 where benchmark(1000000000000, sha2(must, 256)) = 0';
    await expect(database.transaction((session) => session.run(slow, []))).rejects.toMatchObject({
      code: 'DATABASE_TIMEOUT',
    });
    for (let again = 0; again < 3; again++) expect(await idOf()).toBe(before);
  });

  it('lets a query take as long as it does, without a statement timeout', async () => {
    const database = await open({ statementTimeoutMs: 0 });
    const [slept] = await database.all('select sleep(0.1) as is_cancelled', []);
    expect(Number(slept?.['is_cancelled'])).toBe(0);
    const limit = member.dialect === 'mysql' ? '@@max_execution_time' : '@@max_statement_time';
    const [row] = await database.all(`select ${limit} as time_limit`, []);
    expect(Number(row?.['time_limit'])).toBe(0);
  });

  it('cancels an aborted query in the database, also when no connection is free', async () => {
    const database = await open({ poolSize: 1 });
    const abort = new AbortController();
    const query = database.all(endless, [], {
      signal: abort.signal,
    });
    const watcher = await server.connect();
    await seen(watcher, '%endless%', 1);
    abort.abort();
    await expect(query).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await seen(watcher, '%endless%', 0);
    await watcher.end();
    expect(await database.all('select 1 as one', [])).toHaveLength(1);
  });

  it('rolls an aborted transaction back', async () => {
    const database = await open();
    const abort = new AbortController();
    const work = database.transaction(
      async (session) => {
        await session.run('insert into items (id) values (?)', [99]);
        abort.abort();
        await session.all('select sleep(20)', []);
      },
      { signal: abort.signal },
    );
    await expect(work).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(await database.all('select id from items where id = ?', [99])).toEqual([]);
  });

  it('says so when every connection stays in use', async () => {
    const database = await open({ poolSize: 2, connectTimeoutMs: 300 });
    await database.transaction(async () => {
      await database.transaction(async () => {
        await expect(database.all('select 1', [])).rejects.toMatchObject({
          code: 'DATABASE_BUSY',
          message: expect.stringContaining('2 connections'),
        });
      });
    });
    expect(await database.all('select 1 as one', [])).toHaveLength(1);
    expect(database.openConnections()).toBeLessThanOrEqual(2);
  });

  it('passes on what the work of a transaction throws, and undoes the transaction', async () => {
    const database = await open();
    const ours = Object.assign(new Error('mine'), { code: 'ENOENT', errno: 1062 });
    const work = database.transaction(async (session) => {
      await session.run('insert into items (id) values (?)', [98]);
      throw ours;
    });
    await expect(work).rejects.toBe(ours);
    expect(await database.all('select id from items where id = ?', [98])).toEqual([]);
  });

  it('refuses what is sent to a transaction that has ended, or waits for its turn when it ends', async () => {
    const database = await open();
    const insert = (session: MysqlSession, id: number) => session.run('insert into items (id) values (?)', [id]);
    let sent: Promise<PromiseSettledResult<number>[]> | undefined;
    const failed = database.transaction(async (session) => {
      sent = Promise.allSettled([insert(session, 96), insert(session, 97)]);
      throw new Error('mine');
    });
    await expect(failed).rejects.toThrow('mine');
    expect((await sent)?.[1]).toMatchObject({ status: 'rejected', reason: { code: 'INTERNAL_BUG' } });
    const ended = await database.transaction(async (session) => session);
    await expect(insert(ended, 95)).rejects.toMatchObject({ code: 'INTERNAL_BUG' });
    expect(await database.all('select id from items where id between ? and ?', [95, 97])).toEqual([]);
  });

  it('tells why a commit fails, and keeps nothing', async () => {
    const database = await open({ statementTimeoutMs: 300 });
    const admin = await server.connect();
    const backup =
      member.dialect === 'mysql'
        ? ['flush tables with read lock']
        : ['backup stage start', 'backup stage block_commit'];
    const work = database.transaction(async (session) => {
      await session.run('insert into items (id) values (?)', [94]);
      // Commits wait for the end of a backup, and no longer than any statement.
      for (const statement of backup) await admin.query(statement);
    });
    await expect(work).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
    await admin.query(member.dialect === 'mysql' ? 'unlock tables' : 'backup stage end');
    await admin.end();
    expect(await database.all('select id from items where id = ?', [94])).toEqual([]);
  });

  it('says that the outcome of a commit is unknown when the connection is lost during it', async () => {
    const passing = createServer((client) => {
      const upstream = connect(server.port, server.host);
      upstream.pipe(client);
      client.on('data', (sent: Buffer) => {
        if (!sent.includes('commit')) upstream.write(sent);
        else for (const socket of [client, upstream]) socket.destroy();
      });
    });
    await new Promise<void>((resolve) => passing.listen(0, '127.0.0.1', resolve));
    const database = await open({ port: portOf(passing), sslMode: 'disabled' });
    const work = database.transaction((session) => session.run('insert into items (id) values (?)', [93]));
    await expect(work).rejects.toMatchObject({
      code: 'DATABASE_UNREACHABLE',
      message: expect.stringContaining('not known'),
    });
    passing.close();
  });

  it('counts the rows that an update matches, changed or not', async () => {
    const database = await open();
    const changes = await database.transaction((session) => session.run('update items set must = 1 where id < ?', [3]));
    expect(changes).toBe(2);
  });

  it('repeats the first statement of the transaction that a deadlock ends', async () => {
    const database = await open();
    const other = await server.connect('shop');
    await other.query('start transaction');
    await other.query('update items set must = 2 where id = 1');
    const waiting = database.transaction((session) =>
      session.run('update items set must = must + 1 where id in (1, 2) order by id desc', []),
    );
    await seen(other, '%order by id desc%', 1);
    // The other transaction is heavier, so that this one is the victim.
    await other.query(`insert into parents select seq + 9 from ${numbersTo(490)}`);
    await other.query('update items set must = 3 where id = 2');
    await other.query('rollback');
    await other.end();
    expect(await waiting).toBe(2);
  });

  it.each([
    ['a unique key', 'insert into `items` (a, b) values (1, "x")', ['a', 'b']],
    ['a primary key', 'insert into `items` (id) values (1)', ['id']],
    ['a not-null rule', 'insert into `items` (must) values (null)', ['must']],
    ['a foreign key', 'insert into `items` (parent_id) values (7)', ['parent_id']],
    ['the check of a column', 'insert into `items` (positive) values (-1)', ['positive']],
    ['a check of the table', 'update `items` as `t0` set positive = 1, lower_one = 2', ['lower_one', 'positive']],
    ['a unique key in an update', 'update `items` as `t0` set a = 1, b = "x"', ['a', 'b']],
    ['a key that others refer to', 'delete `t0` from `parents` as `t0`', undefined],
  ])('names the fields of %s, and neither values nor SQL', async (_rule, statement, fields) => {
    const engine = await openEngine();
    const failure: unknown = await engine
      .transaction((session) => session.run(statement, []), utc)
      .catch((error) => error);
    expect(failure).toMatchObject({
      code: 'DATABASE_CONSTRAINT_VIOLATED',
      details: fields ? { field: fields[0], fields } : {},
    });
    expect(String(failure)).not.toMatch(/insert|update|delete|'x'|1-x/i);
  });

  it.each([
    ['out of range', 'insert into items (tiny) values (1000)', 'tiny'],
    ['too long', 'insert into items (b) values ("0123456789")', 'b'],
    ['of another type', 'insert into items (tiny) values ("word")', 'tiny'],
  ])('names the field whose value is %s', async (_what, statement, field) => {
    const engine = await openEngine();
    await expect(engine.transaction((session) => session.run(statement, []), utc)).rejects.toMatchObject({
      code: 'DATABASE_VALUE_REFUSED',
      details: { field },
    });
  });

  it('runs a native query with bound values', async () => {
    const engine = await openEngine();
    const rows = await engine.runReadOnly("select $text as said, '$no' as no -- $comment\n", { text: "it's" }, utc);
    expect(rows).toEqual([{ said: "it's", no: '$no' }]);
  });

  it('does not touch the texts of a native query, backslashes and question marks in them included', async () => {
    const sql = String.raw`select 'it\'s $no' as a, "say \"$no\"" as b, '\\' as c, 5--$n as d, $n as e, 'why?' as f # $no?`;
    const engine = await openEngine();
    const [row] = await engine.runReadOnly(sql, { n: 2 }, utc);
    expect(row).toMatchObject({ a: "it's $no", b: 'say "$no"', c: '\\', f: 'why?' });
    expect([Number(row?.['d']), Number(row?.['e'])]).toEqual([7, 2]);
  });

  it.each([
    'insert into parents values (50)',
    ...(member.dialect === 'mariadb' ? ['insert into parents values (50) returning id'] : []),
    'delete from items',
    'drop table items',
    'set global max_connections = 1',
    'select 1; select 2',
    'select * from nowhere',
    'selec 1',
    "select 1 into outfile '/tmp/never-written-by-a-test'",
    'commit',
  ])('refuses the native query %s', async (sql) => {
    const engine = await openEngine();
    await expect(engine.runReadOnly(sql, {}, utc)).rejects.toMatchObject({ code: 'DATABASE_NATIVE_QUERY_REFUSED' });
    expect(await engine.read('select count(*) as count from items', [], utc)).toEqual([{ count: '2' }]);
  });

  it('heals when the server is killed and comes back', async () => {
    const database = await open({ poolSize: 3 });
    await Promise.all([1, 2, 3].map((n) => database.all('select ? as n', [n])));
    const running = database.all('select sleep(20)', []);
    const failed = expect(running).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    await server.kill();
    await failed;
    await expect(database.all('select 1', [])).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    await server.restart();
    expect(await Promise.all([1, 2, 3, 4].map((n) => database.all('select ? as n', [n])))).toHaveLength(4);
  });

  it('heals when the server ends idle connections', async () => {
    const database = await open({ poolSize: 2 });
    await Promise.all([database.all('select 1', []), database.all('select 2', [])]);
    const admin = await server.connect();
    const [processes] = await admin.query("select id from information_schema.processlist where user = 'app'");
    for (const { id } of processes as { id: number }[]) await admin.query(`kill ${id}`);
    await admin.end();
    expect(await Promise.all([1, 2, 3].map((n) => database.all('select ? as n', [n])))).toHaveLength(3);
    await database.transaction((session) => session.all('select 1', []));
  });

  it('says that the connection was lost when the server ends it between two statements of a transaction', async () => {
    const database = await open({ poolSize: 1 });
    const admin = await server.connect();
    const transaction = database.transaction(async (session) => {
      await session.run('insert into items (id) values (?)', [97]);
      const [row] = await session.all('select connection_id() as id', []);
      const id = Number(row?.['id']);
      await admin.query(`kill ${id}`);
      const connected = 'select count(*) as n from information_schema.processlist where id = ?';
      await expect.poll(async () => (await admin.query(connected, [id]))[0]).toEqual([{ n: 0 }]);
      await session.run('insert into items (id) values (?)', [96]);
    });
    await expect(transaction).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    await admin.end();
    expect(await database.all('select id from items where id in (96, 97)', [])).toEqual([]);
  });

  it('refuses everything once it is closed', async () => {
    const database = await open();
    await database.all('select 1', []);
    await database.close();
    await expect(database.all('select 1', [])).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(database.openConnections()).toBe(0);
  });

  it('ends its connections as the protocol asks when it is closed', async () => {
    const admin = await server.connect();
    const aborted = async () => (await admin.query("show global status like 'Aborted_clients'"))[0];
    const before = await aborted();
    const database = await open({ poolSize: 3 });
    await Promise.all([1, 2, 3].map((n) => database.all('select ? as n, sleep(0.1)', [n])));
    await database.close();
    const connected = "select count(*) as n from information_schema.processlist where user = 'app'";
    await expect.poll(async () => (await admin.query(connected))[0]).toEqual([{ n: 0 }]);
    expect(await aborted()).toEqual(before);
    await admin.end();
  });

  /** Wait until this many statements like the pattern run on the server. */
  async function seen(connection: Awaited<ReturnType<MysqlFamilyServer['connect']>>, pattern: string, count: number) {
    await expect
      .poll(async () => {
        const [rows] = await connection.query(
          'select id from information_schema.processlist where info like ? and id <> connection_id()',
          [pattern],
        );
        return (rows as unknown[]).length;
      })
      .toBe(count);
  }
});
