import { copyFile, rename, rm, stat } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import type { SqlEngine } from '#runtime/data-sources/sql/sql-engine';
import { openSqliteEngine } from '#runtime/data-sources/sqlite/sqlite-engine';
import { eventuallyTrue } from '../helpers/eventually.ts';
import { temporaryDatabase } from '../helpers/temporary-database.ts';

const utc = { timezone: 'UTC' };
const tableOf = (rows: number, text: string) => `
  create table notes (id integer primary key, text text);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
  insert into notes select i, '${text} ' || i from n;`;

/** An engine on a file with three old rows, and beside it a file with 2,000 new ones. */
async function oldAndNew() {
  const file = await temporaryDatabase(tableOf(3, 'old'));
  const other = await temporaryDatabase(tableOf(2_000, 'new'));
  const engine = await openSqliteEngine(file);
  onTestFinished(() => engine.close());
  return { file, other, engine };
}

const count = async (engine: SqlEngine) =>
  (await engine.read('select count(*) as count from notes', [], utc))[0]?.['count'];
const write = (engine: SqlEngine, id: number) =>
  engine.transaction((session) => session.run('insert into notes values (?, ?)', [id, 'written']), utc);

/** What somebody else finds in the file. */
async function foundIn(file: string): Promise<{ readonly check: unknown; readonly written: unknown }> {
  const connection = await openSqlite(file);
  try {
    const [check] = connection.all('pragma integrity_check');
    const [written] = connection.all("select count(*) as count from notes where text = 'written'");
    return { check: check?.['integrity_check'], written: written?.['count'] };
  } finally {
    connection.close();
  }
}

describe('a SQLite file in whose place another one is put', () => {
  it('is left for the new one, which gets what is written from then on', async () => {
    const { file, other, engine } = await oldAndNew();
    await write(engine, 4);
    expect(await count(engine)).toBe(4);
    await rm(file);
    await copyFile(other, file);
    await write(engine, 2_001);
    expect(await count(engine)).toBe(2_001);
    await engine.close();
    expect(await foundIn(file)).toEqual({ check: 'ok', written: 1 });
  });

  it('is left though nobody writes', async () => {
    const { file, other, engine } = await oldAndNew();
    const before = await engine.fingerprint();
    expect(await count(engine)).toBe(3);
    await rename(other, file);
    await eventuallyTrue(async () => (await count(engine)) === 2_000);
    expect(await engine.fingerprint()).toBe(before);
  });

  it('damages the new one neither by what it has written last nor by what stays beside it', async () => {
    const { file, other, engine } = await oldAndNew();
    for (let id = 4; id < 50; id++) await write(engine, id);
    await rename(other, file);
    await eventuallyTrue(async () => (await count(engine)) === 2_000);
    expect(await foundIn(file)).toEqual({ check: 'ok', written: 0 });
  });

  it('refuses a write during which that happens', async () => {
    const { file, other, engine } = await oldAndNew();
    const writing = engine.transaction(async (session) => {
      await session.run('insert into notes values (?, ?)', [5_000, 'written']);
      await rename(other, file);
    }, utc);
    await expect(writing).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(await count(engine)).toBe(2_000);
    expect(await foundIn(file)).toEqual({ check: 'ok', written: 0 });
  });

  it('is opened again where somebody wrote over it, at the latest when its pages do not fit to each other', async () => {
    const { file, other, engine } = await oldAndNew();
    await write(engine, 4);
    await eventuallyTrue(async () => (await stat(`${file}-wal`)).size === 0);
    await copyFile(other, file);
    const all = () => engine.read('select text from notes order by id', [], utc).catch(() => []);
    await eventuallyTrue(async () => (await all()).length === 2_000);
    await write(engine, 2_001);
    expect(await foundIn(file)).toEqual({ check: 'ok', written: 1 });
  });

  it('is missed while there is none, and served when it is back', async () => {
    const { file, other, engine } = await oldAndNew();
    await rm(file);
    await expect(write(engine, 4)).rejects.toMatchObject({ code: 'DATABASE_NOT_FOUND' });
    await expect(count(engine)).rejects.toMatchObject({ code: 'DATABASE_NOT_FOUND' });
    await rename(other, file);
    expect(await count(engine)).toBe(2_000);
  });
});

it('a SQLite file holds everything by itself a moment after the last write', async () => {
  const { file, other, engine } = await oldAndNew();
  await write(engine, 4);
  expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0);
  await eventuallyTrue(async () => (await stat(`${file}-wal`)).size === 0);
  await copyFile(file, other);
  expect(await foundIn(other)).toEqual({ check: 'ok', written: 1 });
});
