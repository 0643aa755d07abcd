import { MongoClient, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMongoDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { startMongoPeer } from '../helpers/mingo/mongo-peer.ts';
import { type CallOptions, call } from '../helpers/rest-call.ts';

const [ada, bob] = [new ObjectId('000000000000000000000001'), new ObjectId('000000000000000000000002')];
const [pen, ink] = [new ObjectId('0000000000000000000000c1'), new ObjectId('0000000000000000000000c2')];

interface Resource {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

describe('an agent on MongoDB', () => {
  let peer: Awaited<ReturnType<typeof startMongoPeer>>;
  beforeAll(async () => {
    peer = await startMongoPeer();
    const client = new MongoClient(peer.uri);
    const shop = client.db('shop');
    await shop.collection('customers').insertMany([
      { _id: ada, name: 'Ada', address: { city: 'Paris' }, joined: new Date('2024-05-15T10:00:00Z') },
      { _id: bob, name: 'Bob', address: { city: 'Rome' }, joined: new Date('2024-06-01T10:00:00Z') },
    ]);
    await shop.collection<{ _id: number }>('orders').insertMany([
      {
        _id: 1,
        customerId: ada,
        items: [
          { _id: pen, sku: 'pen', price: 2 },
          { _id: ink, sku: 'ink', price: 3 },
        ],
      } as { _id: number },
      { _id: 2, customerId: bob, items: [{ _id: pen, sku: 'pen', price: 4 }] } as { _id: number },
    ]);
    await client.close();
  });
  afterAll(() => peer.stop());

  async function serve() {
    const { agent, token } = await createEmbeddedShop();
    agent.addDataSource(createMongoDataSource(peer.uri));
    agent.customizeCollection('orders_items', (items) =>
      items.addField('label', {
        columnType: 'String',
        expression: { concat: [{ field: 'sku' }, { value: ' of ' }, { field: 'parent:customer:name' }] },
      }),
    );
    agent.mountOnStandaloneServer(0);
    await agent.start();
    const agentUrl = `http://127.0.0.1:${agent.standaloneServerPort}/service`;
    const request = async (target: string, options: CallOptions = {}) => {
      const { status, json } = await call({ agentUrl, token }, target, { timezone: 'UTC', ...options });
      return { status, data: (json as { data?: readonly Resource[] & Resource })?.data, json };
    };
    return { agent, request };
  }

  it('lists, filters through relations and searches', async () => {
    const { agent, request } = await serve();
    const ids = async (target: string) => (await request(target)).data?.map(({ id }) => id);
    const inParis = JSON.stringify({ field: 'customer:address@@@city', operator: 'equal', value: 'Paris' });
    expect(await ids(`/orders?filters=${encodeURIComponent(inParis)}`)).toEqual(['1']);
    expect(await ids('/customers?search=bo')).toEqual([bob.toHexString()]);
    expect(await ids(`/customers?search=${ada.toHexString()}`)).toEqual([ada.toHexString()]);
    expect(await ids('/orders/1/relationships/orders_items?sort=-price')).toEqual([
      `1.items.${ink.toHexString()}`,
      `1.items.${pen.toHexString()}`,
    ]);
    await agent.stop();
  });

  it('creates, changes and deletes documents and elements', async () => {
    const { agent, request } = await serve();
    const body = (type: string, attributes: object, id?: string) => ({ body: { data: { type, id, attributes } } });
    const created = await request('/customers', {
      method: 'POST',
      ...body('customers', { name: 'Cy', 'address@@@city': 'Oslo' }),
    });
    const id = created.data?.id ?? '';
    expect([created.status, id]).toEqual([200, expect.stringMatching(/^[0-9a-f]{24}$/)]);
    await request(`/customers/${id}`, { method: 'PUT', ...body('customers', { 'address@@@city': 'Bergen' }, id) });
    const changed = await request(`/customers/${id}`);
    expect(changed.data?.attributes).toMatchObject({ name: 'Cy', 'address@@@city': 'Bergen' });

    const element = `1.items.${pen.toHexString()}`;
    await request(`/orders_items/${element}`, { method: 'PUT', ...body('orders_items', { price: 9 }, element) });
    const read = await request(`/orders_items/${element}`);
    expect(read.data?.attributes).toMatchObject({ sku: 'pen', price: 9 });
    expect((await request(`/customers/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await request(`/customers/${id}`)).status).toBe(404);
    await agent.stop();
  });

  it('works out expressions of customizations, and draws charts', async () => {
    const { agent, request } = await serve();
    const listed = await request('/orders_items?fields[orders_items]=label&sort=sku');
    expect(listed.data?.map(({ attributes }) => attributes['label'])).toEqual([
      'ink of Ada',
      'pen of Ada',
      'pen of Bob',
    ]);
    const chart = {
      type: 'Line',
      sourceCollectionName: 'customers',
      groupByFieldName: 'joined',
      timeRange: 'Month',
      aggregator: 'Count',
      timezone: 'UTC',
    };
    const { json } = await request('/stats/customers', { method: 'POST', body: chart });
    expect(json).toMatchObject({
      data: {
        attributes: {
          value: [
            { label: 'May 24', values: { value: 1 } },
            { label: 'Jun 24', values: { value: 1 } },
          ],
        },
      },
    });
    await agent.stop();
  });
});
