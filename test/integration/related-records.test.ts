import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordReader, TestFixtures } from '../../src/exports/agent-testing.ts';
import type { Agent } from '../../src/exports/index.ts';
import { openShopTestAgent, type ShopTestAgent } from '../helpers/shop-test-agent.ts';

const countries = `create table countries (id integer primary key, code text unique);
  create table cities (id integer primary key, name text, country_code text);
  insert into countries values (1, 'cz'), (2, 'xx'), (3, 'at'); insert into cities values (7, 'Graz', null);`;

function customize(agent: Agent): void {
  agent
    .customizeCollection('customers', (customers) =>
      customers.addOneToOneRelation('favourite', 'orders', { originKey: 'customer_id' }),
    )
    .customizeCollection('cities', (cities) =>
      cities.addManyToOneRelation('country', 'countries', { foreignKey: 'country_code', foreignKeyTarget: 'code' }),
    );
}

const everything = { browse: true, read: true, add: true, edit: true };
const [reader, stranger] = ['ada@example.test', 'bob@example.test'];
const fixtures: TestFixtures = {
  roles: {
    readers: { collections: { cities: everything, countries: everything } },
    strangers: { collections: { cities: everything } },
  },
  teams: { North: { collections: { countries: { scope: { field: 'id', operator: 'not_equal', value: 2 } } } } },
  users: [
    { email: reader, role: 'readers', team: 'North' },
    { email: stranger, role: 'strangers', team: 'North' },
  ],
};

const byId = { sort: { field: 'id', ascending: true } };
const idsOf = async (records: RecordReader<Readonly<Record<string, unknown>>>) =>
  (await records.list(byId)).map(({ id }) => id);

describe('related records', () => {
  let shop: ShopTestAgent;
  beforeAll(async () => {
    shop = await openShopTestAgent({ customize, moreTables: countries, fixtures });
  });
  afterAll(() => shop?.close());
  const collection = (name: string) => shop.client.collection(name);
  const ordersOf = (customer: number) => collection('customers').relation('orders', customer);

  it('are listed, sorted, searched and counted like any, those of one record only', async () => {
    const listed = await ordersOf(1).list({ sort: { field: 'id', ascending: false } });
    expect(listed.map(({ id }) => id)).toEqual([2, 1]);
    expect(await ordersOf(1).search('A-2')).toMatchObject([{ id: 2 }]);
    expect(await ordersOf(1).count()).toBe(2);
    const lines = await collection('orders').relation('lines', 1).list();
    expect(lines).toMatchObject([{ orderId: 1, sku: 'ab' }]);
  });

  it('are empty for a record that does not exist, and not listed through a relation to one', async () => {
    expect(await ordersOf(99).list()).toEqual([]);
    await expect(collection('orders').relation('customer', 1).list()).rejects.toMatchObject({ status: 404 });
  });

  it('are linked by their key, and let go', async () => {
    await ordersOf(2).associate(4);
    expect(await idsOf(ordersOf(2))).toEqual([3, 4]);
    await ordersOf(2).dissociate([4]);
    expect(await idsOf(ordersOf(2))).toEqual([3]);
    expect(await collection('orders').count()).toBe(4);
    await expect(ordersOf(2).dissociate([])).rejects.toMatchObject({ status: 400 });
  });

  it('are changed and cleared through a to-one relation', async () => {
    const customer = collection('orders').relation('customer', 1);
    await customer.link(2);
    expect(await idsOf(ordersOf(2))).toEqual([1, 3]);
    await expect(customer.link(99)).rejects.toMatchObject({ status: 404 });
    await customer.link(null);
    expect(await idsOf(ordersOf(2))).toEqual([3]);
  });

  it('are taken from the record that had them where they hold the key', async () => {
    const favourite = collection('customers').relation('favourite', 2);
    await favourite.link(4);
    expect(await idsOf(ordersOf(2))).toEqual([4]);
    await favourite.link(null);
    expect(await idsOf(ordersOf(2))).toEqual([]);
  });

  it('are linked when a record is created, by another column than the key too', async () => {
    const cities = shop.client.as(reader).collection('cities');
    const country = { id: 1, code: 'cz' };
    const created = await cities.create({ name: 'Brno' }, { country: 1 });
    expect(created).toMatchObject({ name: 'Brno', countryCode: 'cz' });
    expect(await cities.getOne(Number(created['id']), { fields: ['country@@@code'] })).toMatchObject({ country });
    for (const unreachable of [2, 9]) {
      await expect(cities.create({ name: 'Oz' }, { country: unreachable })).rejects.toMatchObject({ status: 404 });
    }
    await expect(cities.create({ name: 'Oz' }, { land: 1 })).rejects.toMatchObject({ code: 'TEST_NAME_UNKNOWN' });
    expect(await cities.count()).toBe(2);
  });

  it('reveal nothing to people who may not read them', async () => {
    const cities = shop.client.as(stranger).collection('cities');
    await expect(cities.create({ name: 'Brno' }, { country: 1 })).rejects.toMatchObject({ status: 403 });
    await expect(cities.relation('country', 7).link(1)).rejects.toMatchObject({ status: 403 });
  });
});
