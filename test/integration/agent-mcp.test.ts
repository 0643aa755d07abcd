import { hkdfSync } from 'node:crypto';
import type { ToolAnnotations } from '@modelcontextprotocol/client';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { mcpScopes } from '#contracts/mcp';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createSqlDataSource } from '#runtime/index';
import { createMcpTokens } from '#runtime/surfaces/mcp/mcp-token';
import { connectMcp, jsonInText } from '../helpers/mcp-client.ts';
import { message, modern, post } from '../helpers/mcp-post.ts';
import { authSecret, call, createShopFile, identity, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

/** The parameter of a challenge that tells where to get a token. */
const metadataOf = ({ mcpUrl }: ShopAgent) =>
  `resource_metadata="${new URL(mcpUrl).origin}/.well-known/oauth-protected-resource/mcp"`;

const signed = (claims: Record<string, unknown>, header: { alg: string; typ?: string }, key: string | Uint8Array) =>
  new SignJWT(claims)
    .setProtectedHeader(header)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(typeof key === 'string' ? new TextEncoder().encode(key) : key);

const hintsOf = (hints: ToolAnnotations | undefined) => [
  hints?.readOnlyHint,
  hints?.destructiveHint,
  hints?.idempotentHint,
  hints?.openWorldHint,
];

describe('the MCP server, called by the official client', () => {
  it('describes its tools with all four hints and with schemas for input and output', async () => {
    const client = await connectMcp(await startShopAgent());
    const { tools } = await client.listTools();
    // Reads only, destroys, does the same when called again, reaches beyond the data of the project.
    expect(tools.map(({ name, annotations }) => [name, hintsOf(annotations)])).toEqual([
      ['describeCollection', [true, false, true, false]],
      ['list', [true, false, true, false]],
      ['listRelated', [true, false, true, false]],
      ['create', [false, false, false, false]],
      ['update', [false, true, true, false]],
      ['delete', [false, true, true, false]],
      ['associate', [false, false, true, false]],
      ['dissociate', [false, true, true, false]],
      ['getActionForm', [true, false, true, false]],
      ['executeAction', [false, true, false, true]],
    ]);
    for (const tool of tools) expect(tool.outputSchema).toBeDefined();
  });

  it('describes a collection', async () => {
    const client = await connectMcp(await startShopAgent());
    const result = await client.callTool({ name: 'describeCollection', arguments: { collectionName: 'orders' } });
    expect(result.structuredContent).toMatchObject({
      collection: 'orders',
      primaryKey: ['id'],
      fields: expect.arrayContaining([
        { name: 'status', type: 'Enum', enumValues: ['draft', 'paid'], isSortable: true },
        { name: 'ref', type: 'String', isRequired: true, isSortable: true },
      ]),
      operators: { String: expect.arrayContaining(['Equal', 'IContains']) },
      relations: expect.arrayContaining([expect.objectContaining({ name: 'customer', targetCollection: 'customers' })]),
    });
    expect(jsonInText((result.content as { text: string }[])[0]?.text ?? '')).toEqual(result.structuredContent);
  });

  it('lists records: fields, filter, sort, page and count', async () => {
    const client = await connectMcp(await startShopAgent());
    const result = await client.callTool({
      name: 'list',
      arguments: {
        collectionName: 'orders',
        fields: ['ref', 'customer:name'],
        filters: { field: 'id', operator: 'LessThan', value: 4 },
        sort: { field: 'id', ascending: false },
        pagination: { size: 2 },
        enableCount: true,
      },
    });
    expect(result.structuredContent).toEqual({
      records: [
        { id: 3, ref: 'A-3', customer: { id: 2, name: 'Ünal' } },
        { id: 2, ref: 'A-2', customer: { id: 1, name: 'Zed' } },
      ],
      page: { number: 1, size: 2, returned: 2, hasMore: true, nextCursor: expect.any(String) },
      totalCount: 3,
    });
  });

  it('lists deleted records where deletion marks them', async () => {
    const uri = await createShopFile(
      undefined,
      "create table notes (id integer primary key, removed_at datetime); insert into notes values (1, null), (2, '2020-01-03');",
    );
    const main = createSqlDataSource(uri, { softDelete: { notes: 'removed_at' } });
    const client = await connectMcp(await startShopAgent(undefined, { dataSources: { main } }));
    const idsOf = async (more: Record<string, unknown>) => {
      const given = { collectionName: 'notes', fields: ['id'], enableCount: true, ...more };
      const { structuredContent } = await client.callTool({ name: 'list', arguments: given });
      return structuredContent;
    };
    const described = await client.callTool({ name: 'describeCollection', arguments: { collectionName: 'notes' } });
    expect(described.structuredContent).toMatchObject({ hasSoftDeletes: true });
    expect(await idsOf({})).toMatchObject({ records: [{ id: 1 }], totalCount: 1 });
    expect(await idsOf({ deleted: 'only' })).toMatchObject({ records: [{ id: 2 }], totalCount: 1 });
    expect(await idsOf({ deleted: 'with' })).toMatchObject({ totalCount: 2 });
  });

  it('reads tables without a key', async () => {
    const client = await connectMcp(await startShopAgent());
    const result = await client.callTool({ name: 'list', arguments: { collectionName: 'events' } });
    expect(result.structuredContent).toMatchObject({ records: [{ text: 'opened' }], page: { hasMore: false } });
  });

  it.each([
    ['an unknown collection', { collectionName: 'order' }, 'Did you mean \\"orders\\"'],
    ['an unknown field', { collectionName: 'orders', fields: ['reff'] }, 'REQUEST_FIELD_UNKNOWN'],
    [
      'an unknown operator',
      { collectionName: 'orders', filters: { field: 'id', operator: 'Nope' } },
      'Invalid filters',
    ],
    ['an unknown time zone', { collectionName: 'orders', timezone: 'Mars/Base' }, 'time zone'],
    ['a page that is too large', { collectionName: 'orders', pagination: { size: 1e9 } }, 'size'],
    ['a page before the first', { collectionName: 'orders', pagination: { number: 0 } }, 'number'],
  ])('tells the model what is wrong about %s', async (_case, args, expected) => {
    const client = await connectMcp(await startShopAgent());
    const result = await client.callTool({ name: 'list', arguments: args });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain(expected.replaceAll('\\"', '\\\\\\"'));
  });

  it('answers an unknown tool with a protocol error', async () => {
    const client = await connectMcp(await startShopAgent());
    await expect(client.callTool({ name: 'dropEverything', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  it('applies the rights and the scope of the caller', async () => {
    const allowed = { roles: [1] };
    const rights = {
      browseEnabled: allowed,
      readEnabled: allowed,
      editEnabled: false,
      addEnabled: false,
      deleteEnabled: false,
      exportEnabled: false,
    };
    const scope = { field: 'country', operator: 'equal', value: '{{currentUser.tags.country}}' };
    const agent = await startShopAgent(undefined, {
      platform: {
        environmentPermissions: async () => ({ collections: { customers: { collection: rights, actions: {} } } }),
        users: async () => [{ ...identity, fullName: 'Ada Lovelace', roleId: 1, tags: { country: 'DE' } }],
        renderingPermissions: async () => ({
          team: { id: 1, name: 'Operations' },
          collections: { customers: { scope, segments: [], liveQuerySegments: [] } },
          stats: [],
        }),
      },
    });
    const client = await connectMcp(agent);
    const customers = await client.callTool({
      name: 'list',
      arguments: { collectionName: 'customers', fields: ['name'] },
    });
    expect(customers.structuredContent).toMatchObject({ records: [{ id: 2, name: 'Ünal' }] });
    for (const name of ['list', 'describeCollection']) {
      const refused = await client.callTool({ name, arguments: { collectionName: 'orders' } });
      expect(refused.isError).toBe(true);
      expect(JSON.stringify(refused.content)).toContain('REQUEST_FORBIDDEN');
    }
    expect((await call(agent, '/orders')).status).toBe(403);
    expect((await call(agent, '/customers')).json).toMatchObject({ data: [{ id: '2' }] });
    expect((await call(agent, '/customers/1')).status).toBe(404);
  });
});

describe('the MCP server, by the revision 2026-07-28', () => {
  it('answers without an initialization before', async () => {
    const agent = await startShopAgent();
    const discover = modern('server/discover');
    const discovered = await post(agent, discover.body, discover.options);
    expect(discovered.status).toBe(200);
    expect(discovered.text).toContain('2026-07-28');
    const list = modern('tools/call', { name: 'list', arguments: { collectionName: 'customers' } }, 'list');
    const listed = await post(agent, list.body, list.options);
    expect(listed.status).toBe(200);
    expect(JSON.parse(listed.text)).toMatchObject({ result: { structuredContent: { page: { returned: 2 } } } });
  });

  it('gives the same answer to a plain call and to one that the protocol handler carries out', async () => {
    const agent = await startShopAgent();
    const given = { name: 'list', arguments: { collectionName: 'customers' } };
    const answerOf = (text: string) => {
      const answer = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
      // The boundary around the text is another one each time.
      return JSON.parse(JSON.stringify(answer).replaceAll(/data-[0-9a-f-]{36}/g, 'data'));
    };
    const plain = modern('tools/call', given, 'list');
    const message2026 = JSON.parse(plain.body);
    message2026.params._meta.progressToken = 1;
    const handled = JSON.stringify(message2026);
    expect(answerOf((await post(agent, plain.body, plain.options)).text)).toEqual(
      answerOf((await post(agent, handled, plain.options)).text),
    );
    const older = await post(agent, message('tools/call', given));
    const olderHandled = await post(agent, message('tools/call', { ...given, _meta: {} }));
    expect(older.headers['content-type']).toBe('application/json');
    expect(olderHandled.headers['content-type']).toBe('text/event-stream');
    expect(answerOf(older.text)).toEqual(answerOf(olderHandled.text));
  });

  it('refuses headers that do not match the body, and unknown methods with 404', async () => {
    const agent = await startShopAgent();
    const list = modern(
      'tools/call',
      { name: 'list', arguments: { collectionName: 'customers' } },
      'describeCollection',
    );
    const mismatch = await post(agent, list.body, list.options);
    expect(mismatch.status).toBe(400);
    expect(JSON.parse(mismatch.text)).toMatchObject({ error: { code: -32020 } });
    const unknown = modern('no/such');
    expect((await post(agent, unknown.body, unknown.options)).status).toBe(404);
  });
});

describe('the door of the MCP server', () => {
  it('challenges a request without a token', async () => {
    const agent = await startShopAgent();
    const { status, headers } = await post(agent, message('tools/list'), { token: null });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe(
      `Bearer scope="mcp:read mcp:write mcp:delete mcp:action", ${metadataOf(agent)}`,
    );
  });

  it('refuses every token that was not made for it', async () => {
    const agent = await startShopAgent();
    const foreign = createMcpTokens(authSecret, systemClock, systemRandom, () => false);
    const tokens = {
      'of the REST API': agent.token,
      'of another audience': await foreign.issue(identity, 'http://127.0.0.1:1/mcp', mcpScopes),
      'with the auth secret itself as the key': await signed(
        { ...identity, aud: agent.mcpUrl, scope: 'mcp:read' },
        { alg: 'HS256', typ: 'at+jwt' },
        authSecret,
      ),
      'without a signature': `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${agent.mcpToken.split('.')[1]}.`,
      'with the wrong signature': `${agent.mcpToken.slice(0, -4)}AAAA`,
    };
    for (const [kind, token] of Object.entries(tokens)) {
      const { status, headers } = await post(agent, message('tools/list'), { token });
      expect({ kind, status, challenge: headers['www-authenticate'] }).toEqual({
        kind,
        status: 401,
        challenge: expect.stringContaining('error="invalid_token"'),
      });
    }
    const inQuery = await post(agent, message('tools/list'), {
      token: null,
      path: `/mcp?access_token=${agent.mcpToken}`,
    });
    expect(inQuery.status).toBe(401);
  });

  it('refuses an expired token', async () => {
    const agent = await startShopAgent();
    const clock = { now: () => Date.now() - 3_601_000, monotonicMs: () => 0 };
    const tokens = createMcpTokens(authSecret, clock, systemRandom, () => false);
    const expired = await tokens.issue(identity, agent.mcpUrl, mcpScopes);
    expect((await post(agent, message('tools/list'), { token: expired })).status).toBe(401);
  });

  it('refuses a token without the scope with 403, naming it', async () => {
    const agent = await startShopAgent();
    const key = new Uint8Array(hkdfSync('sha256', authSecret, '', 'vendor-cloud mcp access token', 32));
    const claims = { ...identity, aud: agent.mcpUrl, scope: 'mcp:other' };
    const token = await signed(claims, { alg: 'HS256', typ: 'at+jwt' }, key);
    const { status, headers } = await post(agent, message('tools/list'), { token });
    expect(status).toBe(403);
    expect(headers['www-authenticate']).toContain('error="insufficient_scope"');
    expect(headers['www-authenticate']).toContain('scope="mcp:read mcp:write mcp:delete mcp:action"');
  });

  it('shows and runs only the tools that the scopes of the token allow', async () => {
    const agent = await startShopAgent();
    const token = await createMcpTokens(authSecret, systemClock, systemRandom, () => false).issue(
      identity,
      agent.mcpUrl,
      ['mcp:write'],
    );
    const listed = await post(agent, message('tools/list'), { token });
    expect(listed.status).toBe(200);
    expect(listed.text).not.toContain('describeCollection');
    const called = await post(
      agent,
      message('tools/call', { name: 'list', arguments: { collectionName: 'customers' } }),
      { token },
    );
    expect(called.status).toBe(403);
    expect(called.headers['www-authenticate']).toBe(
      `Bearer error="insufficient_scope", error_description="The tool 'list' needs a token with the scope mcp:read.", scope="mcp:read mcp:write", ${metadataOf(agent)}`,
    );
  });

  it('answers an unknown tool with an error of the protocol', async () => {
    const { status, text } = await post(await startShopAgent(), message('tools/call', { name: 'drop', arguments: {} }));
    expect(status).toBe(200);
    expect(text).toContain('"code":-32602');
  });

  it('refuses an unknown argument by its name, as a structured error', async () => {
    const call = message('tools/call', { name: 'list', arguments: { collectionName: 'customers', serch: 'x' } });
    const { text } = await post(await startShopAgent(), call);
    const data =
      text
        .split('\n')
        .find((line) => line.startsWith('data: '))
        ?.slice(6) ?? text;
    const { result } = JSON.parse(data);
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0].text).error).toMatchObject({
      code: 'REQUEST_INVALID',
      message: 'The tool "list" has no argument "serch". Did you mean "search"?',
    });
  });

  it('refuses foreign hosts and pages before it looks at the token', async () => {
    const agent = await startShopAgent();
    const foreign = [{ host: 'evil.example' }, { origin: 'https://evil.example' }, { origin: 'null' }];
    for (const headers of foreign) {
      expect({ headers, status: (await post(agent, message('tools/list'), { headers })).status }).toEqual({
        headers,
        status: 403,
      });
    }
    const own = await post(agent, message('tools/list'), { headers: { origin: 'http://localhost:6274' } });
    expect(own.status).toBe(200);
  });
});

describe('the arguments and headers of other clients of MCP', () => {
  const call = (args: unknown) => message('tools/call', { name: 'list', arguments: args });
  const idsIn = (text: string) => {
    const [, json = text] = /^data: (.*)$/m.exec(text) ?? [];
    const { result } = JSON.parse(json) as { result?: { structuredContent?: { records: { id: number }[] } } };
    return result?.structuredContent?.records.map(({ id }) => id);
  };

  it.each<[string, unknown]>([
    [
      'null for what is left out',
      { collectionName: 'customers', fields: ['id'], sort: null, cursor: null, maxBytes: null },
    ],
    [
      'JSON text of a list and an object',
      { collectionName: 'customers', fields: '["id"]', pagination: '{"size":"20"}', sort: '{"field":"id"}' },
    ],
    ['all arguments as JSON text', '{"collectionName":"customers","fields":["id"],"sort":"id"}'],
  ])('is read: %s', async (_what, args) => {
    const { status, text } = await post(await startShopAgent(), call(args));
    expect(status, text).toBe(200);
    expect(idsIn(text)).toEqual([1, 2]);
  });

  it.each(['*/*', 'text/html, */*;q=0.8'])('is answered where they accept %s', async (accept) => {
    const agent = await startShopAgent();
    for (const body of [message('tools/list'), call({ collectionName: 'customers', fields: ['id'] })]) {
      expect((await post(agent, body, { headers: { accept } })).status).toBe(200);
    }
    expect((await post(agent, message('tools/list'), { headers: { accept: 'text/html' } })).status).toBe(406);
  });

  it('is a batch, under the revisions that have them', async () => {
    const agent = await startShopAgent();
    const one = (id: number) => ({ ...JSON.parse(call({ collectionName: 'customers', fields: ['id'] })), id });
    const batch = (...messages: unknown[]) => JSON.stringify(messages);
    for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
      const { status, text } = await post(agent, batch(one(7), one(8)), { headers });
      expect(status, text).toBe(200);
      for (const id of [7, 8]) expect(text).toContain(`"id":${id}`);
    }
    for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
      const { status, text } = await post(agent, batch(one(7)), { headers: { 'mcp-protocol-version': version } });
      expect([status, JSON.parse(text).error.code], version).toEqual([400, -32600]);
    }
    const many = Array.from({ length: 51 }, (_, id) => one(id));
    const greeting = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
    for (const wrong of [batch(...many), batch(greeting, one(2)), batch(1)]) {
      expect((await post(agent, wrong)).status).toBe(400);
    }
  });

  it('is a batch that needs the scopes of all of its messages', async () => {
    const agent = await startShopAgent();
    const tokens = createMcpTokens(authSecret, systemClock, systemRandom, () => false);
    const token = await tokens.issue(identity, agent.mcpUrl, ['mcp:read']);
    const deletion = JSON.parse(message('tools/call', { name: 'delete', arguments: {} }));
    const reading = JSON.parse(call({ collectionName: 'customers' }));
    const { status, headers } = await post(agent, JSON.stringify([reading, deletion]), { token });
    expect([status, headers['www-authenticate']]).toEqual([403, expect.stringContaining('insufficient_scope')]);
  });
});

describe('malformed requests to the MCP server', () => {
  it('is reached by the host of its public address, and by no foreign one', async () => {
    const agent = await startShopAgent(undefined, { mcpServerUrl: 'https://admin.example.test' });
    const behindProxy = { headers: { host: 'admin.example.test' } };
    const listed = await post(agent, message('tools/list'), behindProxy);
    expect(listed.status, listed.text).toBe(200);
    const challenged = await post(agent, message('tools/list'), { ...behindProxy, token: null });
    expect(challenged.headers['www-authenticate']).toContain(
      'resource_metadata="https://admin.example.test/.well-known/oauth-protected-resource/mcp"',
    );
    const foreign = await post(agent, message('tools/list'), { headers: { host: 'evil.example' } });
    expect(foreign.status).toBe(403);
  });

  it('allows POST only, and knows no other path', async () => {
    const agent = await startShopAgent();
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await post(agent, '', { method });
      expect({ status, allow: headers['allow'] }).toEqual({ status: 405, allow: 'POST' });
    }
    expect((await post(agent, message('tools/list'), { path: '/mcp/x' })).status).toBe(404);
    expect((await post(agent, message('tools/list'), { path: '/mcp/' })).status).toBe(200);
  });

  it.each([
    ['truncated JSON', '{"jsonrpc"', 400, -32700],
    ['no body', '', 400, -32700],
    ['JSON that is nested too deep', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 400, -32700],
    ['an empty batch', '[]', 400, -32600],
    ['a scalar', '12', 400, -32600],
    ['a body that is too large', `"${'x'.repeat(5 * 1024 * 1024)}"`, 413, -32600],
  ])('answers %s with a JSON-RPC error', async (_case, body, status, code) => {
    const answer = await post(await startShopAgent(), body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });
});
