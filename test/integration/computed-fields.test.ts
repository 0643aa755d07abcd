import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/index';
import { concat, field, multiply } from '#runtime/query/build-expression';
import { call, startShopAgent } from '../helpers/shop-agent.ts';

const query = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();

describe('a field of an expression, over REST', () => {
  it('is filtered, sorted, searched and found behind relations', async () => {
    const agent = await startShopAgent((on: Agent) => {
      on.customizeCollection('orders', (orders) =>
        orders.addField('double', { columnType: 'Number', expression: multiply(field('total'), 2) }).addField('title', {
          columnType: 'String',
          expression: concat(field('ref'), ' for ', field('customer:name')),
        }),
      );
    });
    const list = async (parameters: Record<string, string>) => {
      const { json } = await call(agent, `/orders?${query({ 'fields[orders]': 'id,double,title', ...parameters })}`);
      return (json as { data: { attributes: Record<string, unknown> }[] }).data.map(({ attributes }) => attributes);
    };
    const filters = JSON.stringify({ field: 'double', operator: 'greater_than', value: '30' });
    expect(await list({ filters, sort: '-double' })).toMatchObject([
      { double: '80.00', title: 'A-4 for ' },
      { double: '40.00', title: 'A-2 for Zed' },
    ]);
    expect(await list({ search: 'FOR ünal' })).toMatchObject([{ double: null, title: 'A-3 for Ünal' }]);
    const behind = JSON.stringify({ field: 'orders:title', operator: 'contains', value: 'A-3' });
    const { json } = await call(agent, `/customers/count?${query({ filters: behind })}`);
    expect(json).toEqual({ count: 1 });
    const body = { data: { type: 'orders', id: '1', attributes: { double: '1' } } };
    expect((await call(agent, '/orders/1', { method: 'PUT', body })).status).toBe(400);
    expect(agent.log).toEqual([]);
  });
});
