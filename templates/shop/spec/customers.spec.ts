import { startTestAgent, type TestAgent } from '@vendor/cloud/agent-testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import customize from '../src/index.js';
import type { Schema } from '../typings.js';

// Run it with: npm run test:unit. The agent, its platform and its users are in this process, for these tests only. The databases are
// those of vendor-cloud.json.
let agent: TestAgent<Schema>;

beforeAll(async () => {
  agent = await startTestAgent<Schema>({
    customize,
    fixtures: {
      roles: { support: { collections: { customers: { browse: true, read: true } } } },
      users: [{ email: 'bob@example.com', role: 'support' }],
    },
  });
});
afterAll(() => agent.close());

describe('customers', () => {
  test('gold customers have a star behind their name', async () => {
    const gold = await agent.client
      .collection('customers')
      .segment('Gold')
      .list({ pagination: { size: 5 } });
    expect(gold).toHaveLength(5);
    for (const { displayName, tier } of gold) {
      expect(tier).toBe('gold');
      expect(displayName).toMatch(/★$/);
    }
  });

  test('support sees customers and changes none', async () => {
    const customers = agent.client.as('bob@example.com').collection('customers');
    expect(await customers.list({ pagination: { size: 1 } })).toHaveLength(1);
    await expect(customers.delete([1])).rejects.toMatchObject({ status: 403 });
  });
});

describe('the action "Add up"', () => {
  test('adds the selected orders up', async () => {
    const orders = agent.client.collection('orders');
    const [first, second] = await orders.list({ sort: { field: 'id', ascending: true }, pagination: { size: 2 } });
    const action = await orders.action('Add up', { recordIds: [Number(first?.id), Number(second?.id)] });
    expect(await action.execute()).toMatchObject({
      type: 'success',
      message: expect.stringMatching(/^2 orders come to /),
    });
  });
});
