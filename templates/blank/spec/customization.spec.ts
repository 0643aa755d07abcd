import { startTestAgent, type TestAgent } from '@vendor/cloud/agent-testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import customize from '../src/index.js';
import type { Schema } from '../typings.js';

// Run it with: npm run test:unit. The agent and its platform are in this process; the databases are those of vendor-cloud.json and
// .env. Tests that write are better off with createMemoryDataSource, or with a database of their own (the option dataSource).
let agent: TestAgent<Schema>;

beforeAll(async () => {
  agent = await startTestAgent<Schema>({ customize });
});
afterAll(() => agent.close());

test('the code fits the database', async () => {
  // A collection of yours: await agent.client.collection('orders').count()
  const answer = await fetch(`${agent.url}/`);
  expect(answer.status).toBe(200);
});
