import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Agent } from '#runtime/index';
import { type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const list = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list', arguments: { collectionName: 'orders' } },
};

function ask({ mcpUrl, mcpToken }: ShopAgent, headers: Readonly<Record<string, string>> = {}, body: object = list) {
  return fetch(mcpUrl, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${mcpToken}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

/** A shop whose lists wait until they are let go. */
function waitingShop() {
  const { promise: letGo, resolve: go } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  onTestFinished(() => go());
  const customize = (agent: Agent) => {
    agent.customizeCollection('orders', (orders) =>
      orders.addHook('Before', 'List', async () => {
        begin();
        await letGo;
      }),
    );
  };
  return { customize, begun, go };
}

/** What the server answers to a request that never ends. */
async function answerToHalf({ mcpUrl, mcpToken }: ShopAgent): Promise<string> {
  const { hostname, port, host } = new URL(mcpUrl);
  const socket = net.connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${mcpToken}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString();
}

describe('a request to the MCP server', () => {
  it('comes from an address that the project allows, as trusted proxies tell it', async () => {
    const ipRules = {
      ipRules: async () => ({ use_ip_whitelist: true, rules: [{ type: 2, range: '192.0.2.0/24' }] }),
    };
    const agent = await startShopAgent(undefined, { ipRules, trustedProxies: ['127.0.0.1'] });
    expect((await ask(agent)).status).toBe(200);
    expect((await ask(agent, { 'x-forwarded-for': '192.0.2.7' })).status).toBe(200);
    const refused = await ask(agent, { 'x-forwarded-for': '198.51.100.1' });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('198.51.100.1')]);
    const credulous = await startShopAgent(undefined, { ipRules });
    expect((await ask(credulous, { 'x-forwarded-for': '192.0.2.7' })).status).toBe(403);
  });

  it('is asked to come again while as many are in progress as may be', async () => {
    const shop = waitingShop();
    const agent = await startShopAgent(shop.customize, { isSelfTested: false, limits: { concurrentRequests: 1 } });
    const first = ask(agent);
    await shop.begun;
    const second = await ask(agent);
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
    shop.go();
    expect((await first).status).toBe(200);
    expect((await ask(agent)).status).toBe(200);
  });

  it.each([
    ['a plain call', list],
    ['a call for the protocol handler', { ...list, params: { ...list.params, _meta: {} } }],
  ])('is given up when its answer takes too long: %s', async (_kind, body) => {
    const agent = await startShopAgent(waitingShop().customize, {
      isSelfTested: false,
      limits: { requestTimeoutMs: 150 },
    });
    const late = await ask(agent, {}, body);
    // The protocol handler has begun a stream by then.
    expect(await late.text()).toContain('took longer than 150 ms');
    expect(late.status).toBe(body === list ? 504 : 200);
  });

  it('is given up when its body does not come', async () => {
    const agent = await startShopAgent(undefined, { limits: { requestTimeoutMs: 150 } });
    expect(await answerToHalf(agent)).toMatch(/^HTTP\/1.1 408 [\s\S]*did not arrive/);
  });

  it('gives way to newer ones while its body does not come', async () => {
    const agent = await startShopAgent(undefined, { limits: { unfinishedBodiesPerAddress: 1 } });
    const first = answerToHalf(agent);
    const second = answerToHalf(agent);
    second.catch(() => undefined);
    expect(await Promise.race([first, second])).toMatch(/^HTTP\/1.1 503 /);
    expect((await ask(agent)).status).toBe(200);
  });

  it('is reported to telemetry by the pattern of its path', async () => {
    const spans: { name: string; attributes: Record<string, unknown> }[] = [];
    const tracer = {
      startSpan: (name: string) => {
        const span = { name, attributes: {} };
        spans.push(span);
        return {
          setAttributes: (more: Record<string, unknown>) => Object.assign(span.attributes, more),
          setStatus: () => undefined,
          end: () => undefined,
        };
      },
    };
    const agent = await startShopAgent(undefined, { telemetry: { tracer } });
    await ask(agent);
    const { origin } = new URL(agent.mcpUrl);
    await fetch(`${origin}/oauth/consent/of-somebody`);
    await fetch(`${origin}/.well-known/oauth-authorization-server`);
    await expect
      .poll(() => spans.map(({ name, attributes }) => [name, attributes['http.response.status_code']]))
      .toEqual([
        ['POST /mcp', 200],
        ['GET /oauth/*', expect.any(Number)],
        ['GET /.well-known/*', 200],
      ]);
  });
});
