import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { call as callAgent } from '../helpers/rest-call.ts';
import { platformOfRole } from '../helpers/role-platform.ts';
import { call, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const count = { aggregator: 'Count', aggregateFieldName: null };
const total = { aggregator: 'Sum', aggregateFieldName: 'total' };
const leaf = (field: string, operator: string, value: unknown = null) => ({ field, operator, value });

function stats(agent: ShopAgent, collection: string, chart: unknown) {
  return call(agent, `/stats/${collection}`, { method: 'POST', body: chart });
}

async function shown(agent: ShopAgent, collection: string, chart: unknown): Promise<unknown> {
  const { json, status } = await stats(agent, collection, chart);
  expect(json, JSON.stringify(json)).toMatchObject({ data: { type: 'stats' } });
  expect(status).toBe(200);
  return (json as { data: { attributes: { value: unknown } } }).data.attributes.value;
}

async function execute({ databaseUri }: Pick<ShopAgent, 'databaseUri'>, sql: string): Promise<void> {
  const connection = await openSqlite(databaseUri.replace('sqlite:', ''));
  connection.execute(sql);
  connection.close();
}

describe('charts over records', () => {
  it('count and add up, what a filter leaves', async () => {
    const agent = await startShopAgent();
    expect(await shown(agent, 'orders', { type: 'Value', ...count })).toEqual({ countCurrent: 4 });
    expect(await shown(agent, 'orders', { type: 'Value', ...total })).toEqual({ countCurrent: 70.5 });
    const paid = leaf('status', 'equal', 'paid');
    expect(await shown(agent, 'orders', { type: 'Objective', ...total, filter: paid })).toEqual({ value: 50.5 });
    const chart = { type: 'Value', ...count, filter: paid, filters: JSON.stringify(leaf('status', 'equal', 'draft')) };
    expect(await shown(agent, 'orders', chart)).toEqual({ countCurrent: 2 });
    const nothing = { type: 'Value', aggregator: 'Max', aggregateFieldName: 'total', filter: leaf('id', 'equal', 99) };
    expect(await shown(agent, 'orders', nothing)).toEqual({ countCurrent: 0 });
  });

  it.each(['Min', 'Max'])('refuse %s of documents, which have no order', async (aggregator) => {
    const agent = await startShopAgent(undefined, {}, 'create table notes (id integer primary key, content json);');
    const chart = { type: 'Value', aggregator, aggregateFieldName: 'content' };
    const { status, text } = await stats(agent, 'notes', chart);
    expect([status, text]).toEqual([400, expect.stringContaining(`${aggregator} needs values that have an order`)]);
  });

  it('refuse a pie with more shares than the limit', async () => {
    const agent = await startShopAgent();
    await execute(
      agent,
      `insert into orders with recursive n(i) as (select 1 union all select i + 1 from n where i < 10001)
       select 1000 + i, 'D-' || i, 'draft', 1, null, 1 from n`,
    );
    const answer = await stats(agent, 'orders', { type: 'Pie', ...count, groupByFieldName: 'ref' });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('10000')]);
  });

  it('compare with the time before, when the filter is about nothing else', async () => {
    const agent = await startShopAgent();
    await execute(
      agent,
      `insert into orders select 100 + value, 'D-' || value, 'draft', 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || value || ' days'), 1
       from json_each('[0, 1, 1, 2, 3, 4, 5, 6, 7]') group by value`,
    );
    const days = leaf('placed_at', 'previous_x_days', 3);
    expect(await shown(agent, 'orders', { type: 'Value', ...count, filter: days })).toEqual({
      countCurrent: 3,
      countPrevious: 3,
    });
    const today = leaf('placed_at', 'today');
    expect(await shown(agent, 'orders', { type: 'Value', ...count, filter: today })).toEqual({
      countCurrent: 1,
      countPrevious: 1,
    });
    const both = { aggregator: 'and', conditions: [today, leaf('status', 'equal', 'draft')] };
    expect(await shown(agent, 'orders', { type: 'Value', ...count, filter: both })).toEqual({ countCurrent: 1 });
  });

  it('share out by a field, of a related record too', async () => {
    const agent = await startShopAgent();
    const byStatus = { type: 'Pie', ...total, groupByFieldName: 'status' };
    expect(await shown(agent, 'orders', byStatus)).toEqual([
      { key: 'paid', value: 50.5 },
      { key: 'draft', value: 20 },
    ]);
    const byName = { type: 'Pie', ...count, groupByFieldName: 'customer:name' };
    expect(await shown(agent, 'orders', byName)).toEqual([
      { key: 'Zed', value: 2 },
      { key: null, value: 1 },
      { key: 'Ünal', value: 1 },
    ]);
  });

  it('run over time without gaps', async () => {
    const agent = await startShopAgent();
    const line = (timeRange: string) => ({ type: 'Line', ...count, groupByFieldName: 'placed_at', timeRange });
    await execute(agent, "update orders set placed_at = '2024-07-01T10:00:00.000Z' where id = 4");
    expect(await shown(agent, 'orders', line('Month'))).toEqual([
      { label: 'Apr 24', values: { value: 1 } },
      { label: 'May 24', values: { value: 1 } },
      { label: 'Jun 24', values: { value: 0 } },
      { label: 'Jul 24', values: { value: 1 } },
    ]);
    const quarters = [
      { label: 'Q2-2024', values: { value: 2 } },
      { label: 'Q3-2024', values: { value: 1 } },
    ];
    expect(await shown(agent, 'orders', line('Quarter'))).toEqual(quarters);
    await execute(agent, "update orders set placed_at = '9999-07-01T10:00:00.000Z' where id = 4");
    const { status, json } = await stats(agent, 'orders', line('Day'));
    expect([status, json]).toMatchObject([422, { errors: [{ data: { field: 'placed_at' } }] }]);
  });

  it('rank records by what is related to them', async () => {
    const agent = await startShopAgent();
    const board = {
      type: 'Leaderboard',
      ...total,
      labelFieldName: 'name',
      relationshipFieldName: 'orders',
      limit: '1',
    };
    expect(await shown(agent, 'customers', board)).toEqual([{ key: 'Zed', value: 30.5 }]);
    const counted = { ...board, ...count, limit: 5 };
    expect(await shown(agent, 'customers', counted)).toEqual([
      { key: 'Zed', value: 2 },
      { key: 'Ünal', value: 1 },
    ]);
    const german = { ...counted, filter: leaf('country', 'equal', 'DE') };
    expect(await shown(agent, 'customers', german)).toEqual([{ key: 'Ünal', value: 1 }]);
    const refused = await stats(agent, 'customers', { ...board, relationshipFieldName: 'name' });
    expect(refused.status).toBe(400);
  });

  it('rank through a collection in between', async () => {
    const agent = await startShopAgent(undefined, {}, tagging);
    const board = { type: 'Leaderboard', labelFieldName: 'ref', relationshipFieldName: 'tags', limit: 5 };
    expect(await shown(agent, 'orders', { ...board, ...count })).toEqual([
      { key: 'A-1', value: 2 },
      { key: 'A-2', value: 1 },
    ]);
    const weights = { ...board, aggregator: 'Sum', aggregateFieldName: 'weight' };
    expect(await shown(agent, 'orders', weights)).toEqual([
      { key: 'A-1', value: 7 },
      { key: 'A-2', value: 4 },
    ]);
  });

  it('add up records that share a label, also through a collection in between', async () => {
    const agent = await startShopAgent(undefined, {}, tagging);
    await execute(agent, "update customers set country = 'FR'; update orders set status = 'paid';");
    const board = { type: 'Leaderboard', ...count, labelFieldName: 'country', relationshipFieldName: 'orders' };
    expect(await shown(agent, 'customers', board)).toEqual([{ key: 'FR', value: 3 }]);
    expect(await shown(agent, 'customers', { ...board, labelFieldName: 'id' })).toEqual([
      { key: 1, value: 2 },
      { key: 2, value: 1 },
    ]);
    const tagged = { ...board, labelFieldName: 'status', relationshipFieldName: 'tags' };
    expect(await shown(agent, 'orders', tagged)).toEqual([{ key: 'paid', value: 3 }]);
  });

  it('rank a relation into another database, once relations lead from the collection in between to both ends', async () => {
    const shop = await createEmbeddedShop();
    const storage = path.join(shop.folder, 'people.sqlite');
    await execute({ databaseUri: `sqlite:${storage}` }, 'create table people (id integer primary key, name text)');
    await execute({ databaseUri: `sqlite:${storage}` }, "insert into people values (1, 'A'), (2, 'B')");
    await execute(
      shop,
      'create table seats (order_id integer references orders (id), person integer, primary key (order_id, person))',
    );
    await execute(shop, 'insert into seats values (1, 1), (1, 2), (2, 2), (2, 3)');
    const ranked = async (isWhole: boolean) => {
      const agent = shop.newAgent({ serverUrl: shop.sandbox.url });
      agent.addDataSource(createSqlDataSource(shop.databaseUri));
      agent.addDataSource(createSqlDataSource({ dialect: 'sqlite', storage }));
      agent.customizeCollection('orders', (orders) =>
        orders.addManyToManyRelation('people', 'people', 'seats', { originKey: 'order_id', foreignKey: 'person' }),
      );
      agent.customizeCollection('seats', (seats) => {
        if (isWhole) seats.addManyToOneRelation('sitter', 'people', { foreignKey: 'person' });
      });
      await agent.mountOnStandaloneServer(0).start();
      const body = { type: 'Leaderboard', ...count, labelFieldName: 'ref', relationshipFieldName: 'people' };
      const agentUrl = `http://127.0.0.1:${agent.standaloneServerPort}/service`;
      return callAgent({ agentUrl, token: shop.token }, '/stats/orders', { method: 'POST', body });
    };
    expect(await ranked(false)).toMatchObject({
      status: 400,
      text: expect.stringMatching(/no relation of ..seats.. leads to ..people.. by ..person...*addManyToOneRelation/s),
    });
    expect(await ranked(true)).toMatchObject({
      status: 200,
      json: {
        data: {
          attributes: {
            value: [
              { key: 'A-1', value: 2 },
              { key: 'A-2', value: 1 },
            ],
          },
        },
      },
    });
  });

  it('share out by a relation, which stands for its key', async () => {
    const agent = await startShopAgent();
    const byCustomer = { type: 'Pie', ...count, groupByFieldName: 'customer' };
    expect(await shown(agent, 'orders', byCustomer)).toEqual(
      await shown(agent, 'orders', { ...byCustomer, groupByFieldName: 'customer_id' }),
    );
  });

  it('have variables in their filter, of the caller and of the request', async () => {
    const agent = await startShopAgent();
    const chart = {
      type: 'Value',
      ...count,
      filter: leaf('customer_id', 'equal', '{{id}}'),
      contextVariables: { id: 2 },
    };
    expect(await shown(agent, 'orders', chart)).toEqual({ countCurrent: 1 });
    const mine = { type: 'Value', ...count, filter: leaf('name', 'equal', '{{currentUser.firstName}}') };
    expect(await shown(agent, 'customers', mine)).toEqual({ countCurrent: 0 });
    const { status, text } = await stats(agent, 'orders', { ...chart, contextVariables: {} });
    expect([status, text]).toEqual([400, expect.stringContaining('The variable \\"id\\" has no value.')]);
  });

  it.each([
    ['type', { ...count }],
    ['type', { type: 'Percentage', ...count }],
    ['aggregator', { type: 'Value', aggregator: 'Median' }],
    ['Sum', { type: 'Value', aggregator: 'Sum' }],
    ['Sum', { type: 'Value', aggregator: 'Sum', aggregateFieldName: 'ref' }],
    ['nope', { type: 'Value', aggregator: 'Sum', aggregateFieldName: 'nope' }],
    ['groupByFieldName', { type: 'Pie', ...count }],
    ['timeRange', { type: 'Line', ...count, groupByFieldName: 'placed_at', timeRange: 'Hour' }],
    ['ref', { type: 'Line', ...count, groupByFieldName: 'ref', timeRange: 'Day' }],
    ['filters', { type: 'Value', ...count, filter: 'no JSON' }],
    ['filters', { type: 'Value', ...count, filter: leaf('nope', 'equal', 1) }],
    ['labelFieldName', { type: 'Leaderboard', ...count, relationshipFieldName: 'lines' }],
    ['limit', { type: 'Leaderboard', ...count, labelFieldName: 'ref', relationshipFieldName: 'lines', limit: -1 }],
  ])('refuse what is not a chart, naming %s', async (word, chart) => {
    const agent = await startShopAgent();
    const { status, text } = await stats(agent, 'orders', chart);
    expect([status, text]).toEqual([400, expect.stringContaining(word)]);
  });

  it('show a user the charts of their view only, and nothing that they may not read', async () => {
    const chart = { type: 'Value', ...count, sourceCollectionName: 'orders', filter: leaf('status', 'equal', 'paid') };
    const board = {
      type: 'Leaderboard',
      ...count,
      sourceCollectionName: 'customers',
      labelFieldName: 'name',
      relationshipFieldName: 'orders',
    };
    const byName = { type: 'Pie', ...count, sourceCollectionName: 'orders', groupByFieldName: 'customer:name' };
    const agent = await startShopAgent(undefined, {
      platform: platformOfRole({
        rights: { orders: { browseEnabled: true }, customers: { browseEnabled: true } },
        scopes: { customers: leaf('country', 'equal', 'DE') },
        stats: [chart, board, byName],
      }),
    });
    expect(await shown(agent, 'orders', chart)).toEqual({ countCurrent: 2 });
    const others = [
      await stats(agent, 'orders', { ...chart, filter: leaf('status', 'equal', 'draft') }),
      await stats(agent, 'orders', { ...chart, filters: leaf('status', 'equal', 'draft') }),
      await stats(agent, 'customers', chart),
      // The names of customers may not be read.
      await stats(agent, 'orders', byName),
      await stats(agent, 'customers', board),
    ];
    expect(others.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  });

  it('rank only the records of the caller’s scope', async () => {
    const board = {
      type: 'Leaderboard',
      ...count,
      sourceCollectionName: 'customers',
      labelFieldName: 'name',
      relationshipFieldName: 'orders',
    };
    const all = { browseEnabled: true, readEnabled: true };
    const agent = await startShopAgent(undefined, {
      platform: platformOfRole({
        rights: { orders: all, customers: all },
        scopes: { customers: leaf('country', 'equal', 'DE') },
        stats: [board],
      }),
    });
    expect(await shown(agent, 'customers', board)).toEqual([{ key: 'Ünal', value: 1 }]);
  });
});

const tagging = `
  create table tags (id integer primary key, name text, weight integer);
  create table order_tags (order_id integer references orders (id), tag_id integer references tags (id), primary key (order_id, tag_id));
  insert into tags values (1, 'a', 3), (2, 'b', 4);
  insert into order_tags values (1, 1), (1, 2), (2, 2);
`;
