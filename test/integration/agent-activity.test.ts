import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import type { RecordStore } from '#runtime/data-sources/interface/data-source';
import {
  type AgentOptions,
  createMemoryDataSource,
  createSqlDataSource,
  type DataSource,
  type EmbeddedAgent,
} from '../../src/exports/agent.ts';
import { createMemoryPlatform } from '../helpers/activity-outbox.ts';
import { startActivityProxy } from '../helpers/activity-proxy.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { eventually } from '../helpers/eventually.ts';
import { openResponse } from '../helpers/open-response.ts';
import { call } from '../helpers/rest-call.ts';
import { startShopAgent } from '../helpers/shop-agent.ts';
import { readStoredActivities } from '../helpers/stored-activities.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

async function setUp() {
  const shop = await createEmbeddedShop();
  const proxy = await startActivityProxy(shop.sandbox.url);
  const start = async (options: Partial<AgentOptions> = {}) => {
    const agent = shop.newAgent({ serverUrl: proxy.url, ...options });
    agent
      .addDataSource(createSqlDataSource(shop.databaseUri))
      .customizeCollection('orders', (orders) =>
        orders
          .addAction('Refund', { scope: 'Bulk', execute: (_context, result) => result.error('too late') })
          .addAction('Tidy up', { scope: 'Global', execute: () => undefined }),
      )
      .mountOnStandaloneServer(0);
    await agent.start();
    return agent;
  };
  const ask = (agent: EmbeddedAgent, target: string, method = 'GET', body?: unknown) =>
    call({ agentUrl: `http://127.0.0.1:${agent.standaloneServerPort}/service`, token: shop.token }, target, {
      method,
      body,
    });
  /** What the platform has stored. */
  const stored = () => readStoredActivities(path.join(shop.folder, 'store.sqlite'));
  return { ...shop, proxy, start, ask, stored };
}

const selection = (...ids: readonly string[]) => ({ data: { attributes: { ids } } });
const records = [
  { type: 'read', action: 'index', collection: 'orders', recordIds: [], recordCount: null, status: 'completed' },
  { type: 'write', action: 'create', collection: 'customers', recordIds: ['3'], recordCount: 1, status: 'completed' },
  {
    type: 'write',
    action: 'action',
    label: 'Refund',
    collection: 'orders',
    recordIds: ['1', '2'],
    recordCount: 2,
    status: 'failed',
  },
];

function starSource(): DataSource {
  return createMemoryDataSource([
    {
      name: 'galaxies',
      schema: { columns: [{ name: 'id', type: 'Number' }], primaryKey: ['id'] },
      records: [{ id: 7 }],
    },
    {
      name: 'stars',
      schema: {
        columns: [
          { name: 'id', type: 'Number' },
          { name: 'galaxy_id', type: 'Number' },
        ],
        primaryKey: ['id'],
      },
      records: [1, 2, 3].map((id) => ({ id, galaxy_id: 7 })),
    },
  ]);
}

/** The same data source, made by somebody whose writes tell no keys. */
function withoutKeys(source: DataSource): DataSource {
  const { extendedBy: _extendedBy, tellsKeys: _tellsKeys, ...own } = source;
  const mute = ({ tellsKeys: _tellsKeys, ...store }: RecordStore): RecordStore => ({
    ...store,
    update: (collection, where, patch, context) => store.update(collection, where, patch, context),
    delete: (collection, where, context) => store.delete(collection, where, context),
  });
  return {
    ...own,
    ...mute(own),
    transaction: (work, context) => own.transaction((store) => work(mute(store)), context),
  };
}

/** A list, a write, and an action that fails. */
async function work({ ask }: Pick<Awaited<ReturnType<typeof setUp>>, 'ask'>, agent: EmbeddedAgent): Promise<void> {
  expect((await ask(agent, '/orders')).status).toBe(200);
  const created = await ask(agent, '/customers', 'POST', { data: { attributes: { name: 'Ada', country: 'GB' } } });
  expect(created.status).toBe(200);
  expect((await ask(agent, '/_actions/orders/0/refund', 'POST', selection('1', '2'))).status).toBe(400);
}

