import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { McpScope } from '#contracts/mcp';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import type { Agent } from '#runtime/index';
import { createMcpTokens, mcpTokenKey } from '#runtime/surfaces/mcp/mcp-token';
import { createMemoryPlatform } from '../helpers/activity-outbox.ts';
import { confirmedCall, mcpCall } from '../helpers/mcp-call.ts';
import { connectMcp } from '../helpers/mcp-client.ts';
import { message, modern, post } from '../helpers/mcp-post.ts';
import { authSecret, call, identity, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const tokens = createMcpTokens(authSecret, systemClock, systemRandom, () => false);
const tokenWith = ({ mcpUrl }: ShopAgent, ...scopes: readonly McpScope[]) => tokens.issue(identity, mcpUrl, scopes);
const listTools = message('tools/list');
const tool = (name: string, args: object) => message('tools/call', { name, arguments: args });
const listOrders = tool('list', { collectionName: 'orders' });

/** The methods and arguments of each tool that writes. */
const writes: readonly (readonly [string, McpScope, object])[] = [
  ['create', 'mcp:write', { collectionName: 'customers', attributes: { name: 'x' } }],
  ['update', 'mcp:write', { collectionName: 'orders', recordId: 1, attributes: { status: 'draft' } }],
  [
    'associate',
    'mcp:write',
    { collectionName: 'customers', parentRecordId: 1, relationName: 'orders', targetRecordId: 4 },
  ],
  [
    'dissociate',
    'mcp:write',
    { collectionName: 'customers', parentRecordId: 1, relationName: 'orders', targetRecordIds: [1] },
  ],
  ['delete', 'mcp:delete', { collectionName: 'lines', recordIds: ['1|ab'] }],
  ['executeAction', 'mcp:action', { collectionName: 'orders', actionName: 'Ship', recordIds: [1] }],
];

describe('requests at the edge of the protocol', () => {
  it('a page of this machine on any port may ask, and no page without an address (row 3)', async () => {
    const agent = await startShopAgent();
    const origins = [
      'http://localhost:6274',
      'http://127.0.0.1',
      'http://[::1]:1',
      'null',
      'http://localhost.evil.example',
    ];
    const statuses = await Promise.all(
      origins.map(async (origin) => (await post(agent, listTools, { headers: { origin } })).status),
    );
    expect(statuses).toEqual([200, 200, 200, 403, 403]);
    expect((await post(agent, listTools)).status).toBe(200);
  });

  it('bytes that are not text are not JSON, and of two members with one name the last one counts (row 5)', async () => {
    const agent = await startShopAgent();
    const truncated = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/list","x":"'),
      Buffer.from([0xc3]),
    ]);
    const answer = await post(agent, truncated);
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([400, -32_700]);
    const twice = listOrders.replace('"name":"list"', '"name":"delete","name":"list"');
    // The scope and the tool are judged by the same reading.
    const read = await post(agent, twice, { token: await tokenWith(agent, 'mcp:read') });
    expect([read.status, read.text]).toEqual([200, expect.stringContaining('"hasMore"')]);
    const other = listOrders.replace('"name":"list"', '"name":"list","name":"delete"');
    expect((await post(agent, other, { token: await tokenWith(agent, 'mcp:read') })).status).toBe(403);
  });

  it('the name in the header is decoded, then compared (row 7, 8)', async () => {
    const agent = await startShopAgent();
    const asked = { name: 'list', arguments: { collectionName: 'orders' } };
    const { body } = modern('tools/call', asked, 'list');
    const named = async (name: string) =>
      (await post(agent, body, { headers: { ...modern('tools/call', asked, name).options.headers } })).status;
    const encoded = `=?base64?${Buffer.from('list').toString('base64')}?=`;
    expect([await named('list'), await named(encoded)]).toEqual([200, 200]);
    const others = ['delete', `=?base64?${Buffer.from('delete').toString('base64')}?=`, '=?base64?bGlzdA', 'LIST'];
    for (const name of others) expect([name, await named(name)]).toEqual([name, 400]);
  });

  it('an unknown revision is refused, and one that the body contradicts (row 9)', async () => {
    const agent = await startShopAgent();
    const { body, options } = modern('tools/list');
    const asked = async (version: string, sent = body) => {
      const headers = { ...options.headers, 'mcp-protocol-version': version };
      const { status, text } = await post(agent, sent, { headers });
      return [status, JSON.parse(text).error?.code];
    };
    expect(await asked('2026-07-28')).toEqual([200, undefined]);
    expect(await asked('2031-01-01', body.replaceAll('2026-07-28', '2031-01-01'))).toEqual([400, -32_022]);
    expect(await asked('2025-11-25')).toEqual([400, -32_020]);
    expect(await asked('2026-07-28', listTools)).toEqual([400, -32_602]);
  });

  it('an unknown method is 404 in the new revision, and an error of the message before (row 10)', async () => {
    const agent = await startShopAgent();
    const { body, options } = modern('no/such');
    const now = await post(agent, body, options);
    expect([now.status, JSON.parse(now.text).error.code]).toEqual([404, -32_601]);
    const before = await post(agent, message('no/such'));
    expect([before.status, before.text]).toEqual([200, expect.stringContaining('-32601')]);
  });

  it('a document of metadata that is not there is 404 (row 17)', async () => {
    const agent = await startShopAgent();
    const statusOf = async (path: string) => (await post(agent, '', { method: 'GET', path, token: null })).status;
    expect(await statusOf('/.well-known/oauth-protected-resource/mcp')).toBe(200);
    const absent = ['oauth-protected-resource', 'oauth-protected-resource/other', 'openid-configuration', ''];
    for (const name of absent) expect([name, await statusOf(`/.well-known/${name}`)]).toEqual([name, 404]);
  });

  it('a write whose client goes away is reported as it ended (row 12)', async () => {
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const platform = createMemoryPlatform();
    const activity = { platform, serverUrl: 'https://platform.test', folder: await temporaryFolder() };
    const agent = await startShopAgent(
      (customized: Agent) =>
        customized.customizeCollection('customers', (customers) =>
          customers.addHook('Before', 'Create', async () => {
            begun.resolve();
            await goOn.promise;
          }),
        ),
      { activity },
    );
    const client = new AbortController();
    const sent = fetch(agent.mcpUrl, {
      method: 'POST',
      signal: client.signal,
      headers: {
        authorization: `Bearer ${agent.mcpToken}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: tool('create', { collectionName: 'customers', attributes: { name: 'Ada' } }),
    });
    sent.catch(() => undefined);
    await begun.promise;
    client.abort();
    await expect(sent).rejects.toThrow('aborted');
    goOn.resolve();
    const count = async () => ((await call(agent, '/customers/count')).json as { count: number }).count;
    await expect.poll(count).toBe(3);
    await agent.runtime.stop(10_000);
    expect(platform.stored.map(({ action, status }) => [action, status])).toEqual([['create', 'completed']]);
  });

  it('an id is a text or a whole number, and may come twice at the same time (row 13)', async () => {
    const agent = await startShopAgent();
    for (const id of ['null', '1.5', '{}', 'true']) {
      const { status, text } = await post(agent, listOrders.replace('"id":1', `"id":${id}`));
      expect([id, status, text]).toEqual([
        id,
        expect.toSatisfy((code) => code === 400),
        expect.stringContaining('error'),
      ]);
    }
    const both = await Promise.all([post(agent, listOrders), post(agent, listOrders)]);
    expect(both.map(({ status, text }) => [status, JSON.parse(text).id])).toEqual([
      [200, 1],
      [200, 1],
    ]);
  });
});

describe('tokens and scopes', () => {
  it('a token counts in the header alone (row 41)', async () => {
    const agent = await startShopAgent();
    const { mcpToken } = agent;
    const elsewhere = [
      { path: `/mcp?access_token=${mcpToken}` },
      { path: `/mcp?token=${mcpToken}` },
      { headers: { cookie: `access_token=${mcpToken}; token=${mcpToken}` } },
      { headers: { 'x-access-token': mcpToken } },
      { headers: { authorization: `Basic ${Buffer.from(`ada:${mcpToken}`).toString('base64')}` } },
      { headers: { authorization: mcpToken } },
      { headers: { authorization: `Bearer ${mcpToken} ${mcpToken}` } },
      { headers: { authorization: ['Bearer wrong', `Bearer ${mcpToken}`] } },
    ];
    for (const options of elsewhere) {
      const { status } = await post(agent, listTools, { token: null, ...options });
      expect([options, status]).toEqual([options, 401]);
    }
    for (const authorization of [`bearer ${mcpToken}`, `BEARER  ${mcpToken}  `]) {
      expect((await post(agent, listTools, { token: null, headers: { authorization } })).status).toBe(200);
    }
  });

  it('a token to read with changes nothing: every tool that writes is challenged for its scope (row 42)', async () => {
    const agent = await startShopAgent((customized: Agent) =>
      customized.customizeCollection('orders', (orders) =>
        orders.addAction('Ship', { scope: 'Single', execute: () => expect.unreachable() }),
      ),
    );
    const token = await tokenWith(agent, 'mcp:read');
    for (const [name, scope, args] of writes) {
      const { status, headers } = await post(agent, tool(name, args), { token });
      expect([name, status]).toEqual([name, 403]);
      expect(headers['www-authenticate']).toContain('error="insufficient_scope"');
      expect(headers['www-authenticate']).toContain(`scope="mcp:read ${scope}"`);
      expect(headers['www-authenticate']).toContain('resource_metadata="');
    }
    expect((await call(agent, '/lines/count')).json).toEqual({ count: 3 });
    expect((await call(agent, '/customers/count')).json).toEqual({ count: 2 });
    expect((await call(agent, '/orders/1')).json).toMatchObject({ data: { attributes: { status: 'paid' } } });
  });

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['blank', '  '],
    ['a list', ['mcp:read', 'mcp:write']],
    ['unknown', 'mcp:admin'],
  ])('scopes that are %s allow nothing (row 43)', async (_case, scope) => {
    const agent = await startShopAgent();
    const now = Math.floor(Date.now() / 1000);
    const claims = { ...identity, aud: agent.mcpUrl, iat: now, exp: now + 60 };
    const sign = (more: object) =>
      new SignJWT({ ...claims, ...more })
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
        .sign(mcpTokenKey(authSecret));
    expect((await post(agent, listOrders, { token: await sign({ scope: 'mcp:read' }) })).status).toBe(200);
    const { status, headers } = await post(agent, listOrders, { token: await sign({ scope }) });
    expect([status, headers['www-authenticate']]).toEqual([403, expect.stringContaining('error="insufficient_scope"')]);
  });

  it('the list holds the tools of the scopes only, and a call of another one is refused all the same (row 44)', async () => {
    const agent = await startShopAgent();
    const namesFor = async (...scopes: readonly McpScope[]) => {
      const client = await connectMcp({ ...agent, mcpToken: await tokenWith(agent, ...scopes) });
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    expect(await namesFor('mcp:read')).toEqual(['describeCollection', 'list', 'listRelated']);
    expect(await namesFor('mcp:delete')).toEqual(['delete']);
    const token = await tokenWith(agent, 'mcp:delete');
    expect((await post(agent, listOrders, { token })).status).toBe(403);
  });
});

describe('load, caches and settings', () => {
  it('a flood is answered with 429 beyond the limit, and others are served meanwhile (row 65)', {
    tags: 'long',
  }, async () => {
    const agent = await startShopAgent(undefined, { mcpSafety: { limits: { callsPerMinute: 20 } } });
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => post(agent, listOrders)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length + refused.length).toBe(1_000);
    expect(refused.length).toBeGreaterThan(900);
    expect(refused.every(({ headers }) => Number(headers['retry-after']) > 0)).toBe(true);
    const stranger = await tokens.issue({ ...identity, id: 8 }, agent.mcpUrl, ['mcp:read']);
    expect((await post(agent, listOrders, { token: stranger })).status).toBe(200);
    expect((await call(agent, '/orders/count')).status).toBe(200);
  });

  it('no cache shares what one person was shown with another (row 66)', async () => {
    const agent = await startShopAgent(undefined, { mcpTools: ['list', 'getRecord'] });
    const asked = [
      modern('server/discover'),
      modern('tools/list'),
      modern('resources/read', { uri: 'vendor-cloud://orders/1' }, 'vendor-cloud://orders/1'),
    ];
    for (const { body, options } of asked) {
      const { status, headers, text } = await post(agent, body, options);
      const { result } = JSON.parse(text);
      expect([body, status, result?.cacheScope, headers['cache-control'] ?? 'no-store']).toEqual([
        body,
        200,
        'private',
        expect.not.stringContaining('public'),
      ]);
    }
    // A list that a client keeps opens nothing: the call is judged by the token that it comes with.
    const { status } = await post(agent, listOrders, { token: await tokenWith(agent, 'mcp:write') });
    expect(status).toBe(403);
  });

  it('advertises its public address, whatever the proxy in front has changed (row 69)', async () => {
    const agent = await startShopAgent(undefined, { mcpServerUrl: 'https://admin.example.test' });
    const proxies = [
      { host: 'admin.example.test', 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example' },
      { host: 'admin.example.test', forwarded: 'host=evil.example;proto=http' },
      { host: '127.0.0.1:1234', 'x-forwarded-prefix': '/evil' },
    ];
    for (const headers of proxies) {
      const { headers: answered } = await post(agent, listTools, { headers, token: null });
      expect(answered['www-authenticate']).toContain(
        'resource_metadata="https://admin.example.test/.well-known/oauth-protected-resource/mcp"',
      );
      const path = '/.well-known/oauth-protected-resource/mcp';
      const { status, text } = await post(agent, '', { method: 'GET', path, headers, token: null });
      expect([status, JSON.parse(text)]).toMatchObject([
        200,
        { resource: 'https://admin.example.test/mcp', authorization_servers: ['https://admin.example.test'] },
      ]);
    }
    const evil = await post(agent, listTools, { headers: { host: 'evil.example' } });
    expect(evil.status).toBe(403);
  });

  it('a confirmed call goes through at the limits: nothing of it is counted twice (row 65)', async () => {
    const agent = await startShopAgent(undefined, { mcpSafety: { limits: { callsPerMinute: 2, writesPerMinute: 2 } } });
    const { result } = await confirmedCall(agent, 'delete', { collectionName: 'lines', recordIds: ['1|ab'] });
    expect(result.structuredContent).toEqual({ status: 'deleted', deletedCount: 1 });
    expect((await mcpCall(agent, 'list', { collectionName: 'lines' })).status).toBe(429);
  });
});
