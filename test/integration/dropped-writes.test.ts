import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { eventually } from '../helpers/eventually.ts';
import { call } from '../helpers/rest-call.ts';
import { readStoredActivities } from '../helpers/stored-activities.ts';

it('a write that a trigger drops, and one of an id of two rows: the answer says so, and the log of activities agrees', async () => {
  const shop = await createEmbeddedShop();
  const storage = path.join(shop.folder, 'triggers.sqlite');
  const connection = await openSqlite(storage);
  for (const statement of [
    'create table frozen (id integer primary key, v text)',
    "insert into frozen values (1, 'old')",
    'create trigger a before insert on frozen begin select raise(ignore); end',
    'create trigger b before update on frozen begin select raise(ignore); end',
    'create table loose (id primary key, v text)',
    "insert into loose values (1, 'number'), ('1', 'text'), (2, 'only')",
  ]) {
    connection.execute(statement);
  }
  connection.close();
  const agent = shop.newAgent({ serverUrl: shop.sandbox.url });
  agent.addDataSource(createSqlDataSource({ dialect: 'sqlite', storage })).mountOnStandaloneServer(0);
  await agent.start();
  const ask = async (method: string, target: string, attributes?: object) => {
    const type = target.split('/')[1];
    const body = attributes && { data: { type, attributes } };
    const where = { agentUrl: `http://127.0.0.1:${agent.standaloneServerPort}/service`, token: shop.token };
    const { status, text } = await call(where, target, { method, body });
    return [status, text === '' ? undefined : (JSON.parse(text).errors?.[0]?.code ?? JSON.parse(text).data.id)];
  };

  expect(await ask('POST', '/frozen', { v: 'new' })).toEqual([400, 'DATABASE_WRITE_DROPPED']);
  expect(await ask('PUT', '/frozen/1', { v: 'new' })).toEqual([400, 'DATABASE_WRITE_DROPPED']);
  expect(await ask('PUT', '/loose/1', { v: 'new' })).toEqual([409, 'RECORD_AMBIGUOUS']);
  expect(await ask('DELETE', '/loose/1')).toEqual([409, 'RECORD_AMBIGUOUS']);
  expect(await ask('PUT', '/loose/2', { v: 'new' })).toEqual([200, '2']);

  await eventually(async () => {
    const stored = await readStoredActivities(path.join(shop.folder, 'store.sqlite'));
    const seen = stored.map(({ action, collection, recordIds, status }) => [action, collection, recordIds, status]);
    expect(seen).toEqual([
      ['create', 'frozen', [], 'failed'],
      ['update', 'frozen', ['1'], 'failed'],
      ['update', 'loose', ['1'], 'failed'],
      ['delete', 'loose', ['1'], 'failed'],
      ['update', 'loose', ['2'], 'completed'],
    ]);
  });
});

it('a new record without a key says so, also where a field of another record makes it', async () => {
  const shop = await createEmbeddedShop();
  const storage = path.join(shop.folder, 'keys.sqlite');
  const connection = await openSqlite(storage);
  for (const statement of [
    'create table people (id text primary key, name text)',
    'create table deals (id integer primary key, seller_id text references people (id))',
    'insert into deals values (1, null)',
  ]) {
    connection.execute(statement);
  }
  const agent = shop.newAgent({ serverUrl: shop.sandbox.url });
  agent
    .addDataSource(createSqlDataSource({ dialect: 'sqlite', storage }))
    .customizeCollection('deals', (deals) =>
      deals
        .importField('sellerName', { path: 'seller:name', readonly: false })
        .addHook('Before', 'Create', async ({ dataSource }) => {
          await dataSource
            .getCollection('people')
            .create([{ name: 'Bo' }])
            .catch(() => undefined);
        }),
    )
    .mountOnStandaloneServer(0);
  await agent.start();
  const where = { agentUrl: `http://127.0.0.1:${agent.standaloneServerPort}/service`, token: shop.token };
  const ask = async (method: string, target: string, attributes: object) => {
    const body = { data: { type: target.split('/')[1], attributes } };
    const { status, text } = await call(where, target, { method, body });
    return { status, text };
  };

  const answers = [
    await ask('PUT', '/deals/1', { sellerName: 'Ann' }),
    await ask('POST', '/people', { name: 'Ann' }),
    // Its hook catches the error: nothing of the request is kept.
    await ask('POST', '/deals', {}),
  ];
  for (const { status, text } of answers) {
    expect(status).toBe(400);
    expect(text).toContain('DATABASE_CONSTRAINT_VIOLATED');
    expect(text).toContain('a new record of \\"people\\" needs its key');
  }
  const rows = 'select (select count(*) from people) as people, (select count(*) from deals) as deals';
  expect(connection.all(rows, [])).toEqual([{ people: 0, deals: 1 }]);
  connection.close();
});
