import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import type { Agent } from '#runtime/index';
import { createMcpTokens } from '#runtime/surfaces/mcp/mcp-token';
import { confirmedCall, errorOf, mcpCall } from '../helpers/mcp-call.ts';
import { authSecret, call, identity, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const deletion = { collectionName: 'orders', recordIds: [2, 3] };
const canAsk = { elicitation: {} };

const countOrders = async (agent: ShopAgent) => (await call(agent, '/orders/count')).json;

/** A token of somebody else. */
function tokenOf(agent: ShopAgent, id: number) {
  const tokens = createMcpTokens(authSecret, systemClock, systemRandom, () => false);
  return tokens.issue({ ...identity, id }, agent.mcpUrl, ['mcp:read', 'mcp:write', 'mcp:delete', 'mcp:action']);
}

async function ask(agent: ShopAgent, args: Record<string, unknown> = deletion) {
  const { result } = await mcpCall(agent, 'delete', args, { capabilities: canAsk });
  return result.requestState;
}

function answer(agent: ShopAgent, requestState: string | undefined, confirm: unknown, args: object = deletion) {
  return mcpCall(agent, 'delete', args as Record<string, unknown>, {
    capabilities: canAsk,
    reply: { requestState, confirm },
  });
}

const yes = { action: 'accept', content: { confirm: true } };

describe('the confirmation of a client that can ask the person', () => {
  it('shows the count and a sample, and deletes when the person agrees', async () => {
    const agent = await startShopAgent();
    const { result } = await mcpCall(agent, 'delete', deletion, { capabilities: canAsk });
    expect(result.resultType).toBe('input_required');
    expect(result.inputRequests?.confirm.params.message).toBe(
      'Delete 2 of the records of "orders". ("2: A-2", "3: A-3")',
    );
    expect(await countOrders(agent)).toEqual({ count: 4 });
    const done = await answer(agent, result.requestState, yes);
    expect(done.result.structuredContent).toEqual({ status: 'deleted', deletedCount: 2 });
    expect(await countOrders(agent)).toEqual({ count: 2 });
  });

  it.each([
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
    ['leaves the box empty', { action: 'accept', content: { confirm: false } }],
    ['sends something else', { action: 'accept', content: { confirm: 'true' } }],
  ])('does nothing when the person %s', async (_case, confirm) => {
    const agent = await startShopAgent();
    const refused = errorOf(await answer(agent, await ask(agent), confirm));
    expect(refused).toMatchObject({ code: 'MCP_CONFIRMATION_DECLINED', retryable: false });
    expect(await countOrders(agent)).toEqual({ count: 4 });
  });

  it('refuses an answer to another question', async () => {
    const agent = await startShopAgent();
    const state = await ask(agent);
    const [header, payload, signature] = String(state).split('.');
    const tampered = `${header}.${payload}.${signature?.replaceAll(/./g, 'A')}`;
    const other = { ...deletion, recordIds: [2] };
    const stranger = await tokenOf(agent, 8);
    const codes = [
      errorOf(await answer(agent, tampered, yes))['code'],
      errorOf(await answer(agent, 'no token at all', yes))['code'],
      errorOf(await answer(agent, state, yes, other))['code'],
      errorOf(
        await mcpCall(agent, 'delete', deletion, {
          token: stranger,
          capabilities: canAsk,
          reply: { requestState: state, confirm: yes },
        }),
      )['code'],
    ];
    expect(codes).toEqual(codes.map(() => 'MCP_CONFIRMATION_INVALID'));
    expect(await countOrders(agent)).toEqual({ count: 4 });
  });

  it('asks again when the answer is not there', async () => {
    const agent = await startShopAgent();
    const again = await answer(agent, await ask(agent), { nothing: true });
    expect(again.result.resultType).toBe('input_required');
  });

  it('asks by a second call where the client has addresses and no forms', async () => {
    const agent = await startShopAgent();
    const { result } = await mcpCall(agent, 'delete', deletion, { capabilities: { elicitation: { url: {} } } });
    expect(result.structuredContent).toMatchObject({ status: 'confirmation_required' });
  });

  it('does not take a second call in the place of the person', async () => {
    const agent = await startShopAgent();
    const refused = await mcpCall(
      agent,
      'delete',
      { ...deletion, confirmationToken: await ask(agent) },
      { capabilities: canAsk },
    );
    expect(errorOf(refused)).toMatchObject({ code: 'MCP_CONFIRMATION_INVALID' });
  });
});

describe('the official client of the revision before', () => {
  it('confirms by a second call, whatever it could ask', async () => {
    const agent = await startShopAgent();
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: { elicitation: {} } });
    const requestInit = { headers: { authorization: `Bearer ${agent.mcpToken}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(agent.mcpUrl), { requestInit }));
    onTestFinished(() => client.close());
    // It checks answers against the schemas of the list.
    await client.listTools();
    const asked = await client.callTool({ name: 'delete', arguments: deletion });
    const { confirmationToken } = asked.structuredContent as { confirmationToken: string };
    const done = await client.callTool({ name: 'delete', arguments: { ...deletion, confirmationToken } });
    expect(done.structuredContent).toEqual({ status: 'deleted', deletedCount: 2 });
  });
});

describe('the confirmation by a second call', () => {
  it('shows the count and a sample, and is good for one use', async () => {
    const agent = await startShopAgent();
    const { result } = await mcpCall(agent, 'delete', deletion);
    expect(result.structuredContent).toMatchObject({
      status: 'confirmation_required',
      count: 2,
      sample: [
        { id: '2', label: 'A-2' },
        { id: '3', label: 'A-3' },
      ],
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(await countOrders(agent)).toEqual({ count: 4 });
    const confirmed = { ...deletion, confirmationToken: result.structuredContent['confirmationToken'] };
    expect((await mcpCall(agent, 'delete', confirmed)).result.structuredContent).toMatchObject({ deletedCount: 2 });
    await call(agent, '/orders', { method: 'POST', body: { data: { attributes: { id: 2, ref: 'A-2' } } } });
    await call(agent, '/orders', { method: 'POST', body: { data: { attributes: { id: 3, ref: 'A-3' } } } });
    expect(errorOf(await mcpCall(agent, 'delete', confirmed))).toMatchObject({
      code: 'MCP_CONFIRMATION_INVALID',
      message: 'The confirmation does not hold. It was used before. Nothing was done.',
    });
    expect(await countOrders(agent)).toEqual({ count: 4 });
  });

  it('shows the titles that code says', async () => {
    const agent = await startShopAgent((shop: Agent) =>
      shop.customizeCollection('orders', (orders) => orders.setTitle('status')),
    );
    const { result } = await mcpCall(agent, 'delete', deletion);
    expect(result.structuredContent['sample']).toEqual([
      { id: '2', label: 'draft' },
      { id: '3', label: 'draft' },
    ]);
  });

  it('does not hold when the records have changed since', async () => {
    const agent = await startShopAgent();
    const { result } = await mcpCall(agent, 'delete', deletion);
    await call(agent, '/orders/2', { method: 'PUT', body: { data: { attributes: { ref: 'other' } } } });
    const { confirmationToken } = result.structuredContent;
    expect(errorOf(await mcpCall(agent, 'delete', { ...deletion, confirmationToken }))).toMatchObject({
      message: expect.stringContaining('The records have changed since.'),
    });
    expect(await countOrders(agent)).toEqual({ count: 4 });
  });

  it('does nothing while the platform cannot tell whether it was used before', async () => {
    const agent = await startShopAgent(undefined, {
      platform: {
        environmentPermissions: async () => true,
        users: async () => [],
        renderingPermissions: async () => ({ team: { id: 1, name: 'Operations' }, collections: {}, stats: [] }),
        spendApproval: async () => {
          throw new TypeError('The platform is away.');
        },
      },
    });
    expect(errorOf(await confirmedCall(agent, 'delete', deletion))).toEqual({
      code: 'MCP_FIRST_USE_UNKNOWN',
      message: 'The agent cannot answer now.',
      retryable: true,
      nextSteps: ['Try again in a moment.'],
    });
    expect(await countOrders(agent)).toEqual({ count: 4 });
  });
});

describe('idempotency keys', () => {
  const creation = { collectionName: 'customers', attributes: { name: 'Ada' }, idempotencyKey: 'k-1' };

  it('the same key gets the first answer again', async () => {
    const agent = await startShopAgent();
    const [first, second] = await Promise.all([mcpCall(agent, 'create', creation), mcpCall(agent, 'create', creation)]);
    const third = await mcpCall(agent, 'create', creation);
    expect(second.result.structuredContent).toEqual(first.result.structuredContent);
    expect(third.result.structuredContent).toEqual(first.result.structuredContent);
    expect((await call(agent, '/customers/count')).json).toEqual({ count: 3 });
  });

  it('the same key with other arguments is refused', async () => {
    const agent = await startShopAgent();
    await mcpCall(agent, 'create', creation);
    const other = { ...creation, attributes: { name: 'Bo' } };
    expect(errorOf(await mcpCall(agent, 'create', other))).toMatchObject({ code: 'REQUEST_CONFLICT' });
    expect((await call(agent, '/customers/count')).json).toEqual({ count: 3 });
  });

  it('the key of another person is another key', async () => {
    const agent = await startShopAgent();
    await mcpCall(agent, 'create', creation);
    await mcpCall(agent, 'create', creation, { token: await tokenOf(agent, 8) });
    expect((await call(agent, '/customers/count')).json).toEqual({ count: 4 });
  });

  it('a call that was refused may be made again with its key', async () => {
    const agent = await startShopAgent();
    const taken = { collectionName: 'orders', attributes: { ref: 'A-1' }, idempotencyKey: 'k-2' };
    expect((await mcpCall(agent, 'create', taken)).result.isError).toBe(true);
    await confirmedCall(agent, 'delete', { collectionName: 'lines', recordIds: ['1|ab'] });
    await confirmedCall(agent, 'delete', { collectionName: 'orders', recordIds: [1] });
    expect((await mcpCall(agent, 'create', taken)).result.structuredContent).toMatchObject({ status: 'created' });
  });
});

describe('the read-only mode', () => {
  it('neither lists nor runs the tools that write, whatever the token allows', async () => {
    const agent = await startShopAgent(undefined, { mcpSafety: { isReadOnly: true } });
    for (const name of ['create', 'update', 'delete', 'associate', 'dissociate', 'executeAction']) {
      expect([name, (await mcpCall(agent, name, {})).error?.code]).toEqual([name, -32602]);
    }
    expect((await mcpCall(agent, 'list', { collectionName: 'orders' })).result.isError).toBeUndefined();
  });
});

describe('the limits of the MCP server', () => {
  it('a person may write so often within a minute, and read on', async () => {
    const agent = await startShopAgent(undefined, { mcpSafety: { limits: { writesPerMinute: 2 } } });
    const write = () => mcpCall(agent, 'create', { collectionName: 'customers', attributes: { name: 'x' } });
    await write();
    await write();
    expect(errorOf(await write())).toMatchObject({
      code: 'MCP_LIMIT_REACHED',
      retryable: true,
      retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 30),
    });
    expect((await call(agent, '/customers/count')).json).toEqual({ count: 4 });
    expect((await mcpCall(agent, 'list', { collectionName: 'customers' })).result.isError).toBeUndefined();
    const other = await mcpCall(
      agent,
      'create',
      { collectionName: 'customers', attributes: { name: 'x' } },
      { token: await tokenOf(agent, 8) },
    );
    expect(other.result.isError).toBeUndefined();
  });

  it('a person may send this many requests within a minute; more are 429, before anything of them is read', async () => {
    const agent = await startShopAgent(undefined, { mcpSafety: { limits: { callsPerMinute: 2 } } });
    const send = (token: string, body: string) =>
      fetch(agent.mcpUrl, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body,
      });
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect((await send(agent.mcpToken, list)).status).toBe(200);
    expect((await send(agent.mcpToken, 'no JSON')).status).toBe(400);
    for (const body of [list, 'no JSON']) {
      const refused = await send(agent.mcpToken, body);
      expect([refused.status, await refused.json()]).toEqual([
        429,
        { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.stringContaining('within a minute') } },
      ]);
      expect(Number(refused.headers.get('retry-after'))).toSatisfy((seconds) => seconds > 0 && seconds <= 30);
    }
    expect((await send(await tokenOf(agent, 8), list)).status).toBe(200);
  });

  it('a call changes this many records', async () => {
    const agent = await startShopAgent(undefined, { mcpSafety: { limits: { recordsPerCall: 1 } } });
    expect(errorOf(await mcpCall(agent, 'delete', deletion))).toMatchObject({
      code: 'REQUEST_INVALID',
      message: 'The call names 2 records; one call changes at most 1.',
    });
  });
});
