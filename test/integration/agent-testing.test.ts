import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttp } from '#node/http/http-client';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { seedShop } from '#project/sample-data/seed-shop';
import { createAgent, createSqlDataSource, type EmbeddedAgent } from '../../src/exports/agent.ts';
import {
  type AgentTestClient,
  type AgentTestClientOptions,
  createAgentTestClient,
  createForestServerSandbox,
  type ForestServerSandbox,
} from '../../src/exports/agent-testing.ts';

const secrets = { agentForestEnvSecret: 'e'.repeat(64), agentForestAuthSecret: 'an auth secret of the test' };

let folder: string;
let sandbox: ForestServerSandbox;
let agent: EmbeddedAgent;
let options: AgentTestClientOptions;
let client: AgentTestClient;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agent-testing-'));
  const databasePath = path.join(folder, 'shop.sqlite');
  const connection = await openSqlite(databasePath);
  await seedShop(connection, await readFile(new URL('../../templates/shop/schema.sql', import.meta.url), 'utf8'), {
    customers: 30,
  });
  connection.close();

  sandbox = await createForestServerSandbox(0);
  const agentSchemaPath = path.join(folder, 'schema.json');
  agent = createAgent({
    authSecret: secrets.agentForestAuthSecret,
    envSecret: secrets.agentForestEnvSecret,
    serverUrl: sandbox.url,
    schemaPath: agentSchemaPath,
    loggerLevel: 'Error',
  })
    .addDataSource(createSqlDataSource(`sqlite:${databasePath}`))
    .customizeCollection('customers', (customers) =>
      customers.addSegment('Gold', { field: 'tier', operator: 'Equal', value: 'gold' }),
    )
    .mountOnStandaloneServer(0);
  await agent.start();
  options = {
    ...secrets,
    agentUrl: `http://127.0.0.1:${agent.standaloneServerPort}`,
    serverUrl: sandbox.url,
    agentSchemaPath,
  };
  client = await createAgentTestClient(options);
});

afterAll(async () => {
  await agent?.stop();
  await sandbox?.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the test client of an agent', () => {
  it('lists with projection, filter, sort and page', async () => {
    const orders = await client.collection('orders').list({
      fields: ['reference', 'customer@@@full_name'],
      filters: { field: 'id', operator: 'LessThan', value: 10 },
      sort: { field: 'id', ascending: false },
      pagination: { size: 2, number: 2 },
    });
    expect(orders.map(({ id }) => id)).toEqual([7, 6]);
    expect(orders[0]).toMatchObject({ reference: expect.any(String), customer: { fullName: expect.any(String) } });
  });

  it('counts a segment', async () => {
    const customers = client.collection('customers');
    const gold = await customers.list({
      filters: { field: 'tier', operator: 'Equal', value: 'gold' },
      pagination: { size: 100 },
    });
    expect(await customers.count({ segment: 'Gold' })).toBe(gold.length);
    expect(await customers.count()).toBe(30);
  });

  it('creates, reads, updates and deletes, also under a composite key', async () => {
    const categories = client.collection('categories');
    const created = await categories.create({ name: 'Boats', parent_id: 1 });
    const id = Number(created['id']);
    expect(await categories.getOne(id)).toMatchObject({ id, name: 'Boats' });
    expect(await categories.update(id, { name: 'Ships' })).toMatchObject({ name: 'Ships' });
    await categories.delete([id]);
    await expect(categories.getOne(id)).rejects.toMatchObject({ code: 'TEST_AGENT_REFUSED', details: { status: 404 } });

    const [item] = await client.collection('order_items').list({ pagination: { size: 1 } });
    const key = [Number(item?.['orderId']), Number(item?.['productId'])];
    expect(await client.collection('order_items').update(key, { quantity: 9 })).toMatchObject({ quantity: 9 });
  });

  it('tells what the agent said when it refuses', async () => {
    await expect(
      client.collection('orders').list({ filters: { field: 'nothing', operator: 'Equal', value: 1 } }),
    ).rejects.toMatchObject({
      code: 'TEST_AGENT_REFUSED',
      details: { status: 400, body: { errors: [{ status: 400 }] } },
    });
  });

  it('says which file is not a schema', async () => {
    const agentSchemaPath = path.join(folder, 'none.json');
    await expect(createAgentTestClient({ ...options, agentSchemaPath })).rejects.toMatchObject({
      code: 'TEST_SCHEMA_INVALID',
    });
    await writeFile(agentSchemaPath, '{}');
    await expect(createAgentTestClient({ ...options, agentSchemaPath })).rejects.toMatchObject({
      code: 'TEST_SCHEMA_INVALID',
      message: expect.stringContaining('none.json'),
    });
  });

  it('names an option that does not exist', async () => {
    await expect(createAgentTestClient({ ...options, timeZone: 'UTC' } as never)).rejects.toMatchObject({
      code: 'AGENT_OPTION_INVALID',
      message: expect.stringContaining('Did you mean "timezone"?'),
    });
  });

  it('says that the agent is not there', async () => {
    const absent = await createForestServerSandbox(0);
    await absent.close();
    const lonely = await createAgentTestClient({ ...options, agentUrl: absent.url });
    await expect(lonely.collection('orders').list()).rejects.toMatchObject({ code: 'TEST_AGENT_UNREACHABLE' });
  });
});

