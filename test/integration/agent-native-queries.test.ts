import { describe, expect, it } from 'vitest';
import { createSqlDataSource } from '#runtime/index';
import { platformOfRole } from '../helpers/role-platform.ts';
import { call, createShopFile, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const main = async () => createSqlDataSource(await createShopFile(), { liveQueryConnections: 'main' })();

const chart = (type: string, query: string, more: object = {}) => ({ type, query, connectionName: 'main', ...more });

function native(agent: ShopAgent, body: unknown) {
  return call(agent, '/_internal/native_query', { method: 'POST', body, timezone: null });
}

async function shown(agent: ShopAgent, body: unknown): Promise<unknown> {
  const { json } = await native(agent, body);
  expect(json, JSON.stringify(json)).toMatchObject({ data: { type: 'stats' } });
  return (json as { data: { attributes: { value: unknown } } }).data.attributes.value;
}

const idsOf = (json: unknown) => (json as { data: { id: string }[] }).data.map(({ id }) => id);

describe('charts of native queries', () => {
  it('show what the query gives', async () => {
    const agent = await startShopAgent(undefined, { dataSources: { main } });
    expect(await shown(agent, chart('Value', 'select count(*) as value from orders'))).toEqual({ countCurrent: 4 });
    const two = 'select 3 as value, 2 as previous from orders limit 1';
    expect(await shown(agent, chart('Value', two))).toEqual({ countCurrent: 3, countPrevious: 2 });
    const progress = 'select count(*) as value, 10 as objective from orders;';
    expect(await shown(agent, chart('Objective', progress))).toEqual({ objective: 10, value: 4 });
    const byStatus = 'select status as key, count(*) as value from orders group by 1 order by 1';
    expect(await shown(agent, chart('Pie', byStatus))).toEqual([
      { key: 'draft', value: 2 },
      { key: 'paid', value: 2 },
    ]);
    expect(await shown(agent, chart('Line', byStatus))).toEqual([
      { label: 'draft', values: { value: 2 } },
      { label: 'paid', values: { value: 2 } },
    ]);
    expect(await shown(agent, chart('Value', 'select 1 as value from orders where id = 99'))).toEqual([]);
  });

  it('bind variables, which never become part of the query', async () => {
    const agent = await startShopAgent(undefined, { dataSources: { main } });
    const query =
      'select count(*) as value from customers where name = {{a.b}} or name = {{a_b}} or id = {{currentUser.id}}';
    const injection = { contextVariables: { 'a.b': "' or 1=1 --", a_b: 'Zed' } };
    expect(await shown(agent, chart('Value', query, injection))).toEqual({ countCurrent: 1 });
    expect((await native(agent, chart('Value', query))).status).toBe(400);
  });

  it.each([
    ['no query', { type: 'Value', connectionName: 'main' }],
    ['no connection', { type: 'Value', query: 'select 1 as value from orders' }],
    ['an unknown connection', { ...chart('Value', 'select 1 as value from orders'), connectionName: 'other' }],
    ['an unknown type', chart('Smart', 'select 1 as value from orders')],
    ['a percentage', chart('Percentage', 'select 1 as value from orders')],
    ['two statements', chart('Value', 'SELECT 1; DROP TABLE orders')],
    ['a write', chart('Value', "update orders set status = 'paid' returning id as value")],
    ['wrong columns', chart('Pie', 'select 1 as value from orders')],
    ['an error', chart('Value', 'select nope as value from orders')],
    ['a million characters', chart('Value', `select 1 as value from orders -- ${'x'.repeat(1_000_000)}`)],
  ])('are refused with %s', async (_case, body) => {
    const agent = await startShopAgent(undefined, { dataSources: { main } });
    expect((await native(agent, body)).status).toBe(422);
    expect(idsOf((await call(agent, '/orders')).json)).toHaveLength(4);
  });

  it('are run only for people whose view lists them', async () => {
    const known = chart('Value', 'select count(*) as value from orders');
    const agent = await startShopAgent(undefined, {
      dataSources: { main },
      platform: platformOfRole({ rights: { orders: {} }, stats: [known] }),
    });
    expect(await shown(agent, known)).toEqual({ countCurrent: 4 });
    expect((await native(agent, chart('Value', 'select count(*) as value from customers'))).status).toBe(403);
  });
});
