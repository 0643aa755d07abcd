import { strict as assert } from 'node:assert';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ServedProject } from './served-project.ts';

interface Resource {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Resolves with the id of a category that it has created. */
export async function readAndWrite(project: ServedProject) {
  const filters = encodeURIComponent(JSON.stringify({ field: 'tier', operator: 'equal', value: 'gold' }));
  const list = await project.api(
    'GET',
    `/customers?fields[customers]=id,email,tier&filters=${filters}&sort=-id&page[size]=3&page[number]=2`,
  );
  assert.equal(list.status, 200);
  const rows: Resource[] = list.body.data;
  assert.equal(rows.length, 3);
  assert.ok(rows.every((row) => row.attributes['tier'] === 'gold'));
  assert.deepEqual(Object.keys(rows[0]?.attributes ?? {}).sort(), ['email', 'id', 'tier']);
  assert.ok(Number(rows[0]?.id) > Number(rows[1]?.id));

  const count = await project.api('GET', '/customers/count');
  assert.ok(count.body.count > 1_000);
  const one = await project.api('GET', `/customers/${rows[0]?.id}`);
  assert.equal(one.body.data.attributes.email, rows[0]?.attributes['email']);

  const attributes = { name: 'Journey' };
  const created = await project.api('POST', '/categories', { data: { type: 'categories', attributes } });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const { id } = created.body.data as Resource;
  const updated = await project.api('PUT', `/categories/${id}`, {
    data: { type: 'categories', id, attributes: { name: 'Renamed' } },
  });
  assert.equal(updated.body.data.attributes.name, 'Renamed');
  return { listed: rows.length, customers: count.body.count, category: id };
}

export async function askTheAssistantsServer({ ready }: ServedProject) {
  const client = new Client({ name: 'journey', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${ready.mcp.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(ready.mcp.url), { requestInit }));
  const { tools } = await client.listTools();
  const described = await client.callTool({ name: 'describeCollection', arguments: { collectionName: 'orders' } });
  assert.notEqual(described.isError, true, JSON.stringify(described));
  const listed = await client.callTool({
    name: 'list',
    arguments: { collectionName: 'orders', pagination: { size: 2, number: 1 } },
  });
  assert.notEqual(listed.isError, true, JSON.stringify(listed));
  const { records } = listed.structuredContent as { records: unknown[] };
  assert.equal(records.length, 2);
  await client.close();
  return { tools: tools.map((tool) => tool.name).sort() };
}

export async function keepTokensApart(project: ServedProject): Promise<void> {
  const { ready } = project;
  assert.equal((await project.api('GET', '/customers/count', undefined, ready.mcp.token)).status, 401);
  const headers = {
    authorization: `Bearer ${ready.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  assert.equal((await fetch(ready.mcp.url, { method: 'POST', headers, body })).status, 401);
}
