import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startDevSession } from '../helpers/dev-session.ts';
import { usePostgresServer } from '../helpers/postgres-server.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

const server = usePostgresServer();

async function createProject(database: string): Promise<string> {
  const root = await temporaryFolder();
  const { user, password, port } = server.parameters();
  const login = `${user}:${encodeURIComponent(password ?? '')}`;
  await mkdir(path.join(root, 'src'));
  await writeFiles(root, {
    'vendor-cloud.json': JSON.stringify({ name: 'away', dataSources: { main: { uri: '${DATABASE_URL}' } } }),
    '.env': `DATABASE_URL='postgres://${login}@127.0.0.1:${port}/${database}'\n`,
    'src/index.ts': `export default (agent) =>
      agent.customizeCollection('orders', (orders) =>
        orders.addField('label', { columnType: 'String', dependencies: ['id'], getValues: (rows) => rows.map(({ id }) => 'no ' + id) }));`,
  });
  return root;
}

it('a dev session starts from the catalogue of last time while the database is down, and serves when it is back', {
  tags: 'long',
}, async () => {
  const root = await createProject(
    await server.createDatabase('create table orders (id int primary key); insert into orders values (7)'),
  );
  const before = await startDevSession(root);
  await before.stop();
  await server.stop();

  const session = await startDevSession(root);
  expect(session.ready.collections).toEqual(['orders']);
  expect((await session.next('warning')).message).toContain('A database cannot be reached');
  const list = async () => {
    const response = await fetch(`${session.ready.agent.url}/orders?timezone=UTC`, {
      headers: { authorization: `Bearer ${session.ready.token}` },
    });
    return { status: response.status, body: await response.json() };
  };
  expect(await list()).toMatchObject({ status: 503, body: { errors: [{ code: 'DATABASE_UNREACHABLE' }] } });
  // Code that is saved meanwhile is served, too.
  await writeFile(path.join(root, 'src/index.ts'), 'export default () => undefined;');
  await session.next('reloaded');

  await server.start();
  await session.next('restarted');
  expect(await list()).toMatchObject({ status: 200, body: { data: [{ id: '7', attributes: { id: 7 } }] } });
});
