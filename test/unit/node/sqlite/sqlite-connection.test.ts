import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqlite, type SqliteOptions } from '#node/sqlite/sqlite-connection';
import { openError } from '#node/sqlite/sqlite-errors';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

async function open(file: string, options?: SqliteOptions) {
  const connection = await openSqlite(file, options);
  onTestFinished(() => connection.close());
  return connection;
}

describe('openSqlite', () => {
  it('creates a file in WAL mode with foreign keys enforced', async () => {
    const connection = await open(path.join(await temporaryFolder(), 'a.sqlite'), { synchronous: 'FULL' });
    expect(connection.all('pragma journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(connection.all('pragma foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    expect(connection.all('pragma synchronous')).toEqual([{ synchronous: 2 }]);
  });

  it('keeps as much of the file in memory as it is asked for', async () => {
    const connection = await open(path.join(await temporaryFolder(), 'a.sqlite'), { cacheMb: 4 });
    expect(connection.all('pragma cache_size')).toEqual([{ cache_size: -4096 }]);
  });

  it('tells a missing file from one that is not a database and one that cannot be opened', async () => {
    const folder = await temporaryFolder();
    const text = path.join(folder, 'text.sqlite');
    await writeFile(text, 'This is a text, long enough to be taken for the header of a database file.'.repeat(20));
    await mkdir(path.join(folder, 'folder'));
    await expect(openSqlite(path.join(folder, 'none'), { mustExist: true })).rejects.toMatchObject({
      code: 'DATABASE_NOT_FOUND',
    });
    await expect(openSqlite(path.join(folder, 'none'), { isReadOnly: true })).rejects.toMatchObject({
      code: 'DATABASE_NOT_FOUND',
    });
    await expect(openSqlite(text)).rejects.toMatchObject({ code: 'DATABASE_NOT_A_DATABASE' });
    await expect(openSqlite(path.join(folder, 'folder'))).rejects.toMatchObject({ code: 'DATABASE_UNREADABLE' });
    await expect(openSqlite(path.join(folder, 'none', 'x'))).rejects.toMatchObject({ code: 'DATABASE_UNREADABLE' });
  });

  it.each(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'])('says that the disk is full: %s', (code) => {
    const error = openError('/shop.sqlite', Object.assign(new Error('disk I/O error'), { code }));
    expect([error.message, error.nextSteps]).toEqual([
      `The database file /shop.sqlite cannot be opened (${code}): its disk is full.`,
      ['Make room on the disk.'],
    ]);
  });

  it('keeps integers exact', async () => {
    const connection = await open(path.join(await temporaryFolder(), 'a.sqlite'));
    connection.execute('create table t (n integer)');
    connection.run('insert into t values (?), (?), (?)', [1, 9007199254740991n, 9007199254740993n]);
    expect(connection.all('select n from t')).toEqual([{ n: 1 }, { n: 9007199254740991 }, { n: 9007199254740993n }]);
  });

  it('rolls a transaction back when its work throws', async () => {
    const connection = await open(path.join(await temporaryFolder(), 'a.sqlite'));
    connection.execute('create table t (n integer)');
    const failure = new Error('on purpose');
    const work = () => {
      connection.run('insert into t values (1)');
      throw failure;
    };
    expect(() => connection.transaction(work)).toThrow(failure);
    expect(connection.all('select * from t')).toEqual([]);
    expect(connection.transaction(() => connection.run('insert into t values (?)', [true]).changes)).toBe(1);
  });

  it('names the columns of a violated rule, and never shows SQL', async () => {
    const connection = await open(path.join(await temporaryFolder(), 'a.sqlite'));
    connection.execute(
      'create table t (id integer primary key, a text not null, b text, c int check (c > 0), unique (a, b))',
    );
    connection.run("insert into t values (1, 'x', 'y', 1)");
    expect(() => connection.run("insert into t values (2, 'x', 'y', 1)")).toThrow(
      expect.objectContaining({ code: 'DATABASE_CONSTRAINT_VIOLATED', details: { field: 'a', fields: ['a', 'b'] } }),
    );
    expect(() => connection.run('insert into t values (2, null, null, 1)')).toThrow(
      expect.objectContaining({ details: { field: 'a', fields: ['a'] } }),
    );
    expect(() => connection.run("insert into t values (2, 'z', null, 0)")).toThrow('breaks a check rule');
    expect(() => connection.all('select secret_column from t')).toThrow(
      expect.objectContaining({ code: 'DATABASE_QUERY_FAILED', message: expect.not.stringContaining('secret_column') }),
    );
  });

  it('refuses writes on a read-only connection, which sees what others write', async () => {
    const file = path.join(await temporaryFolder(), 'a.sqlite');
    const writer = await open(file);
    writer.execute('create table t (n integer)');
    const reader = await open(file, { isReadOnly: true });
    writer.run('insert into t values (1)');
    expect(reader.all('select n from t')).toEqual([{ n: 1 }]);
    expect(() => reader.run('insert into t values (2)')).toThrow(
      expect.objectContaining({ code: 'DATABASE_WRITE_FORBIDDEN' }),
    );
  });
});
