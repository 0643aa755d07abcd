import assert from 'node:assert/strict';
import { env } from 'node:process';
import { test } from 'node:test';

// Run it with: npm test. That starts an agent of the project for the tests, and ends it afterwards.
const { SERVICE_AGENT_URL, SERVICE_AGENT_TOKEN } = env;

test('gold customers have a star behind their name', async () => {
  const query = 'segment=Gold&fields[customers]=displayName,tier&page[size]=5&timezone=UTC';
  const response = await fetch(`${SERVICE_AGENT_URL}/customers?${query}`, {
    headers: { authorization: `Bearer ${SERVICE_AGENT_TOKEN}` },
  });
  assert.equal(response.status, 200);
  const { data } = await response.json();
  assert.equal(data.length, 5);
  for (const { attributes } of data) {
    assert.equal(attributes.tier, 'gold');
    assert.match(attributes.displayName, /★$/);
  }
});
