import { describe, expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { openConsoleBrowser, signInToConsole } from '../helpers/console-browser.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { mcpCall } from '../helpers/mcp-call.ts';
import { message, modern, post } from '../helpers/mcp-post.ts';
import { authSecret, call, identity, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

interface Answer {
  readonly result: {
    readonly tools: readonly { readonly name: string }[];
    readonly structuredContent: Readonly<Record<string, unknown>>;
    readonly isError?: boolean;
  };
}

const path = '/_internal/mcp';
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const callOf = (name: string, args: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 2, method: 'tools/call' },
  params: { name, arguments: args },
});

async function ask(agent: ShopAgent, body: unknown, token = agent.token) {
  const { status, json, text } = await call(agent, path, { method: 'POST', body, token });
  return { status, text, answer: json as Answer };
}

const tokenOf = (claims: object) =>
  createSessionTokens(authSecret, systemClock, () => false).issue({ ...identity, ...claims });

describe('the MCP server, asked by a person of the REST API', () => {
  it('lists the tools and answers their calls as it does for a client', async () => {
    const agent = await startShopAgent();
    const { body, options } = modern('tools/list');
    const listed = JSON.parse((await post(agent, body, options)).text) as Answer;
    expect((await ask(agent, list)).answer.result.tools).toEqual(listed.result.tools);
    const orders = { collectionName: 'orders', fields: ['id', 'status'], sort: 'id' };
    const own = (await ask(agent, callOf('list', orders))).answer.result;
    expect(own.structuredContent).toEqual((await mcpCall(agent, 'list', orders)).result.structuredContent);
    const refused = (await ask(agent, callOf('list', { collectionName: 'ordrs' }))).answer.result;
    expect(refused.isError).toBe(true);
    const asked = (await ask(agent, callOf('delete', { collectionName: 'orders', recordIds: [2] }))).answer.result;
    expect(asked.structuredContent).toMatchObject({ status: 'confirmation_required', count: 1 });
    const { confirmationToken } = asked.structuredContent;
    const confirmed = callOf('delete', { collectionName: 'orders', recordIds: [2], confirmationToken });
    expect((await ask(agent, confirmed)).answer.result).toMatchObject({ structuredContent: { deletedCount: 1 } });
  });

  it('takes only the list and calls of tools', async () => {
    const agent = await startShopAgent();
    const wrong = [
      JSON.parse(message('prompts/list')),
      JSON.parse(message('resources/read', { uri: 'vendor-cloud://orders/1' })),
      { ...list, params: { _meta: {} } },
      callOf('list\r\nx: y'),
      { ...callOf('list'), id: null },
      [list],
      'tools/list',
    ];
    for (const body of wrong) expect((await ask(agent, body)).status).toBe(400);
    expect((await ask(agent, list, 'nonsense')).status).toBe(401);
  });

  it('refuses programs, which have a way of their own, and tokens that only read', async () => {
    const agent = await startShopAgent();
    const program = await tokenOf({ client: { id: 'nightly-sync', name: 'nightly-sync' } });
    expect((await ask(agent, list, program)).status).toBe(403);
    expect((await ask(agent, list, await tokenOf({ readOnly: true }))).status).toBe(403);
    expect((await ask(agent, list, await tokenOf({}))).status).toBe(200);
  });
});

/** A shop with an MCP server behind the mounts, and the browser of its developer. */
async function startMountedShop(hasMcp = true) {
  let agentUrl: string | undefined;
  const shop = await createEmbeddedShop({}, { reachAgent: () => agentUrl });
  shop.agent.addDataSource(createSqlDataSource(shop.databaseUri));
  if (hasMcp) shop.agent.mountAiMcpServer({});
  shop.agent.mountOnStandaloneServer(0);
  await shop.agent.start();
  agentUrl = `http://127.0.0.1:${shop.agent.standaloneServerPort}/service`;
  const browser = openConsoleBrowser(shop.sandbox);
  await signInToConsole(browser, shop.sandbox, { token: shop.access.userToken });
  const askAs = async (body: unknown, headers?: Readonly<Record<string, string | undefined>>) => {
    const answer = await browser.ask('POST', `/console/agent/development${path}?timezone=UTC`, body, headers);
    const text = await answer.text();
    return { status: answer.status, answer: (text.startsWith('{') ? JSON.parse(text) : undefined) as Answer };
  };
  const platform = async (method: string, route: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${shop.access.userToken}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await fetch(shop.sandbox.url + route, { method, headers, ...sent })).json() as Promise<unknown>;
  };
  return { ...shop, askAs, platform };
}

describe('the MCP server, asked by a page of the console', () => {
  it('answers whoever is signed in, is in the log as Console, and follows the rights of that client', async () => {
    const { askAs, platform } = await startMountedShop();
    expect((await askAs(callOf('list', { collectionName: 'orders' }))).answer.result.isError).toBeUndefined();
    const log = '/v1/project/shop/environment/development/activity-logs?client=console&expand=source';
    await expect
      .poll(() => platform('GET', log))
      .toMatchObject({ data: [{ action: 'index', tool: 'list', source: 'mcp', client: { name: 'Console' } }] });
    const everything = { browse: true, read: true, edit: true };
    const roles = { Administrators: { collections: { '*': everything } } };
    const clients = { console: { tools: ['list'] } };
    await platform('PUT', '/api/rights', { document: { roles, clients }, base: 0 });
    await expect.poll(async () => (await askAs(list)).answer.result.tools.map(({ name }) => name)).toEqual(['list']);
  });

  it('hears pages of the platform only', async () => {
    const { askAs } = await startMountedShop();
    expect((await askAs(list, { 'service-client': undefined })).status).toBe(401);
    expect((await askAs(list, { 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await askAs(JSON.stringify(list), { 'content-type': 'text/plain' })).status).toBe(403);
  });

  it('is not there where the agent has none', async () => {
    const { askAs } = await startMountedShop(false);
    expect((await askAs(list)).status).toBe(404);
  });
});
