import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startClients } from '../helpers/clients-in-a-loop.ts';
import { createRecord, startDevSession } from '../helpers/dev-session.ts';
import { usePostgresServer } from '../helpers/postgres-server.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

const server = usePostgresServer();

/** A session on a new database of the server. */
async function startOn(script: string) {
  const database = await server.createDatabase(script);
  const { user, password, port } = server.parameters();
  const uri = `postgres://${user}:${encodeURIComponent(password ?? '')}@127.0.0.1:${port}/${database}`;
  const root = await temporaryFolder();
  await mkdir(path.join(root, 'src'));
  await writeFiles(root, {
    'vendor-cloud.json': JSON.stringify({ name: 'altered', dataSources: { main: { uri: '${DATABASE_URL}' } } }),
    '.env': `DATABASE_URL='${uri}'\n`,
    'src/index.ts': 'export default () => undefined;',
  });
  return { database, session: await startDevSession(root) };
}

it('a change of the tables of PostgreSQL is reported, and refuses and fails no request', {
  timeout: 60_000,
  tags: 'long',
}, async () => {
  const { database, session } = await startOn(
    `create table orders (id int primary key, name text, label text, total int);
     insert into orders select n, 'order ' || n, 'x', n from generate_series(1, 50) n`,
  );
  const { agent, token } = session.ready;
  // They ask for every column, also for those that go.
  const url = `${agent.url}/orders?page[size]=5&timezone=UTC`;
  const { met, rounds, stop } = startClients(url, token, 20);
  await rounds(1);
  await server.execute(
    database,
    'alter table orders add column note text, drop column label, alter column total type text; create table invoices (id int primary key)',
  );
  const { changes } = await session.next('tables-changed');
  expect(changes).toMatchObject([
    { table: 'invoices', change: 'added' },
    { table: 'orders', added: ['note'], removed: ['label'], changed: [{ column: 'total' }] },
  ]);
  await session.next('restarted');
  await rounds(2);
  // It changes the fingerprint of the database, and nothing of its tables.
  await server.execute(database, 'truncate table invoices');
  await server.execute(database, 'alter table orders drop column note');
  expect((await session.next('tables-changed')).changes).toMatchObject([{ table: 'orders', removed: ['note'] }]);
  await session.next('restarted');
  await rounds(2);
  await stop();
  expect(met.broken).toEqual([]);
  expect([...met.statuses.keys()]).toEqual([200]);
});

it('answers a write that needs a column which is gone with 503, and carries the next one out', {
  timeout: 60_000,
}, async () => {
  const { database, session } = await startOn(
    'create table orders (id serial primary key, name text, created_at timestamptz not null default now())',
  );
  expect(await createRecord(session, 'orders', { name: 'a' })).toEqual([200]);
  // The client has never named it.
  await server.execute(database, 'alter table orders drop column created_at');
  expect(await createRecord(session, 'orders', { name: 'b' })).toEqual([503, 'DATABASE_TABLE_CHANGED']);
  expect(await createRecord(session, 'orders', { name: 'c' })).toEqual([200]);
  expect(await server.execute(database, 'select name from orders order by id')).toEqual([{ name: 'a' }, { name: 'c' }]);
});
