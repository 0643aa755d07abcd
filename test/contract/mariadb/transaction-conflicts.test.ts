import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { type MysqlDatabase, type MysqlParameters, type MysqlSession, openMysql } from '#node/mysql/open-mysql';
import { describeOnMysqlFamily, numbersTo } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

const add = (session: MysqlSession, id: number, amount: number) =>
  session.run('update counters set n = n + ? where id = ?', [amount, id]);
const addToBothInReverse = (session: MysqlSession) =>
  session.run('update counters set n = n + ? where id in (1, 2) order by id desc', [100]);
/** The server undoes the transaction that has changed fewer rows. */
const changeMuch = (session: MysqlSession) => session.run(`insert into ballast select seq from ${numbersTo(500)}`, []);

describeOnMysqlFamily('Two transactions that wait for each other', (member) => {
  let server: MysqlFamilyServer;
  let database: MysqlDatabase;

  beforeAll(async () => {
    server = await member.start();
    await server.createDatabase('shop', [
      'create table counters (id int primary key, n int not null)',
      'create table ballast (n int)',
    ]);
  });
  beforeEach(async () => {
    database = await open();
    // What the server knew of the last test is not what a test waits for.
    await waiting(0);
    await database.transaction(async (session) => {
      await session.run('delete from ballast', []);
      await session.run('replace into counters values (1, 0), (2, 0)', []);
    });
  });
  afterAll(() => server?.stop());

  async function open(changes: Partial<MysqlParameters> = {}): Promise<MysqlDatabase> {
    const { host, port, user, password } = server;
    const opened = await openMysql({ host, port, user, password, database: 'shop', ...changes });
    onTestFinished(() => opened.close());
    return opened;
  }

  /** Whoever calls it goes on when this many have called it. */
  function meeting(count: number): () => Promise<void> {
    const met = Promise.withResolvers<void>();
    let arrived = 0;
    return () => {
      arrived += 1;
      if (arrived === count) met.resolve();
      return met.promise;
    };
  }

  const counters = () => database.all('select id, n from counters order by id', []);

  async function deadlocks(): Promise<number> {
    const [row] = await database.all("show global status like 'Innodb_deadlocks'", []);
    return Number(row?.['Value']);
  }

  async function waiting(count: number): Promise<void> {
    const admin = await server.connect();
    try {
      await expect
        .poll(
          async () => {
            const [rows] = await admin.query(
              "select 1 from information_schema.innodb_trx where trx_state = 'LOCK WAIT'",
            );
            return (rows as unknown[]).length;
          },
          // The server looks again only when nobody has asked for a tenth of a second.
          { interval: 200 },
        )
        .toBe(count);
    } finally {
      await admin.end();
    }
  }

  it('both succeed when the one that is undone had done nothing else', async () => {
    const before = await deadlocks();
    let tries = 0;
    let safe: Promise<number> | undefined;
    const exposed = database.transaction(async (session) => {
      await changeMuch(session);
      await add(session, 1, 1);
      safe = database.transaction((other) => {
        tries += 1;
        return addToBothInReverse(other);
      });
      safe.catch(() => undefined);
      await waiting(1);
      return add(session, 2, 1);
    });
    expect(await exposed).toBe(1);
    expect(await safe).toBe(2);
    // Repeated was the statement, not the caller's work.
    expect(tries).toBe(1);
    expect(await counters()).toEqual([
      { id: 1, n: 101 },
      { id: 2, n: 101 },
    ]);
    expect(await deadlocks()).toBe(before + 1);
  });

  it('leave exactly one of them done when both had done something before', async () => {
    const met = meeting(2);
    const cross = (first: number, second: number, amount: number) =>
      database.transaction(async (session) => {
        await add(session, first, amount);
        await met();
        await add(session, second, amount);
        return amount;
      });
    const outcomes = await Promise.allSettled([cross(1, 2, 1), cross(2, 1, 10)]);
    const done = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(refused).toMatchObject([{ code: 'DATABASE_BUSY', safeDetails: { mysqlError: 'ER_LOCK_DEADLOCK' } }]);
    expect(done).toHaveLength(1);
    expect(await counters()).toEqual([
      { id: 1, n: done[0] },
      { id: 2, n: done[0] },
    ]);
    expect(await database.transaction((session) => add(session, 1, 1))).toBe(1);
  });

  it('keep nothing of the one that is undone when its caller passes over that and goes on', async () => {
    const met = meeting(2);
    const cross = (first: number, second: number, amount: number) =>
      database.transaction(async (session) => {
        await add(session, first, amount);
        await met();
        await add(session, second, amount).catch(() => undefined);
        await session.run('insert into ballast values (?)', [amount]).catch(() => undefined);
        return amount;
      });
    const outcomes = await Promise.allSettled([cross(1, 2, 1), cross(2, 1, 10)]);
    const done = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(refused).toMatchObject([{ code: 'DATABASE_BUSY', safeDetails: { mysqlError: 'ER_LOCK_DEADLOCK' } }]);
    expect(await counters()).toMatchObject([{ n: done[0] }, { n: done[0] }]);
    expect(await database.all('select n from ballast', [])).toEqual([{ n: done[0] }]);
  });

  it('take statements that are sent at once one after another, the repeated one first', async () => {
    const before = await deadlocks();
    const changedMind = new Error('changed my mind');
    // As text, nothing is prepared in between: what is sent at once would arrive at once.
    const direct = await open({ preparedStatements: false });
    let undone: Promise<unknown> | undefined;
    await database.transaction(async (session) => {
      await changeMuch(session);
      await add(session, 1, 1);
      undone = direct.transaction(async (other) => {
        await Promise.all([addToBothInReverse(other), other.run('insert into ballast values (?)', [-1])]);
        throw changedMind;
      });
      undone.catch(() => undefined);
      await waiting(1);
      await add(session, 2, 1);
    });
    await expect(undone).rejects.toBe(changedMind);
    expect(await deadlocks()).toBe(before + 1);
    expect(await counters()).toMatchObject([{ n: 1 }, { n: 1 }]);
    expect(await database.all('select n from ballast where n < 0', [])).toEqual([]);
  });

  it('end with an error for the one that changes a record which changed since it was read, where the server checks that', async ({
    skip,
  }) => {
    const admin = await server.connect();
    const [known] = await admin.query("show variables like 'innodb_snapshot_isolation'");
    if ((known as unknown[]).length === 0) skip(`this version of ${member.name} does not have snapshot isolation`);
    await admin.query('set global innodb_snapshot_isolation = on');
    onTestFinished(() => admin.query('set global innodb_snapshot_isolation = default').then(() => admin.end()));
    const late = (await open()).transaction(async (session) => {
      await session.all('select n from counters where id = 1', []);
      await admin.query('update shop.counters set n = 7 where id = 1');
      return add(session, 1, 1);
    });
    await expect(late).rejects.toMatchObject({ code: 'DATABASE_BUSY', safeDetails: { mysqlError: 'ER_CHECKREAD' } });
    expect(await counters()).toMatchObject([{ n: 7 }, { n: 0 }]);
  });
});