describe('a report of what somebody did through the REST API', () => {
  it('reaches the platform once, with who did it and how it ended', async () => {
    const shop = await setUp();
    const agent = await shop.start();
    await work(shop, agent);
    await eventually(async () => expect(await shop.stored()).toMatchObject(records));
    const [first] = await shop.stored();
    expect(first).toMatchObject({ user: { id: 7 }, renderingId: 3 });
    expect(new Set((await shop.stored()).map(({ correlationId }) => correlationId)).size).toBe(3);
  });

  it('has names and ids, never values', async () => {
    const shop = await setUp();
    const agent = await shop.start();
    const filters = encodeURIComponent(JSON.stringify({ field: 'status', operator: 'equal', value: 'draft' }));
    const asked: [target: string, method?: string, body?: unknown][] = [
      ['/orders?search=hidden'],
      [`/orders?filters=${filters}`],
      ['/orders/1'],
      ['/orders/4/relationships/lines'],
      ['/orders.csv?fields[orders]=id&header=Id'],
      ['/customers/1/relationships/orders.csv?fields[orders]=id&header=Id'],
      ['/customers/2/relationships/orders', 'POST', { data: [{ type: 'orders', id: '4' }] }],
      ['/customers/1', 'PUT', { data: { attributes: { name: 'Xylophone' } } }],
      ['/lines/4|ab', 'PUT', { data: { attributes: { quantity: 5 } } }],
      ['/orders/3/relationships/customer', 'PUT', { data: { type: 'customers', id: '1' } }],
      ['/lines', 'DELETE', selection('4|ab')],
      ['/lines', 'DELETE', { data: { attributes: { all_records: true, all_records_ids_excluded: ['1|ab'] } } }],
      ['/_actions/orders/1/tidy-up', 'POST', selection('1')],
      ['/orders/none'],
      // None of these is reported.
      ['/orders/count'],
      ['/nothing'],
      ['/orders', 'HEAD'],
    ];
    const statuses: number[] = [];
    for (const [target, method, body] of asked) statuses.push((await shop.ask(agent, target, method, body)).status);
    await agent.stop();
    const stored = await shop.stored();
    const told = stored.map(({ action, label, collection, recordIds, recordCount, status }) =>
      [action, collection, label ?? '-', recordIds.join(' ') || '-', String(recordCount), status].join(' '),
    );
    expect(told).toMatchInlineSnapshot(`
      [
        "search orders - - null completed",
        "filter orders - - null completed",
        "read orders - 1 1 completed",
        "listRelatedData orders lines 4 1 completed",
        "export orders - - 4 completed",
        "export customers orders 1 1 completed",
        "update customers associate orders 2 1 completed",
        "update orders associate orders of customers 4 1 completed",
        "update customers - 1 1 completed",
        "update lines - 4|ab 1 completed",
        "update orders link customer 3 1 completed",
        "delete lines - 4|ab 1 completed",
        "delete lines - 4|a|b 1 completed",
        "action orders Tidy up - 0 completed",
        "read orders - none 1 failed",
      ]
    `);
    expect(JSON.stringify(stored)).not.toMatch(/hidden|draft|Xylophone/);
    expect(statuses.join(' ')).toMatchInlineSnapshot(
      `"200 200 200 200 200 200 204 200 200 204 204 204 200 400 200 404 200"`,
    );
  });

  it.each([
    ['is renamed', (source: DataSource) => source, 'suns'],
    ['tells no keys', withoutKeys, 'stars'],
  ])('names the records of a selection of all where the data source %s', async (_what, change, name) => {
    const shop = await setUp();
    const agent = shop.newAgent({ serverUrl: shop.proxy.url });
    agent
      .addDataSource(async () => change(starSource()), { rename: { stars: name } })
      .customizeCollection('galaxies', (galaxies) =>
        galaxies.addOneToManyRelation('parts', name, { originKey: 'galaxy_id' }),
      )
      .mountOnStandaloneServer(0);
    await agent.start();
    const all = (excluded: string) => ({
      data: { attributes: { all_records: true, all_records_ids_excluded: [excluded] } },
    });
    expect((await shop.ask(agent, '/galaxies/7/relationships/parts', 'DELETE', all('1'))).status).toBe(204);
    expect((await shop.ask(agent, `/${name}`, 'DELETE', all('2'))).status).toBe(204);
    await agent.stop();
    expect(shop.proxy.entries).toMatchObject([
      { action: 'update', collection: 'galaxies', recordIds: ['7'] },
      { action: 'update', collection: name, recordIds: ['2', '3'], label: 'dissociate parts of galaxies' },
      { action: 'delete', collection: name, recordIds: ['1', '3'], recordCount: 2 },
    ]);
  });

  it('is sent for a file whose reader has gone before the agent stops, however long the file takes to end', async () => {
    const shop = await setUp();
    const agent = shop.newAgent({ serverUrl: shop.proxy.url });
    const held = Promise.withResolvers<void>();
    let batches = 0;
    agent
      .addDataSource(createSqlDataSource(shop.databaseUri))
      .customizeCollection('orders', (orders) =>
        orders.addField('wide', {
          columnType: 'String',
          dependencies: ['id'],
          getValues: async (batch) => {
            if (++batches > 1) await held.promise;
            return batch.map(() => 'x'.repeat(1_000));
          },
        }),
      )
      .mountOnStandaloneServer(0);
    await agent.start();
    const connection = await openSqlite(shop.databaseUri.replace('sqlite:', ''));
    connection.execute(
      `insert into orders with recursive n(i) as (select 100 union all select i + 1 from n where i < 5000)
       select i, 'N-' || i, 'paid', 1, null, 1 from n`,
    );
    connection.close();
    const url = `http://127.0.0.1:${agent.standaloneServerPort}/service/orders.csv`;
    const response = await openResponse(`${url}?timezone=UTC&fields[orders]=wide&header=W`, shop.token);
    response.on('error', () => undefined).resume();
    await eventually(() => expect(batches).toBeGreaterThan(1));
    response.destroy();
    await agent.stop();
    expect(await shop.stored()).toMatchObject([{ action: 'export', collection: 'orders', status: 'failed' }]);
    held.resolve();
  });

  it('arrives later when the platform is down at first, and once when an answer is lost', {
    tags: 'long',
  }, async () => {
    const shop = await setUp();
    const agent = await shop.start();
    shop.proxy.mode = 'down';
    await work(shop, agent);
    await eventually(() => expect(shop.proxy.reports).toBeGreaterThan(0));
    expect(await shop.stored()).toEqual([]);
    shop.proxy.mode = 'answer lost';
    await eventually(async () => expect(await shop.stored()).toMatchObject(records));
    const reports = shop.proxy.reports;
    shop.proxy.mode = 'open';
    await eventually(() => expect(shop.proxy.reports).toBeGreaterThan(reports));
    await agent.stop();
    expect(await shop.stored()).toHaveLength(3);
  });

  it('arrives when the agent was started again in between', async () => {
    const shop = await setUp();
    const first = await shop.start();
    shop.proxy.mode = 'down';
    await work(shop, first);
    await first.stop();
    expect(await shop.stored()).toEqual([]);
    shop.proxy.mode = 'open';
    const second = await shop.start();
    await eventually(async () => expect(await shop.stored()).toMatchObject(records));
    await second.stop();
    const left = await readdir(path.join(shop.folder, '.service-activity'), { recursive: true });
    expect(left.map((name) => path.basename(name))).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), '.gitignore']);
  });

  it('delays nobody while the platform does not answer', async () => {
    const shop = await setUp();
    const agent = await shop.start();
    shop.proxy.mode = 'hanging';
    await work(shop, agent);
    await eventually(() => expect(shop.proxy.reports).toBe(1));
    // The report goes on waiting while these are answered.
    for (let request = 0; request < 300; request++) expect((await shop.ask(agent, '/orders/1')).status).toBe(200);
    expect(shop.proxy.reports).toBe(1);
    shop.proxy.mode = 'open';
    shop.proxy.cut();
  });

  it('is sent by the agent of a project too', async () => {
    const platform = createMemoryPlatform();
    const activity = { platform, serverUrl: 'https://platform.test', folder: await temporaryFolder() };
    const agent = await startShopAgent(undefined, { activity });
    await call(agent, '/orders');
    await agent.runtime.stop(5_000);
    expect(platform.stored).toMatchObject([{ action: 'index', collection: 'orders', status: 'completed' }]);
  });

  it('is not made when the outbox is off', async () => {
    const shop = await setUp();
    const agent = await shop.start({ activityOutbox: false });
    await work(shop, agent);
    await agent.stop();
    expect(shop.proxy.reports).toBe(0);
    expect(await readdir(shop.folder)).not.toContain('.service-activity');
  });

  it('keeps a write from happening where it is required and cannot be made', async () => {
    const shop = await setUp();
    const { databaseUri } = shop;
    // A file is not a place for a folder.
    const folder = path.join(databaseUri.replace('sqlite:', ''), 'below');
    const agent = await shop.start({ activityOutbox: { folder }, activityRequired: true });
    const refused = await shop.ask(agent, '/customers', 'POST', { data: { attributes: { name: 'Ada' } } });
    expect(refused).toMatchObject({ status: 503, json: { errors: [{ code: 'ACTIVITY_NOT_RECORDED' }] } });
    expect((await shop.ask(agent, '/customers/count')).json).toEqual({ count: 2 });
    await agent.stop();
    const willing = await shop.start({ activityRequired: true });
    await work(shop, willing);
    await willing.stop();
    expect((await shop.stored()).slice(-3)).toMatchObject(records);
  });
});
