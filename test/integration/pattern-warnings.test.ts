import { expect, it } from 'vitest';
import type { Agent } from '#runtime/index';
import { call, startShopAgent } from '../helpers/shop-agent.ts';

const customize = (shop: Agent) => {
  shop.customizeCollection('orders', (orders) =>
    orders
      .addFieldValidation('ref', 'Match', /^(?!X)(A+)+-\d+$/)
      .emulateFieldOperator('ref', 'Match')
      .addSegment('Odd', { field: 'ref', operator: 'Match', value: /^(.)\1+/ }),
  );
  shop.customizeCollection('customers', (customers) => customers.addFieldValidation('name', 'Match', /^[A-ZÜ][a-z]+$/));
};

it('patterns without a linear form are named when code is loaded, and stopped when a text takes too long', async () => {
  const agent = await startShopAgent(customize);
  const { warnings } = await agent.runtime.load(customize);
  expect(warnings).toEqual([
    expect.stringContaining('/^(?!X)(A+)+-\\d+$/ in the validation of "ref" of "orders"'),
    expect.stringContaining('/^(.)\\1+/ in the segment "Odd" of "orders"'),
  ]);
  const create = (ref: string) => call(agent, '/orders', { method: 'POST', body: { data: { attributes: { ref } } } });
  expect((await create('AAA-7')).status).toBe(200);
  const refused = await create(`${'A'.repeat(5_000)}!`);
  expect(refused.json).toMatchObject({ errors: [{ code: 'REQUEST_TOO_COSTLY' }] });
});
