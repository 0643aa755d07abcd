import { describe, expect, it } from 'vitest';
import { wantedApiScopes } from '#contracts/api-tokens';
import type { PermissionFile } from '#contracts/permission-file';
import manifest from '../../oclif.manifest.json' with { type: 'json' };
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { eventually } from '../helpers/eventually.ts';
import { mcpCall } from '../helpers/mcp-call.ts';

const everything = { browse: true, read: true, edit: true, add: true, delete: true, export: true };

/** An agent of an application, its platform, and what a program with a service account does with both. */
async function startShop() {
  const shop = await createEmbeddedShop();
  const agent = shop.agent
    .addDataSource(createSqlDataSource(shop.databaseUri))
    .mountAiMcpServer()
    .mountOnStandaloneServer(0);
  await agent.start();
  const root = `http://127.0.0.1:${agent.standaloneServerPort}`;
  const platform = async (method: string, path: string, body?: object) => {
    const answer = await fetch(shop.sandbox.url + path, {
      method,
      headers: {
        authorization: `Bearer ${shop.access.userToken}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const exchange = async (token: string, audience?: string) => {
    const answer = await fetch(`${root}/service/authentication/printed-token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...(audience ? { audience } : {}) }),
    });
    return { status: answer.status, body: (await answer.json()) as { readonly token: string; readonly url: string } };
  };
  const ask = async (token: string, target: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(`${root}/service${target}`, { ...init, headers })).status;
  };
  const allow = async (clients: PermissionFile['clients']) => {
    const { body } = await platform('GET', '/api/rights');
    const document = { roles: { Administrators: { collections: { '*': everything } } }, clients };
    expect((await platform('PUT', '/api/rights', { document, base: body.revision })).status).toBe(200);
  };
  return { ...shop, platform, exchange, ask, allow };
}

it('can be made from the terminal, with every scope that the platform has', () => {
  expect(manifest.commands['tokens:create'].flags.scope.options).toEqual([...wantedApiScopes]);
});

const create = { name: 'nightly-sync', scopes: ['agents:use'] };
const tokens = '/api/projects/shop/tokens';

describe('a service account', () => {
  it('opens the agent for its person, within what the rights say of its name, until it ends', async () => {
    const { platform, exchange, ask, allow } = await startShop();
    const made = await platform('POST', tokens, create);
    expect(made.status).toBe(201);
    const first = await exchange(made.body.token);
    expect([first.status, await ask(first.body.token, '/orders?timezone=UTC')]).toEqual([200, 200]);

    await allow({
      'nightly-sync': { collections: { orders: { browse: true, read: true } }, recordsPerCall: 2, writesPerHour: 0 },
    });
    await eventually(async () => expect(await ask(first.body.token, '/customers?timezone=UTC&page[size]=2')).toBe(403));
    expect(await ask(first.body.token, '/orders?timezone=UTC&page[size]=2')).toBe(200);
    expect(await ask(first.body.token, '/orders?timezone=UTC&page[size]=3')).toBe(400);
    expect(await ask(first.body.token, '/orders.csv?timezone=UTC')).toBe(400);
    expect(await ask(first.body.token, '/orders/1?timezone=UTC', { method: 'DELETE' })).toBe(403);

    const mcp = await exchange(made.body.token, 'mcp');
    const tool = (name: string, args: object) =>
      mcpCall({ mcpUrl: mcp.body.url, mcpToken: mcp.body.token }, name, { collectionName: 'orders', ...args });
    expect((await tool('list', {})).result.structuredContent['records']).toHaveLength(2);
    expect((await tool('create', { attributes: { ref: 'A-9' } })).result.isError).toBe(true);

    expect((await platform('DELETE', `${tokens}/${made.body.id}`)).status).toBe(204);
    expect((await exchange(made.body.token)).status).toBe(401);
  });

  it('may do nothing where the rights name others only', async () => {
    const { platform, exchange, ask, allow } = await startShop();
    const made = await platform('POST', tokens, create);
    await allow({ other: {} });
    const { body } = await exchange(made.body.token);
    await eventually(async () => expect(await ask(body.token, '/orders?timezone=UTC')).toBe(403));
  });

  it('opens nothing of the public API, and no other token opens the agent', async () => {
    const { platform, exchange, sandbox } = await startShop();
    const { body } = await platform('POST', tokens, create);
    const headers = { authorization: `Bearer ${body.token}` };
    const logs = await fetch(`${sandbox.url}/v1/project/shop/environment/development/activity-logs`, { headers });
    expect(logs.status).toBe(403);
    const other = await platform('POST', tokens, { name: 'siem', scopes: ['all'] });
    expect((await exchange(other.body.token)).status).toBe(401);
    const wrong = [{ scopes: ['agents:use', 'notes:read'] }, { scopes: ['agents:use'], allowedCidrs: ['10.0.0.0/8'] }];
    for (const input of wrong) expect((await platform('POST', tokens, { name: 'x', ...input })).status).toBe(400);
  });

  it('is in the log with its person and its name', async () => {
    const { platform, exchange, ask } = await startShop();
    const { body } = await platform('POST', tokens, create);
    const { body: exchanged } = await exchange(body.token);
    await ask(exchanged.token, '/orders?timezone=UTC');
    const mcp = await exchange(body.token, 'mcp');
    await mcpCall({ mcpUrl: mcp.body.url, mcpToken: mcp.body.token }, 'list', { collectionName: 'customers' });
    const path = '/v1/project/shop/environment/development/activity-logs?expand=source';
    await eventually(async () => {
      const { data } = (await platform('GET', path)).body;
      expect(data).toMatchObject([
        { action: 'index', collection: { name: 'customers' }, client: { name: 'nightly-sync' }, tool: 'list' },
        { action: 'index', collection: { name: 'orders' }, client: { name: 'nightly-sync' }, tool: null },
      ]);
      expect(data[0].user.email).toBe('ada@example.test');
    });
  });
});
