import { describe, expect, it } from 'vitest';
import { platformOfRole } from '../helpers/role-platform.ts';
import { call, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

interface Access {
  /** The collections that the caller may read. */
  readonly readable: readonly string[];
  /** Restrictions, by collection. */
  readonly scopes?: Readonly<Record<string, unknown>>;
}

const everything = ['customers', 'orders', 'lines'];

function platformOf({ readable, scopes = {} }: Access) {
  const rights = everything.map((name) => [
    name,
    { browseEnabled: true, editEnabled: true, readEnabled: readable.includes(name) },
  ]);
  return platformOfRole({ rights: Object.fromEntries(rights), scopes });
}

const filter = (filters: unknown) => `filters=${encodeURIComponent(JSON.stringify(filters))}`;
const leaf = (field: string, value: string) => ({ field, operator: 'equal', value });

async function idsOf(agent: ShopAgent, target: string): Promise<string[]> {
  const { json } = await call(agent, target);
  return (json as { data: { id: string }[] }).data.map(({ id }) => id);
}

describe('a filter through a relation to many, over REST', () => {
  it('finds the records of which some related one fulfils it', async () => {
    const agent = await startShopAgent();
    const paid = filter(leaf('orders:status', 'paid'));
    expect(await idsOf(agent, `/customers?${paid}`)).toEqual(['1']);
    expect((await call(agent, `/customers/count?${paid}`)).json).toEqual({ count: 1 });
    expect(await idsOf(agent, `/customers?${filter(leaf('orders:lines:sku', 'ab'))}`)).toEqual(['1']);
    expect(
      await idsOf(
        agent,
        `/customers?${filter({ field: 'orders:status', operator: 'not_equal', value: 'paid' })}&sort=id`,
      ),
    ).toEqual(['1', '2']);
  });

  it('is forbidden where the caller may not read the collection it ends in', async () => {
    const agent = await startShopAgent(undefined, { platform: platformOf({ readable: ['customers', 'orders'] }) });
    expect(await idsOf(agent, `/customers?${filter(leaf('orders:status', 'paid'))}`)).toEqual(['1']);
    const hidden = leaf('orders:lines:sku', 'ab');
    for (const filters of [hidden, { aggregator: 'or', conditions: [leaf('orders:status', 'paid'), hidden] }]) {
      for (const path of ['/customers', '/customers/count']) {
        const { status, json } = await call(agent, `${path}?${filter(filters)}`);
        expect(status).toBe(403);
        expect(JSON.stringify(json)).toContain('lines');
      }
    }
  });

  it('may be the scope of a collection, which then holds for writes too', async () => {
    const scopes = { customers: leaf('orders:status', 'paid') };
    const agent = await startShopAgent(undefined, { platform: platformOf({ readable: everything, scopes }) });
    expect(await idsOf(agent, '/customers')).toEqual(['1']);
    expect((await call(agent, '/customers/2')).status).toBe(404);
    const change = (id: string) => {
      const body = { data: { type: 'customers', id, attributes: { name: 'x' } } };
      return call(agent, `/customers/${id}`, { method: 'PUT', body });
    };
    expect((await change('1')).json).toMatchObject({ data: { id: '1', attributes: { name: 'x' } } });
    expect((await change('2')).json).toMatchObject({ data: null });
  });

  it('is refused in words where it cannot be answered', async () => {
    const agent = await startShopAgent((customizer: { customizeCollection: CallableFunction }) => {
      customizer.customizeCollection('orders', (orders: { addField: CallableFunction }) =>
        orders.addField('loud', {
          columnType: 'String',
          dependencies: ['ref'],
          getValues: (records: readonly { ref: string }[]) => records.map(({ ref }) => ref),
        }),
      );
    });
    for (const [target, words] of [
      [`/customers?${filter(leaf('orders:loud', 'x'))}`, 'the field cannot be filtered'],
      [`/customers?${filter(leaf('orders', 'x'))}`, 'is a relation'],
      [`/customers?${filter(leaf('name:x', 'x'))}`, 'is not a relation'],
      ['/customers?sort=orders.status', 'does not lead to one record'],
    ] as const) {
      const { status, text } = await call(agent, target);
      expect(status).toBe(400);
      expect(text).toContain(words);
    }
  });
});
