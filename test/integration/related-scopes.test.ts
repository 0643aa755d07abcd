import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/index';
import { mcpCall } from '../helpers/mcp-call.ts';
import { platformOfRole } from '../helpers/role-platform.ts';
import { call, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const everything = { browseEnabled: true, readEnabled: true, exportEnabled: true };
const rights = { customers: everything, orders: everything, lines: everything };
// Of the customers, Zed (1) is French and Ünal (2) German; the orders 1 and 2 are Zed's, 3 is Ünal's, 4 is nobody's.
const french = { customers: { field: 'country', operator: 'equal', value: 'FR' } };
const paid = { orders: { field: 'status', operator: 'equal', value: 'paid' } };

const customize = (shop: Agent) => {
  shop.customizeCollection('orders', (orders) =>
    orders.importField('buyer', { path: 'customer:name' }).addField('greeting', {
      columnType: 'String',
      dependencies: ['customer:name'],
      getValues: (records) => records.map(({ customer }) => `Dear ${customer?.['name'] ?? 'nobody'}`),
    }),
  );
};

/** Somebody who may see every chart, and has scopes all the same. */
const start = (scopes: Readonly<Record<string, unknown>> = french): Promise<ShopAgent> => {
  const platform = platformOfRole({ rights, scopes });
  const users = async () => (await platform.users()).map((user) => ({ ...user, permissionLevel: 'editor' as const }));
  return startShopAgent(customize, { platform: { ...platform, users } });
};

interface Document {
  readonly data: readonly { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly included?: readonly { readonly type: string; readonly id: string; readonly attributes: object }[];
}

const list = async (agent: ShopAgent, target: string) => {
  const { status, json, text } = await call(agent, target);
  expect([target, status, text]).toEqual([target, 200, text]);
  return json as Document;
};
const idsOf = async (agent: ShopAgent, target: string) => (await list(agent, target)).data.map(({ id }) => id);
const filtered = (filter: object, collection = 'orders') =>
  `/${collection}?sort=id&filters=${encodeURIComponent(JSON.stringify(filter))}`;
const stats = async (agent: ShopAgent, chart: object) => {
  const { json } = await call(agent, '/stats/orders', { method: 'POST', body: { aggregator: 'Count', ...chart } });
  return (json as { data: { attributes: { value: unknown } } }).data.attributes.value;
};

describe('a related record out of scope', () => {
  it.each(['', '&fields[orders]=id,customer&fields[customer]=id,name,country'])(
    'shows its key in a list, and no more (%s)',
    async (fields) => {
      const agent = await start();
      const { included } = await list(agent, `/orders?sort=id${fields}`);
      expect(included?.filter(({ type }) => type === 'customers').map(({ attributes }) => attributes)).toEqual([
        { id: 1, name: 'Zed', country: 'FR' },
        { id: 2, name: null, country: null },
      ]);
    },
  );

  it('shows its key next to a single record, and no more', async () => {
    const agent = await start();
    const { json, text } = await call(agent, '/orders/3');
    expect(json).toMatchObject({ data: { relationships: { customer: { data: { type: 'customers', id: '2' } } } } });
    expect(text.replace('Dear Ünal', '')).not.toMatch(/Ünal|DE/);
  });

  it('counts as one without values in filters', async () => {
    const agent = await start();
    const by = (operator: string, value?: unknown, field = 'customer:name') =>
      idsOf(agent, filtered({ field, operator, ...(value === undefined ? {} : { value }) }));
    expect(await by('equal', 'Ünal')).toEqual([]);
    expect(await by('contains', 'n')).toEqual([]);
    expect(await by('in', ['Ünal', 'Zed'])).toEqual(['1', '2']);
    expect(await by('not_equal', 'Zed')).toEqual(['3', '4']);
    expect(await by('missing')).toEqual(['3', '4']);
    expect(await by('present')).toEqual(['1', '2']);
    expect(await by('equal', 'Ünal', 'buyer')).toEqual([]);
    expect(await by('equal', 2, 'customer:id')).toEqual(['3']);
  });

  it('is not found by searches', async () => {
    const agent = await start();
    for (const search of ['ünal', 'customer.name:ünal', 'buyer:ünal']) {
      expect(await idsOf(agent, `/orders?sort=id&searchExtended=1&search=${encodeURIComponent(search)}`)).toEqual([]);
    }
    expect(await idsOf(agent, '/orders?sort=id&searchExtended=1&search=zed')).toEqual(['1', '2']);
  });

  it('is sorted as one without values', async () => {
    const agent = await start();
    expect(await idsOf(agent, '/orders?sort=customer.name')).toEqual(['3', '4', '1', '2']);
    expect(await idsOf(agent, '/orders?sort=-customer.name')).toEqual(['2', '1', '4', '3']);
    expect(await idsOf(agent, '/orders?sort=buyer&page[size]=1&page[number]=2')).toEqual(['4']);
  });

  it('is grouped and counted as one without values', async () => {
    const agent = await start();
    expect(await stats(agent, { type: 'Pie', groupByFieldName: 'customer:name' })).toEqual([
      { key: null, value: 2 },
      { key: 'Zed', value: 2 },
    ]);
    expect(await stats(agent, { type: 'Value', aggregateFieldName: 'customer:name' })).toMatchObject({
      countCurrent: 2,
    });
    expect(await stats(agent, { type: 'Value', filter: { field: 'buyer', operator: 'equal', value: 'Ünal' } })).toEqual(
      {
        countCurrent: 0,
      },
    );
  });

  it('is blank in CSV files, through imported fields too', async () => {
    const agent = await start();
    const { text } = await call(agent, '/orders.csv?sort=customer.name&header=a,b,c', {
      headers: { 'service-projection': 'id,customer:name,buyer' },
    });
    expect(text).toBe('a,b,c\n3,,\n4,,\n1,Zed,Zed\n2,Zed,Zed\n');
  });

  it('shows no more to MCP clients', async () => {
    const agent = await start();
    const args = {
      collectionName: 'orders',
      fields: ['id', 'customer:name', 'buyer'],
      sort: { field: 'customer:name', ascending: true },
    };
    const { result } = await mcpCall(agent, 'list', args);
    expect(result.isError).toBeFalsy();
    expect(result.content[0]?.text).toContain('Zed');
    expect(result.content[0]?.text).not.toContain('Ünal');
  });

  it('is seen by code of the project, whose values are what it makes of it', async () => {
    const agent = await start();
    const { data } = await list(agent, '/orders?sort=id&fields[orders]=id,greeting,buyer');
    expect(data.map(({ attributes }) => [attributes['greeting'], attributes['buyer']])).toEqual([
      ['Dear Zed', 'Zed'],
      ['Dear Zed', 'Zed'],
      ['Dear Ünal', null],
      ['Dear nobody', null],
    ]);
  });

  it('hides what lies behind it, the keys included', async () => {
    const agent = await start(paid);
    const { included } = await list(
      agent,
      '/lines?sort=order_id&fields[lines]=order_id,sku,order&fields[order]=id,status,customer_id',
    );
    expect(included?.map(({ attributes }) => attributes)).toEqual([
      { id: 1, status: 'paid', customer_id: 1 },
      { id: 4, status: 'paid', customer_id: null },
    ]);
    const nested = await call(agent, '/lines?sort=order_id', {
      headers: { 'service-projection': 'order_id,sku,order:customer:name' },
    });
    expect(nested.text).toContain('Zed');
    const closed = await start({ orders: { field: 'status', operator: 'equal', value: 'none' } });
    const hidden = await call(closed, '/lines?sort=order_id', {
      headers: { 'service-projection': 'order_id,sku,order:customer:name' },
    });
    expect([hidden.status, hidden.text]).toEqual([200, expect.not.stringMatching(/Zed|customers/)]);
  });

  it('does not count through a relation to many', async () => {
    const agent = await start(paid);
    const owners = (value: string) =>
      idsOf(agent, filtered({ field: 'orders:status', operator: 'equal', value }, 'customers'));
    expect(await owners('draft')).toEqual([]);
    expect(await owners('paid')).toEqual(['1']);
  });

  it('is shown where the caller has no scope', async () => {
    const agent = await start({});
    expect(await idsOf(agent, filtered({ field: 'customer:name', operator: 'equal', value: 'Ünal' }))).toEqual(['3']);
  });
});
