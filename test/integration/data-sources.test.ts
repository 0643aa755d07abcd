import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AddSourceInput, addDataSource } from '#flows/data-sources/add-tested-source';
import { listDataSources } from '#flows/data-sources/described-source';
import { refreshDataSources } from '#flows/data-sources/refresh-data-sources';
import { testDataSources } from '#flows/data-sources/test-data-sources';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { startDevSession } from '../helpers/dev-session.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { usePostgresServer } from '../helpers/postgres-server.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const server = usePostgresServer();

async function archiveIn(folder: string): Promise<void> {
  const connection = await openSqlite(path.join(folder, 'archive.sqlite'));
  connection.execute(
    'create table orders (id integer primary key, deleted_at timestamp); create table logs (id integer primary key)',
  );
  connection.close();
}

async function urlOf(script: string): Promise<string> {
  const { user, password = '', port } = server.parameters();
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${await server.createDatabase(script)}`;
}

const add = (root: string, input: Omit<AddSourceInput, 'folder'>) =>
  addDataSource(flowContext(root), { folder: root, ...input });

const configOf = async (root: string) =>
  JSON.parse(await readFile(path.join(root, 'vendor-cloud.json'), 'utf8')) as { dataSources: Record<string, unknown> };

describe('a data source that is added', () => {
  it('is a file by its path from the project, with what was chosen and what its columns suggest', async () => {
    const root = await createShopProject();
    await archiveIn(root);
    const input = { name: 'archive', uri: 'sqlite:./archive.sqlite', exclude: ['logs'], rename: 'archive_' };
    const added = await add(root, input);
    expect(added).toMatchObject({ variable: null, settings: { softDelete: { orders: 'deleted_at' } } });
    expect((await configOf(root)).dataSources['archive']).toEqual({
      uri: 'sqlite:./archive.sqlite',
      exclude: ['logs'],
      rename: 'archive_',
      softDelete: { orders: 'deleted_at' },
    });
    expect(await readFile(path.join(root, 'typings.d.ts'), 'utf8')).toContain('archive_orders');
  });

  it('is a server by a variable, whose value is in .env only and in no result', async () => {
    const root = await createShopProject();
    const uri = await urlOf('create table parcels (id int primary key)');
    const added = await add(root, { name: 'parcels', uri });
    expect(added).toMatchObject({ variable: 'PARCELS_DATABASE_URL', dataSource: { engine: 'postgres' } });
    expect((await configOf(root)).dataSources['parcels']).toEqual({ uri: '${PARCELS_DATABASE_URL}' });
    const env = path.join(root, '.env');
    expect(await readFile(env, 'utf8')).toContain(`\nPARCELS_DATABASE_URL='`);
    expect((await stat(env)).mode & 0o777).toBe(0o600);
    const results = JSON.stringify([added, await listDataSources(flowContext(root), root)]);
    expect(results).not.toContain(encodeURIComponent(server.parameters().password ?? ''));
    expect((await testDataSources(flowContext(root), root, ['parcels'])).dataSources).toMatchObject([
      { name: 'parcels', collections: 1, error: null },
    ]);
  });

  it('is served by the session that runs', { tags: 'long' }, async () => {
    const session = await startDevSession();
    await archiveIn(session.root);
    await add(session.root, { name: 'archive', uri: 'sqlite:./archive.sqlite', rename: 'archive_' });
    await session.next('restarted');
    const response = await fetch(`${session.ready.agent.url}/archive_logs/count?timezone=UTC`, {
      headers: { authorization: `Bearer ${session.ready.token}` },
    });
    expect(await response.json()).toEqual({ count: 0 });
  });

  it('leaves the project as it was when it does not answer, has names twice, or has a name that is taken', async () => {
    const root = await createShopProject();
    await archiveIn(root);
    const files = () =>
      Promise.all(['vendor-cloud.json', '.env'].map((name) => readFile(path.join(root, name), 'utf8')));
    const before = await files();
    const refusals = [
      [{ name: 'gone', uri: 'sqlite:./gone.sqlite' }, 'DATABASE_NOT_FOUND'],
      [{ name: 'archive', uri: 'sqlite:./archive.sqlite' }, 'CUSTOMIZATION_INVALID'],
      [{ name: 'main', uri: 'sqlite:./archive.sqlite' }, 'DATA_SOURCE_EXISTS'],
    ] as const;
    for (const [input, code] of refusals) await expect(add(root, input)).rejects.toMatchObject({ code });
    expect(await files()).toEqual(before);
  });

  it('names the flag that parts its collections from those of the same names', async () => {
    const root = await createShopProject();
    await archiveIn(root);
    const clashing = { name: 'old-archive', uri: 'sqlite:./archive.sqlite' };
    await expect(add(root, clashing)).rejects.toMatchObject({
      message: expect.stringContaining('"orders"'),
      nextSteps: [
        'Put something before the names of its collections: call it again with --rename old_archive_',
        'Or leave them out: --exclude orders',
      ],
    });
  });
});

describe('the data sources of a project', () => {
  it('are listed with their variables, also those that are not set', async () => {
    const root = await createShopProject();
    const config = await configOf(root);
    const file = path.join(root, 'vendor-cloud.json');
    const other = { uri: 'postgres://ada:secret@host/shop?password=secret' };
    await writeFile(
      file,
      JSON.stringify({ ...config, dataSources: { ...config.dataSources, other, far: { uri: '${FAR_URL}' } } }),
    );
    const { dataSources } = await listDataSources(flowContext(root), root);
    expect(dataSources).toMatchObject([
      { name: 'main', engine: 'sqlite', variables: [] },
      { name: 'other', engine: 'postgres', uri: 'postgres://ada:…@host/shop' },
      { name: 'far', engine: null, uri: '${FAR_URL}', variables: [{ name: 'FAR_URL', isSet: false }] },
    ]);
    const tested = await testDataSources(flowContext(root), root, ['main', 'far']);
    expect(tested.dataSources).toMatchObject([
      { name: 'main', error: null, collections: 14 },
      { name: 'far', collections: null, error: { code: 'PROJECT_VARIABLE_MISSING' } },
    ]);
    await expect(testDataSources(flowContext(root), root, ['mian'])).rejects.toMatchObject({
      message: expect.stringContaining('Did you mean "main"?'),
    });
  });

  it('are read again, and the types follow', async () => {
    const root = await createShopProject();
    const connection = await openSqlite(path.join(root, 'shop.sqlite'));
    connection.execute('create table shelves (id integer primary key)');
    connection.close();
    expect(await refreshDataSources(flowContext(root), root)).toMatchObject({ hasChanged: true, collections: 15 });
    expect(await refreshDataSources(flowContext(root), root)).toMatchObject({ hasChanged: false });
  });
});
