import { describe, expect, it } from 'vitest';
import { concat, field, multiply } from '#runtime/query/build-expression';
import type { ListOptions } from '../../src/exports/agent-testing.ts';
import { startShopTestAgent } from '../helpers/shop-test-agent.ts';

describe('a field of an expression, over REST', () => {
  it('is filtered, sorted, searched and found behind relations', async () => {
    const errors: string[] = [];
    const { client } = await startShopTestAgent({
      agentOptions: { logger: (level, message) => void (level === 'Error' && errors.push(message)) },
      customize: (agent) => {
        agent.customizeCollection('orders', (orders) =>
          orders
            .addField('double', { columnType: 'Number', expression: multiply(field('total'), 2) })
            .addField('title', {
              columnType: 'String',
              expression: concat(field('ref'), ' for ', field('customer:name')),
            }),
        );
      },
    });
    const orders = client.collection('orders');
    const list = (options: ListOptions) => orders.list({ fields: ['id', 'double', 'title'], ...options });
    const filters = { field: 'double', operator: 'GreaterThan', value: '30' };
    expect(await list({ filters, sort: { field: 'double', ascending: false } })).toMatchObject([
      { double: '80.00', title: 'A-4 for ' },
      { double: '40.00', title: 'A-2 for Zed' },
    ]);
    expect(await list({ search: 'FOR ünal' })).toMatchObject([{ double: null, title: 'A-3 for Ünal' }]);
    const behind = { field: 'orders:title', operator: 'Contains', value: 'A-3' };
    expect(await client.collection('customers').count({ filters: behind })).toBe(1);
    await expect(orders.update(1, { double: '1' })).rejects.toMatchObject({ status: 400 });
    expect(errors).toEqual([]);
  });
});