describe('permission overrides', () => {
  it('take rights away from an agent that has asked for none before, add to each other, and are cleared', async () => {
    const other = { agentForestEnvSecret: 'd'.repeat(64), agentForestAuthSecret: 'another' };
    const fresh = createAgent({
      authSecret: other.agentForestAuthSecret,
      envSecret: other.agentForestEnvSecret,
      serverUrl: sandbox.url,
      schemaPath: path.join(folder, 'other.json'),
      loggerLevel: 'Error',
    })
      .addDataSource(createSqlDataSource(`sqlite:${path.join(folder, 'shop.sqlite')}`))
      .mountOnStandaloneServer(0);
    await fresh.start();
    const restricted = await createAgentTestClient({
      ...options,
      ...other,
      agentUrl: `http://127.0.0.1:${fresh.standaloneServerPort}`,
      agentSchemaPath: path.join(folder, 'other.json'),
    });
    await restricted.overrideCollectionPermission('coupons', { deleteEnabled: false });
    await restricted.overrideCollectionPermission('products', { browseEnabled: false });
    try {
      await expect(restricted.collection('products').list()).rejects.toMatchObject({ details: { status: 403 } });
      await expect(restricted.collection('coupons').delete(['WELCOME10'])).rejects.toMatchObject({
        details: { status: 403 },
      });
      expect((await restricted.collection('coupons').list()).length).toBe(5);
      const http = createHttp({ clock: systemClock, random: systemRandom });
      const platform = createPlatformClient({
        serverUrl: sandbox.url,
        http,
        credentials: { envSecret: other.agentForestEnvSecret },
      });
      expect(await platform.environmentPermissions()).not.toBe(true);
      await restricted.clearPermissionOverride();
      expect(await platform.environmentPermissions()).toBe(true);
      await http.close();
    } finally {
      await fresh.stop();
    }
  });

  it('are replaced by those that a client of another language sends, none of them included', async () => {
    const headers = { 'service-secret-key': secrets.agentForestEnvSecret, 'content-type': 'application/json' };
    const address = `${sandbox.url}/permission-override`;
    const send = async (overrides: object) => {
      const { status } = await fetch(address, { method: 'POST', headers, body: JSON.stringify(overrides) });
      expect(status).toBe(200);
      return (await fetch(address, { headers })).json();
    };
    const products = { products: { collection: { browseEnabled: false } } };
    const coupons = { coupons: { collection: { deleteEnabled: false } } };
    expect(await send(products)).toEqual(products);
    expect(await send(coupons)).toEqual(coupons);
    expect(await send({})).toEqual({});
  });
});

describe('the sandbox of a test', () => {
  it('forgets everything when it is closed, and can be closed twice', { tags: 'long' }, async () => {
    const first = await createForestServerSandbox(0);
    await first.close();
    await first.close();
    const again = await createForestServerSandbox(first.port);
    expect(again.port).toBe(first.port);
    await expect(createForestServerSandbox(first.port)).rejects.toMatchObject({ code: 'MACHINE_PORT_IN_USE' });
    await again.close();
  });
});
