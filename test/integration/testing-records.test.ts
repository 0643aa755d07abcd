import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import type { AgentTestClient, TestAgent } from '../../src/exports/agent-testing.ts';
import { createShopFile } from '../helpers/shop-agent.ts';
import { startShopTestAgent } from '../helpers/shop-test-agent.ts';
import { startTestedShop } from '../helpers/tested-shop.ts';

let shop: TestAgent;
let client: AgentTestClient;

beforeAll(async () => {
  shop = await startTestedShop();
  client = shop.client;
});
afterAll(() => shop?.close());

/** A stream that remembers what was written to it. */
function sink() {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}

describe('the client of a collection', () => {
  it('searches, and reads the records of a segment', async () => {
    const orders = client.collection('orders');
    expect((await orders.search('A-3')).map(({ id }) => id)).toEqual([3]);
    const paid = orders.segment('Paid');
    expect((await paid.list({ sort: { field: 'id', ascending: false } })).map(({ id }) => id)).toEqual([4, 1]);
    expect(await paid.count()).toBe(2);
    expect(await paid.exportCsvText({ fields: ['ref'] })).toBe('ref\nA-1\nA-4\n');
  });

  it('reads a segment that is a query of the database', async () => {
    const query = { connectionName: 'main', query: 'select id from orders where total > 15' };
    const large = client.collection('orders').liveQuerySegment(query);
    expect((await large.list()).map(({ id }) => id).sort()).toEqual([2, 4]);
    expect(await large.count()).toBe(2);
    expect(await large.exportCsvText({ fields: ['id'] })).toBe('id\n2\n4\n');
  });

  it('keeps decimals, dates and composite ids exact', async () => {
    const orders = client.collection('orders');
    const placed = new Date('2026-01-02T03:04:05.678Z');
    const created = await orders.create({ id: 9n, ref: 'A-9', total: '12345678901.05', placed_at: placed });
    expect(created).toMatchObject({ id: 9, total: '12345678901.05', placedAt: placed.toISOString() });
    const filters = { field: 'placed_at', operator: 'Equal', value: placed };
    expect((await orders.list({ filters })).map(({ id }) => id)).toEqual([9]);
    await orders.delete([9n]);
    const lines = client.collection('lines');
    expect(await lines.getOne([4, 'ab'], { fields: ['quantity'] })).toMatchObject({ id: '4|ab', quantity: 3 });
    await expect(lines.getOne([4, 'a|b'])).rejects.toThrowError('holds "|"');
    await expect(lines.getOne([4, null as never])).rejects.toThrowError('is null');
    await expect(orders.getOne(2 ** 60)).rejects.toThrowError('too large to be exact');
  });

  it('exports CSV with titles, and does not touch the stream when the agent refuses', async () => {
    const orders = client.collection('orders');
    const file = sink();
    await orders.exportCsv(file.stream, {
      fields: ['customer@@@name', 'ref', 'customer:country'],
      header: ['Who', 'Number', 'Where'],
      filters: { field: 'id', operator: 'Equal', value: 1 },
    });
    expect(file.text()).toBe('Who,Where,Number\nZed,FR,A-1\n');
    expect(await orders.exportCsvText()).toMatch(/^id,placed_at,ref,status,total\n1,/);
    await expect(orders.exportCsvText({ fields: ['id'], header: [] })).rejects.toMatchObject({
      code: 'TEST_OPTION_INVALID',
    });
    const untouched = sink();
    await expect(orders.exportCsv(untouched.stream, { fields: ['nothing'] })).rejects.toMatchObject({ status: 400 });
    expect([untouched.text(), untouched.stream.writableEnded]).toEqual(['', false]);
  });

  it('links, lists, counts and unlinks related records', async () => {
    const ofZed = client.collection('customers').relation('orders', 1);
    expect(
      (await ofZed.list({ fields: ['ref'], sort: { field: 'id', ascending: true } })).map(({ ref }) => ref),
    ).toEqual(['A-1', 'A-2']);
    await ofZed.associate(4);
    expect(await ofZed.count()).toBe(3);
    expect(await ofZed.exportCsvText({ fields: ['id'] })).toBe('id\n1\n2\n4\n');
    await ofZed.dissociate([4]);
    expect(await ofZed.count()).toBe(2);
    const customer = client.collection('orders').relation('customer', 4);
    await customer.link(2);
    expect(await client.collection('customers').relation('orders', 2).count()).toBe(2);
    await customer.link(null);
    expect(await client.collection('customers').relation('orders', 2).count()).toBe(1);
  });

  it('lists deleted records and brings them back', async () => {
    const { client: keeping } = await startShopTestAgent({
      dataSource: createSqlDataSource(
        await createShopFile(undefined, 'alter table customers add column deleted_at datetime;'),
        {
          softDelete: { customers: 'deleted_at' },
        },
      ),
    });
    const customers = keeping.collection('customers');
    await customers.delete([2]);
    expect([await customers.count(), await customers.count({ deleted: 'with' })]).toEqual([1, 2]);
    expect((await customers.list({ deleted: 'only' })).map(({ id }) => id)).toEqual([2]);
    await customers.restore(2);
    expect(await customers.count()).toBe(2);
    await customers.deleteAll({ filters: { field: 'name', operator: 'Like', value: '%e%' }, except: [9] });
    expect((await customers.list()).map(({ id }) => id)).toEqual([2]);
    await customers.deleteAll();
    expect(await customers.count()).toBe(0);
  });

  it('tells what the collection can do', async () => {
    const { fields, actions, charts } = await client.collection('orders').capabilities();
    expect(fields.find(({ name }) => name === 'total')?.operators).toContain('greater_than');
    expect(actions?.map(({ name }) => name)).toContain('Refund');
    expect(charts).toEqual([]);
  });

  it.each([
    ['collection', 'orders', () => client.collection('ordrs')],
    ['relation', 'customer', () => client.collection('orders').relation('custommer', 1)],
    ['segment', 'Paid', () => client.collection('orders').segment('Payd')],
    ['action', 'Refund', () => client.collection('orders').action('Refunt', { recordId: 1 })],
    ['chart', 'Orders by status', () => client.collection('customers').valueChart('Orders by stat', { recordId: 1 })],
    ['user', 'developer@test.invalid', () => client.as('developper@test.invalid').collection('orders').list()],
  ])('names the %s that was most likely meant', async (what, nearest, use) => {
    await expect((async () => use())()).rejects.toMatchObject({
      code: 'TEST_NAME_UNKNOWN',
      message: expect.stringContaining(`no ${what} "`),
      nearest,
    });
  });
});

describe('charts', () => {
  it('are read by type', async () => {
    expect(await client.valueChart('Total')).toEqual({ countCurrent: 7, countPrevious: 5 });
    expect(await client.percentageChart('Share')).toBe(12.5);
    expect((await client.timeBasedChart('Months')).map(({ values }) => values.value)).toEqual([1, 0, 2]);
    const byStatus = await client.collection('customers').distributionChart('Orders by status', { recordId: 1 });
    expect(byStatus).toEqual([
      { key: 'paid', value: 1 },
      { key: 'draft', value: 2 },
    ]);
  });

  it('are refused where they have another type', async () => {
    await expect(client.objectiveChart('Total')).rejects.toMatchObject({ code: 'TEST_ANSWER_UNEXPECTED' });
    await expect(client.valueChart('Nothing')).rejects.toMatchObject({ status: 404 });
  });
});
