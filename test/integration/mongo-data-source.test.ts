import { MongoClient, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMongoDataSource } from '../../src/exports/agent.ts';
import { startTestAgent, type TestAgent } from '../../src/exports/agent-testing.ts';
import type { Agent } from '../../src/exports/index.ts';
import { startMongoPeer } from '../helpers/mingo/mongo-peer.ts';

const [ada, bob] = [new ObjectId('000000000000000000000001'), new ObjectId('000000000000000000000002')];
const [pen, ink] = [new ObjectId('0000000000000000000000c1'), new ObjectId('0000000000000000000000c2')];

function customize(agent: Agent): void {
  agent
    .customizeCollection('orders_items', (items) =>
      items.addField('label', {
        columnType: 'String',
        expression: { concat: [{ field: 'sku' }, { value: ' of ' }, { field: 'parent:customer:name' }] },
      }),
    )
    .addChart('Joined', async (context, result) => {
      const groups = [{ field: 'joined', operation: 'Month' }] as const;
      const rows = await context.dataSource.getCollection('customers').aggregate({}, { operation: 'Count', groups });
      return result.timeBased(
        'Month',
        rows.map(({ group, value }) => ({ date: String(group['joined']), value: Number(value) })),
      );
    });
}

describe('an agent on MongoDB', () => {
  let peer: Awaited<ReturnType<typeof startMongoPeer>>;
  let agent: TestAgent;
  beforeAll(async () => {
    peer = await startMongoPeer();
    const mongo = new MongoClient(peer.uri);
    const shop = mongo.db('shop');
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
    await mongo.close();
    agent = await startTestAgent({ dataSource: createMongoDataSource(peer.uri), customize });
  });
  afterAll(async () => {
    await agent?.close();
    await peer.stop();
  });
  const collection = (name: string) => agent.client.collection(name);

  it('tells the operators that a request may use, and no others', async () => {
    const { fields } = await collection('customers').capabilities();
    const { operators = [] } = fields.find(({ name }) => name === 'name') ?? {};
    const [none, list, number] = [undefined, ['Ada'], 1];
    const values = new Map<string, unknown>([
      ...['present', 'blank', 'missing'].map((operator) => [operator, none] as const),
      ...['in', 'not_in'].map((operator) => [operator, list] as const),
      ...['longer_than', 'shorter_than'].map((operator) => [operator, number] as const),
    ]);
    for (const operator of operators) {
      const filters = { field: 'name', operator, value: values.has(operator) ? values.get(operator) : 'Ada' };
      expect(await collection('customers').count({ filters })).toBeTypeOf('number');
    }
    expect(operators).toEqual(expect.arrayContaining(['equal', 'like', 'longer_than']));
  });

  it('lists, filters through relations and searches', async () => {
    const filters = { field: 'customer:address@@@city', operator: 'Equal', value: 'Paris' };
    expect(await collection('orders').list({ filters })).toMatchObject([{ _id: 1 }]);
    expect(await collection('customers').search('bo')).toMatchObject([{ name: 'Bob' }]);
    expect(await collection('customers').search(ada.toHexString())).toMatchObject([{ name: 'Ada' }]);
    const items = await collection('orders')
      .relation('orders_items', 1)
      .list({ sort: { field: 'price', ascending: false } });
    expect(items.map(({ id }) => id)).toEqual([`1.items.${ink.toHexString()}`, `1.items.${pen.toHexString()}`]);
  });

  it('works out expressions of customizations, and draws charts', async () => {
    const sort = { field: 'sku', ascending: true };
    const items = await collection('orders_items').list({ fields: ['label'], sort });
    expect(items.map(({ label }) => label)).toEqual(['ink of Ada', 'pen of Ada', 'pen of Bob']);
    expect(await agent.client.timeBasedChart('Joined')).toEqual([
      { label: 'May 24', values: { value: 1 } },
      { label: 'Jun 24', values: { value: 1 } },
    ]);
  });

  it('creates, changes and deletes documents and elements', async () => {
    const customers = collection('customers');
    const created = await customers.create({ name: 'Cy', 'address@@@city': 'Oslo' });
    const id = String(created['id']);
    expect(created).toMatchObject({ name: 'Cy', 'address@@@city': 'Oslo' });
    await customers.update(id, { 'address@@@city': 'Bergen' });
    expect(await customers.getOne(id)).toMatchObject({ name: 'Cy', 'address@@@city': 'Bergen' });

    const element = `1.items.${pen.toHexString()}`;
    await collection('orders_items').update(element, { price: 9 });
    expect(await collection('orders_items').getOne(element)).toMatchObject({ sku: 'pen', price: 9 });
    await customers.delete([id]);
    await expect(customers.getOne(id)).rejects.toMatchObject({ status: 404 });
  });
});
