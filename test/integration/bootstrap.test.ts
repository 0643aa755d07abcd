import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bootstrap } from '#flows/bootstrap/bootstrap';
import { openSqlite } from '#host/sqlite/sqlite-connection';
import { flowContext } from '../helpers/flow-context.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

it('bootstrap of the sample shop brings settings for all its columns that suggest some', async () => {
  const folder = await temporaryFolder();
  const result = await bootstrap(flowContext(folder), { directory: 'shop', template: 'shop' });
  expect(result.settings).toEqual({});
});

describe('bootstrap on a database of your own', () => {
  it('keeps the connection URI, which may hold a password, out of what goes into git', async () => {
    const folder = await temporaryFolder();
    const database = await openSqlite(path.join(folder, "it's a shop.sqlite"));
    database.execute('create table pets (id integer primary key, name text not null)');
    database.close();
    const uri = `sqlite:./it's a shop.sqlite`;
    const result = await bootstrap(flowContext(folder), { directory: 'My Admin!', template: 'blank', uri });
    expect(result).toMatchObject({ name: 'my-admin', collections: 1 });
    const read = (file: string) => readFile(path.join(result.path, file), 'utf8');
    expect(await read('vendor-cloud.json')).not.toContain('shop');
    expect(await read('.env')).toContain(path.join(folder, 'it%27s a shop.sqlite'));
    expect((await stat(path.join(result.path, '.env'))).mode & 0o777).toBe(0o600);
    expect(await read('.gitignore')).toMatch(/^\.env$/m);
    expect(await read('typings.d.ts')).toContain('pets: {');
  });

  it('sets what the columns of the database suggest', async () => {
    const folder = await temporaryFolder();
    const database = await openSqlite(path.join(folder, 'shop.sqlite'));
    database.execute(`create table orders (id integer primary key, total real, deleted_at datetime,
      created_at datetime not null, updated_at datetime not null)`);
    database.execute(
      'create table lines (id integer primary key, created_at datetime not null default current_timestamp)',
    );
    database.close();
    const warnings: string[] = [];
    const context = flowContext(folder);
    const reporter = { ...context.reporter, warn: (message: string) => void warnings.push(message) };
    const input = { directory: 'admin', template: 'blank', uri: 'sqlite:./shop.sqlite' } as const;
    const result = await bootstrap({ ...context, reporter }, input);
    const settings = {
      softDelete: { orders: 'deleted_at' },
      timestamps: { orders: { created: 'created_at', updated: 'updated_at' } },
    };
    expect(result.settings).toEqual({ main: settings });
    const config = JSON.parse(await readFile(path.join(result.path, 'vendor-cloud.json'), 'utf8'));
    expect(config).toEqual({ name: 'admin', dataSources: { main: { uri: '${MAIN_DATABASE_URL}', ...settings } } });
    expect(warnings.filter((warning) => warning.includes('softDelete'))).toEqual([]);
  });

  it('leaves nothing behind when the database cannot be read', async () => {
    const folder = await temporaryFolder();
    const input = { directory: 'admin', template: 'blank', uri: 'sqlite:./absent.sqlite' } as const;
    await expect(bootstrap(flowContext(folder), input)).rejects.toMatchObject({ code: 'DATABASE_NOT_FOUND' });
    expect(await readdir(folder)).toEqual([]);
  });
});
