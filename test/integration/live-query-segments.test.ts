import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestFixtures } from '../../src/exports/agent-testing.ts';
import { openShopTestAgent, type ShopTestAgent } from '../helpers/shop-test-agent.ts';

const caller = 'ada@example.test';
const listed = 'select id from orders where id = 1';
const fixtures: TestFixtures = {
  roles: { callers: { collections: { orders: { browse: true, delete: true } } } },
  teams: { North: { collections: { orders: { segments: [{ connection: 'main', query: listed }] } } } },
  users: [{ email: caller, role: 'callers', team: 'North', permissionLevel: 'user' }],
};

describe('a segment that is a query of the database', () => {
  let shop: ShopTestAgent;
  beforeAll(async () => {
    shop = await openShopTestAgent({ sqlOptions: { liveQueryConnections: 'main' }, fixtures });
  });
  afterAll(() => shop?.close());
  const segment = (query: string, connectionName = 'main', client = shop.client) =>
    client.collection('orders').liveQuerySegment({ connectionName, query });

  it('restricts lists, counts and exports', async () => {
    const paid = segment("select id from orders where status = 'paid'");
    expect(await paid.list({ sort: { field: 'id', ascending: true } })).toMatchObject([{ id: 1 }, { id: 4 }]);
    expect(await paid.count()).toBe(2);
    expect(await paid.exportCsvText({ fields: ['ref'] })).toBe('ref\nA-1\nA-4\n');
  });

  it('finds records of composite keys, and binds who calls', async () => {
    const query = 'select order_id, sku from lines where order_id = 4 and {{currentUser.id}} > 0';
    const lines = shop.client.collection('lines').liveQuerySegment({ connectionName: 'main', query });
    expect(await lines.list({ fields: ['sku', 'quantity'], sort: { field: 'sku', ascending: true } })).toMatchObject([
      { sku: 'ab' },
      { sku: 'a|b' },
    ]);
  });

  it.each([
    ['no connection', 'select id from orders', ''],
    ['an unknown connection', 'select id from orders', 'other'],
    ['no key', 'select ref from orders', 'main'],
    ['a write', 'delete from orders returning id', 'main'],
    ['an error', 'select nope', 'main'],
  ])('is refused with %s', async (_case, query, connectionName) => {
    await expect(segment(query, connectionName).list()).rejects.toMatchObject({ status: 422 });
  });

  it('is run only for people whose team lists it, in a selection too', async () => {
    const client = shop.client.as(caller);
    expect(await segment(listed, 'main', client).list()).toMatchObject([{ id: 1 }]);
    const forbidden = { status: 403 };
    await expect(segment('select id from orders', 'main', client).list()).rejects.toMatchObject(forbidden);
    const liveQuery = { connectionName: 'main', query: 'select id from orders' };
    await expect(client.collection('orders').deleteAll({ liveQuery })).rejects.toMatchObject(forbidden);
    expect(await client.collection('orders').count()).toBe(4);
  });

  it('selects what is deleted', async () => {
    const liveQuery = { connectionName: 'main', query: "select id from orders where ref = 'A-2'" };
    await shop.client.collection('orders').deleteAll({ liveQuery });
    const left = await shop.client.collection('orders').list({ sort: { field: 'id', ascending: true } });
    expect(left.map(({ id }) => id)).toEqual([1, 3, 4]);
  });
});
