import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { resolveSqlConnection } from '#node/database/sql-connection-params';
import { openPostgres } from '#node/postgres/open-postgres';
import { freePort } from '../../helpers/free-port.ts';
import { usePostgresPair } from '../../helpers/postgres-pair.ts';
import { password } from '../../helpers/postgres-server.ts';

const pair = usePostgresPair();
const rounds = Number(process.env['FAILOVERS'] ?? 2);
/** How long after the promotion the pool has to work again, in milliseconds. */
const backWithinMs = 10_000;
const connectTimeoutMs = 5_000;

function open(ports: readonly number[], query = '') {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const uri = `postgres://postgres:${encodeURIComponent(password)}@${hosts}/postgres${query}`;
  const connection = resolveSqlConnection(uri);
  if (connection.dialect === 'sqlite') throw new Error('It is not a file.');
  const pool = openPostgres({ ...connection, user: connection.username, connectTimeoutMs });
  onTestFinished(() => pool.close());
  return pool;
}

const whoAnswers = 'select pg_is_in_recovery()::text as "isStandby"';

it('a pool of several hosts finds the primary, wherever it stands', async () => {
  const { primary, standby } = pair.ports();
  const away = await freePort();
  const lists = [
    [primary, standby],
    [standby, primary],
    [away, standby, primary],
  ];
  for (const ports of lists) {
    expect(await open(ports).all(whoAnswers)).toEqual([{ isStandby: 'false' }]);
    expect(await open(ports, '?target_session_attrs=read-write').all(whoAnswers)).toEqual([{ isStandby: 'false' }]);
  }
  expect(await open([standby, primary], '?target_session_attrs=any').all(whoAnswers)).toEqual([{ isStandby: 'true' }]);
});

it('a pool without a primary says what each host is', async () => {
  const { primary, standby } = pair.ports();
  const away = await freePort();
  await expect(open([standby, away]).all(whoAnswers)).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: `The database server at 127.0.0.1, port ${standby}, is a standby. The database server at 127.0.0.1, port ${away}, cannot be reached (ECONNREFUSED).`,
  });
  await expect(open([standby], '?target_session_attrs=primary').all(whoAnswers)).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
  });
  await pair.execute(
    primary,
    "create role reader login password 'reads'; alter role reader set default_transaction_read_only = on",
  );
  const reader = openPostgres({
    ...{ host: `127.0.0.1:${standby},127.0.0.1:${primary}`, database: 'postgres', user: 'reader', password: 'reads' },
    target: 'read-write',
  });
  onTestFinished(() => reader.close());
  await expect(reader.all(whoAnswers)).rejects.toMatchObject({
    message: expect.stringContaining(`port ${primary}, accepts no writes`) as string,
  });
});

it(`a pool under load loses nothing acknowledged in ${rounds} failovers, and works within ten seconds of each promotion`, async () => {
  const { primary, standby } = pair.ports();
  const pool = open([primary, standby]);
  await pair.execute(primary, 'create table kept (id int primary key)');
  const acknowledged: number[] = [];
  let next = 0;
  let longestMs = 0;
  let isOver = false;
  async function write(): Promise<void> {
    while (!isOver) {
      const id = next++;
      const startedAt = performance.now();
      try {
        await pool.transaction((session) => session.run('insert into kept values ($1)', [id]));
        acknowledged.push(id);
      } catch {
        // A write without an answer may be there or not. The check below counts those with one.
        await pause(20);
      }
      longestMs = Math.max(longestMs, performance.now() - startedAt);
    }
  }
  const writers = [1, 2, 3, 4].map(write);
  const backAfterMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 20);
    await pair.killPrimary();
    await pair.promote();
    const promotedAt = performance.now();
    const atPromotion = acknowledged.length;
    await expect.poll(() => acknowledged.length, { interval: 20 }).toBeGreaterThan(atPromotion);
    backAfterMs.push(performance.now() - promotedAt);
    await pair.addStandby();
  }
  isOver = true;
  await Promise.all(writers);
  const rows = await pair.execute(pair.ports().primary, 'select id from kept');
  const there = new Set(rows.map(({ id }) => id));
  expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
  expect(Math.max(...backAfterMs)).toBeLessThan(backWithinMs);
  // A connection is opened in limited time, one after another at most.
  expect(longestMs).toBeLessThan(2 * connectTimeoutMs + backWithinMs);
});
