import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { startClients } from '../helpers/clients-in-a-loop.ts';
import { createRecord, type DevSession, startDevSession } from '../helpers/dev-session.ts';

const clients = 20;

async function alter({ root }: DevSession, sql: string) {
  const connection = await openSqlite(path.join(root, 'shop.sqlite'));
  connection.execute(sql);
  connection.close();
}

/** The status of a list of products, and the fields of the first one. */
async function list({ ready }: DevSession, fields?: string) {
  const query = `${fields === undefined ? '' : `fields[products]=${fields}&`}page[size]=1&timezone=UTC`;
  const response = await fetch(`${ready.agent.url}/products?${query}`, {
    headers: { authorization: `Bearer ${ready.token}` },
  });
  const { data = [] } = (await response.json()) as { data?: { attributes: Record<string, unknown> }[] };
  const names = Object.keys(data[0]?.attributes ?? {});
  return { status: response.status, fields: names.filter((name) => name !== 'id') };
}

const field = (name: string, column: string) => `products.addField('${name}', {
  columnType: 'String', dependencies: ['${column}'], getValues: (rows) => rows.map(() => '${name}') });`;
const code = (...fields: string[]) =>
  `export default (agent) => agent.customizeCollection('products', (products) => { ${fields.join('\n')} });`;

it('says what has changed of the tables, and refuses and fails no request meanwhile', {
  tags: 'long',
  timeout: 60_000,
}, async () => {
  const session = await startDevSession();
  await alter(session, 'ALTER TABLE products ADD COLUMN label TEXT; CREATE TABLE notes (id INTEGER PRIMARY KEY);');
  await session.next('restarted');
  const { agent, token } = session.ready;
  // They ask for every column, also for the one that goes.
  const { met, rounds, stop } = startClients(`${agent.url}/products?page[size]=5&timezone=UTC`, token, clients);
  await rounds(1);
  await alter(
    session,
    `ALTER TABLE products ADD COLUMN note TEXT; ALTER TABLE products DROP COLUMN label;
     DROP TABLE notes; CREATE TABLE invoices (id INTEGER PRIMARY KEY, total INTEGER);`,
  );
  const { changes } = await session.next('tables-changed');
  expect(changes).toMatchObject([
    { table: 'invoices', change: 'added' },
    { table: 'notes', change: 'removed' },
    { table: 'products', change: 'changed', added: ['note'], removed: ['label'], changed: [] },
  ]);
  await session.next('restarted');
  await rounds(2);
  await alter(session, 'DROP TABLE invoices; CREATE TABLE invoices (id INTEGER PRIMARY KEY, total TEXT NOT NULL);');
  expect((await session.next('tables-changed')).changes).toMatchObject([
    { table: 'invoices', changed: [{ column: 'total', before: 'INTEGER', after: 'TEXT not null' }] },
  ]);
  await session.next('restarted');
  await rounds(2);
  await stop();
  expect(met.broken).toEqual([]);
  expect([...met.statuses.keys()]).toEqual([200]);
  expect(await list(session, 'note')).toEqual({ status: 200, fields: ['note'] });
});

it('serves what still fits to the tables when the code names a column that is gone, and heals with the column', {
  timeout: 60_000,
  tags: 'long',
}, async () => {
  const session = await startDevSession();
  await alter(session, 'ALTER TABLE products ADD COLUMN label TEXT');
  await session.next('restarted');
  await writeFile(session.entry, code(field('greeting', 'label'), field('wish', 'name')));
  await session.next('reloaded');
  expect((await list(session, 'greeting,wish')).fields).toEqual(['greeting', 'wish']);

  await alter(session, 'ALTER TABLE products DROP COLUMN label');
  expect((await session.next('tables-changed')).changes).toMatchObject([{ removed: ['label'] }]);
  const { error, serves } = await session.next('error');
  expect([serves, error.message]).toEqual(['part', expect.stringContaining('label')]);
  expect(error.location).toMatchObject({ file: session.entry });
  await session.next('restarted');
  expect(await list(session)).toMatchObject({ status: 200, fields: expect.arrayContaining(['name', 'wish']) });

  await alter(session, 'ALTER TABLE products ADD COLUMN label TEXT');
  await session.next('restarted');
  expect((await list(session, 'greeting,wish')).fields).toEqual(['greeting', 'wish']);
});

it('heals with the code, too, after a column is gone', { timeout: 60_000, tags: 'long' }, async () => {
  const session = await startDevSession();
  await alter(session, 'ALTER TABLE products ADD COLUMN label TEXT');
  await session.next('restarted');
  await writeFile(session.entry, code(field('greeting', 'label')));
  await session.next('reloaded');
  await alter(session, 'ALTER TABLE products DROP COLUMN label');
  await session.next('restarted');
  await writeFile(session.entry, code(field('greeting', 'name')));
  await session.next('reloaded');
  expect(await list(session)).toMatchObject({ status: 200, fields: expect.arrayContaining(['name', 'greeting']) });
});

it('answers a request that needs what is gone once it has read the tables again, which it does at once', {
  tags: 'long',
  timeout: 60_000,
}, async () => {
  const session = await startDevSession();
  await alter(session, 'ALTER TABLE products ADD COLUMN label TEXT');
  await session.next('restarted');
  await alter(session, 'ALTER TABLE products DROP COLUMN label');
  expect(await list(session)).toMatchObject({ status: 200, fields: expect.arrayContaining(['name']) });
  await session.next('restarted');
  expect(session.pending().filter(({ event }) => event === 'request-failed')).toEqual([]);
  expect((await list(session, 'label')).status).toBe(400);
});

it('answers a write that needs what is gone with 503, keeps nothing of it, and carries the next one out', {
  timeout: 60_000,
}, async () => {
  const session = await startDevSession();
  await alter(session, 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, label TEXT)');
  await session.next('restarted');
  const note = { text: 'a' };
  expect(await createRecord(session, 'notes', note)).toEqual([200]);
  // The client has never named it.
  await alter(session, 'ALTER TABLE notes DROP COLUMN label');
  expect(await createRecord(session, 'notes', note)).toEqual([503, 'DATABASE_TABLE_CHANGED']);
  expect(await createRecord(session, 'notes', note)).toEqual([200]);
  await alter(session, 'ALTER TABLE notes RENAME COLUMN text TO words');
  expect(await createRecord(session, 'notes', note)).toEqual([503, 'DATABASE_TABLE_CHANGED']);
  expect(await createRecord(session, 'notes', note)).toEqual([400, 'REQUEST_FIELD_UNKNOWN']);
  expect(session.pending().filter(({ event }) => event === 'request-failed')).toEqual([]);
  const connection = await openSqlite(path.join(session.root, 'shop.sqlite'));
  expect(connection.all('select count(*) as count from notes', [])).toEqual([{ count: 2 }]);
  connection.close();
});
