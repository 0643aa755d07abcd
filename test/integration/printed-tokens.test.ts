import path from 'node:path';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import type { PrintedToken } from '#contracts/printed-tokens';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { authorizationUrl } from '../helpers/agent-authorization.ts';
import { createBrowser } from '../helpers/browser.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { createManualTime } from '../helpers/manual-time.ts';
import { mcpCaller } from '../helpers/mcp-client.ts';
import { followAdminLog } from '../helpers/read-admin-log.ts';
import { startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const callback = 'https://admin.example.test/service/authentication/callback';
const hourMs = 3_600_000;

async function print({ call }: TeamPlatform, input: object, as?: string) {
  const answer = await call('POST', '/api/printed-tokens', input, as);
  return { ...answer, printed: answer.body as PrintedToken };
}

describe('a token that somebody prints at the platform', () => {
  it('opens the API as its owner for an hour, and is in the log of changes once', async () => {
    const storage = path.join(await temporaryFolder(), 'platform.sqlite');
    const platform = await startTeamPlatform({ store: { dialect: 'sqlite', storage } });
    const nextRows = await followAdminLog({ dialect: 'sqlite', storage });
    await nextRows();
    const { printed, status } = await print(platform, { audience: 'platform' });
    expect([status, printed]).toEqual([
      201,
      {
        token: expect.stringMatching(/^vcu_[0-9a-f]{64}$/),
        audience: 'platform',
        environment: 'development',
        expiresAt: expect.any(String),
        readOnly: false,
      },
    ]);
    expect(await nextRows()).toMatchObject([
      { type: 'add', resource: 'access-token', newValue: { purpose: 'printed for the platform' } },
    ]);
    expect((await platform.call('GET', '/api/me', undefined, printed.token)).body).toMatchObject({
      user: { email: 'ada@example.test' },
    });
    // Another one does not end it.
    await print(platform, { audience: 'platform' });
    expect((await platform.call('GET', '/api/me', undefined, printed.token)).status).toBe(200);
  });

  it('lives as long as it is asked for, and never longer than the sign-in', async () => {
    const time = createManualTime();
    const platform = await startTeamPlatform({ clock: time.clock });
    const endOf = async (input: object) => Date.parse((await print(platform, input)).printed.expiresAt);
    const start = time.clock.now();
    expect(await endOf({ audience: 'platform' })).toBe(start + hourMs);
    expect(await endOf({ audience: 'platform', expiresInSeconds: 60 })).toBe(start + 60_000);
    const month = 30 * 24 * hourMs;
    time.pass(month - hourMs / 2);
    const { printed } = await print(platform, { audience: 'platform' });
    expect(Date.parse(printed.expiresAt)).toBe(start + month);
    time.pass(hourMs / 2);
    expect((await platform.call('GET', '/api/me', undefined, printed.token)).status).toBe(401);
  });

  it('ends with the sign-in that it comes from', async () => {
    const platform = await startTeamPlatform();
    const { printed } = await print(platform, { audience: 'platform' });
    expect((await platform.call('DELETE', '/api/sessions/current')).status).toBe(204);
    expect((await platform.call('GET', '/api/me', undefined, printed.token)).status).toBe(401);
  });

  it('is refused for too long, for less than a minute, and for anything else', async () => {
    const platform = await startTeamPlatform();
    for (const input of [
      {},
      { audience: 'everything' },
      { audience: 'platform', expiresInSeconds: 59 },
      { audience: 'platform', expiresInSeconds: 30 * 24 * 3600 + 1 },
      { audience: 'agent', expiresInSeconds: 3601 },
      { audience: 'mcp', expiresInSeconds: 3601 },
      { audience: 'platform', readOnly: 'yes' },
    ]) {
      expect((await print(platform, input)).status, JSON.stringify(input)).toBe(400);
    }
  });

  it('prints no other one, and signs no browser in', async () => {
    const platform = await startTeamPlatform({ hasSignInLinks: true });
    const { printed } = await print(platform, { audience: 'platform' });
    const again = await print(platform, { audience: 'platform' }, printed.token);
    expect([again.status, again.detail]).toEqual([403, 'A token that was printed prints no other one.']);
    expect((await platform.call('POST', '/api/sign-in-links', {}, printed.token)).status).toBe(403);
    const browser = createBrowser();
    const { url } = await browser.follow(await authorizationUrl(platform, callback), () => false);
    const post = (token: string) =>
      browser.open(url, {
        method: 'POST',
        headers: { origin: new URL(url).origin },
        body: new URLSearchParams({ token }),
      });
    expect((await post(printed.token)).status).toBe(401);
    expect((await post(platform.token)).status).toBe(303);
  });

  it('printed with --read-only changes nothing, also below /v1', async () => {
    const platform = await startTeamPlatform();
    const { printed } = await print(platform, { audience: 'platform', readOnly: true });
    const call = (method: string, route: string, body?: unknown) => platform.call(method, route, body, printed.token);
    expect((await call('GET', '/api/people')).status).toBe(200);
    expect((await call('GET', '/v1/rate-limit')).status).toBe(200);
    // It asks with a body what rights would do, and sets none.
    expect((await call('POST', '/api/rights/check', { document: { roles: {} } })).status).toBe(200);
    for (const [method, route, body] of [
      ['POST', '/api/teams', { name: 'Support' }],
      ['DELETE', '/api/sessions', undefined],
      ['PATCH', `/api/people/${platform.adaId}`, { team: 'Operations' }],
      ['PUT', '/api/rights', { document: null, base: 0 }],
      ['POST', '/api/printed-tokens', { audience: 'platform' }],
      ['POST', '/api/projects/shop/tokens', { name: 'x', level: 'read-only' }],
    ] as const) {
      const refused = await call(method, route, body);
      expect([route, refused.status, refused.detail]).toEqual([route, 403, 'The token of the request only reads.']);
    }
    const note = await fetch(`${platform.url}/v1/project/shop/environment/development/notes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${printed.token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await note.json()).toMatchObject({ status: 403, code: 'insufficient_scope' });
  });

  it('for an agent opens nothing at the platform', async () => {
    const platform = await startTeamPlatform();
    const { printed } = await print(platform, { audience: 'agent' });
    expect((await platform.call('GET', '/api/me', undefined, printed.token)).status).toBe(401);
    expect((await platform.call('GET', '/v1/rate-limit', undefined, printed.token)).status).toBe(401);
  });
});

describe('a token that was printed for an agent', () => {
  async function startShop() {
    const shop = await createEmbeddedShop();
    const { agent, sandbox, access, databaseUri } = shop;
    agent.addDataSource(createSqlDataSource(databaseUri)).mountAiMcpServer().mountOnStandaloneServer(0);
    await agent.start();
    const origin = `http://127.0.0.1:${agent.standaloneServerPort}`;
    const printAt = async (input: object): Promise<PrintedToken> => {
      const answer = await fetch(`${sandbox.url}/api/printed-tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access.userToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
      expect(answer.status).toBe(201);
      return (await answer.json()) as PrintedToken;
    };
    const exchange = async (token: string) => {
      const answer = await fetch(`${origin}/service/authentication/printed-token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
      return { status: answer.status, body: (await answer.json()) as { token: string; url?: string } };
    };
    const send = (token: string, method: string, route: string, body?: unknown) =>
      fetch(`${origin}/service${route}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    return { ...shop, printAt, exchange, send };
  }

  const orders = '/orders?timezone=UTC';
  const paid = { data: { type: 'orders', id: '1', attributes: { status: 'paid' } } };

  it('is exchanged there for one of its own, which ends when it does', async () => {
    const { printAt, exchange, send } = await startShop();
    const printed = await printAt({ audience: 'agent', expiresInSeconds: 120 });
    const { status, body } = await exchange(printed.token);
    expect([status, Object.keys(body)]).toEqual([200, ['token']]);
    const claims = decodeJwt(body.token);
    expect(claims).toMatchObject({ email: 'ada@example.test', exp: Math.floor(Date.parse(printed.expiresAt) / 1000) });
    expect((await send(body.token, 'GET', orders)).status).toBe(200);
    expect((await send(body.token, 'PUT', '/orders/1?timezone=UTC', paid)).status).toBe(200);
    expect((await send(printed.token, 'GET', orders)).status).toBe(401);
  });

  it('reads alone where it says so: the agent refuses every write, and takes what reads by POST', async () => {
    const { printAt, exchange, send } = await startShop();
    const { token } = (await exchange((await printAt({ audience: 'agent', readOnly: true })).token)).body;
    expect((await send(token, 'GET', orders)).status).toBe(200);
    expect((await send(token, 'GET', '/orders.csv?timezone=UTC&header=[]&filename=o')).status).not.toBe(403);
    expect((await send(token, 'POST', '/_internal/capabilities', { collectionNames: ['orders'] })).status).toBe(200);
    const chart = { type: 'Value', aggregator: 'Count', sourceCollectionName: 'orders' };
    expect((await send(token, 'POST', '/stats/orders?timezone=UTC', chart)).status).toBe(200);
    expect((await send(token, 'GET', '/unknown')).status).toBe(404);
    for (const [method, route, body] of [
      ['POST', orders, paid],
      ['PUT', '/orders/1?timezone=UTC', paid],
      ['DELETE', '/orders/1?timezone=UTC', undefined],
      ['DELETE', orders, { data: { attributes: { ids: ['1'] } } }],
      ['POST', '/_actions/orders/0/ship?timezone=UTC', { data: { attributes: { ids: ['1'] } } }],
      ['POST', '/customers/1/relationships/orders?timezone=UTC', { data: [{ type: 'orders', id: '1' }] }],
    ] as const) {
      const refused = await send(token, method, route, body);
      expect([method, route, refused.status]).toEqual([method, route, 403]);
      expect(await refused.text()).toContain('The token of the request only reads.');
    }
  });

  it('opens the MCP server where it is for that, with the tools that read where it reads only', async () => {
    const { printAt, exchange } = await startShop();
    const all = (await exchange((await printAt({ audience: 'mcp' })).token)).body;
    const reading = (await exchange((await printAt({ audience: 'mcp', readOnly: true })).token)).body;
    expect(all.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(decodeJwt(all.token)).toMatchObject({ aud: all.url, scope: 'mcp:read mcp:write mcp:delete mcp:action' });
    expect(decodeJwt(reading.token)).toMatchObject({ scope: 'mcp:read', readOnly: true });
    const update = { collectionName: 'orders', recordId: 1, attributes: { status: 'paid' } };
    const call = await mcpCaller({ mcpUrl: all.url ?? '', mcpToken: all.token });
    expect(await call('update', update)).toMatchObject({ isError: false });
    const read = await mcpCaller({ mcpUrl: reading.url ?? '', mcpToken: reading.token });
    expect(await read('list', { collectionName: 'orders' })).toMatchObject({ isError: false });
    await expect(read('update', update)).rejects.toThrow();
  });

  it('ends at the agent when the sign-in ends, or it only', async () => {
    const { printAt, exchange, send, sandbox, access } = await startShop();
    const endAt = (id: string) =>
      fetch(`${sandbox.url}/api/sessions/${id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${access.userToken}` },
      });
    const printed = await printAt({ audience: 'agent' });
    const { token } = (await exchange(printed.token)).body;
    const listed = await fetch(`${sandbox.url}/api/sessions`, {
      headers: { authorization: `Bearer ${access.userToken}` },
    });
    const { sessions } = (await listed.json()) as { sessions: { id: string; purpose: string }[] };
    const id = sessions.find(({ purpose }) => purpose === 'printed for the agent')?.id ?? '';
    expect((await endAt(id)).status).toBe(204);
    expect((await exchange(printed.token)).status).toBe(401);
    await expect.poll(async () => (await send(token, 'GET', orders)).status).toBe(401);

    const mcp = (await exchange((await printAt({ audience: 'mcp' })).token)).body;
    expect((await endAt('current')).status).toBe(204);
    await expect
      .poll(async () => {
        const headers = { authorization: `Bearer ${mcp.token}`, 'content-type': 'application/json' };
        return (await fetch(mcp.url ?? '', { method: 'POST', headers, body: '{}' })).status;
      })
      .toBe(401);
  });

  it('is refused by an agent of another environment, and in any other form', async () => {
    const { exchange, sandbox, access } = await startShop();
    const post = async (route: string, body: object, headers: object = {}) => {
      const answer = await fetch(`${sandbox.url}${route}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access.userToken}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      return (await answer.json()) as PrintedToken;
    };
    await post('/api/environments', { name: 'live', type: 'production' });
    const other = await post('/api/printed-tokens', { audience: 'agent' }, { 'service-environment': 'live' });
    expect(other.environment).toBe('live');
    const forPlatform = await post('/api/printed-tokens', { audience: 'platform' });
    for (const token of [other.token, forPlatform.token, access.userToken, `vcu_${'0'.repeat(64)}`, 'x', '']) {
      expect((await exchange(token)).status).toBe(401);
    }
  });
});
