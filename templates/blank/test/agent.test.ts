import assert from 'node:assert/strict';
import { env } from 'node:process';
import { test } from 'node:test';

// Run it with: npm test. That starts an agent of the project for the tests, and ends it afterwards. A test of a collection of yours:
// npx vendor-cloud generate test "orders are listed" --collection orders
const { SERVICE_AGENT_URL } = env;

test('the agent answers', async () => {
  const response = await fetch(`${SERVICE_AGENT_URL}/`);
  assert.ok(response.ok, `It answered with ${response.status}.`);
});
