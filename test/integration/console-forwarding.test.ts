import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { consoleBrowserOf, openConsoleBrowser, signInToConsole } from '../helpers/console-browser.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { createManualTime } from '../helpers/manual-time.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';

const orders = '/console/agent/development/orders?timezone=UTC';
const behindProxy = {
  trustedProxies: ['127.0.0.1'],
  noticeMs: 0,
  drainMs: 100,
  tellRequest: () => undefined,
};

/** A shop whose agent the platform reaches, and the browser of its developer. */
async function startShop(platform: Parameters<typeof createEmbeddedShop>[1] = {}) {
  let agentUrl: string | undefined;
  const shop = await createEmbeddedShop({}, { reachAgent: () => agentUrl, ...platform });
  shop.agent.addDataSource(createSqlDataSource(shop.databaseUri)).mountOnStandaloneServer(0);
  await shop.agent.start();
  agentUrl = `http://127.0.0.1:${shop.agent.standaloneServerPort}/service`;
  const browser = openConsoleBrowser(shop.sandbox);
  await signInToConsole(browser, shop.sandbox, { token: shop.access.userToken });
  const call = (method: string, path: string, body?: unknown) =>
    fetch(shop.sandbox.url + path, {
      method,
      headers: {
        authorization: `Bearer ${shop.access.userToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { ...shop, browser, call, agentUrl };
}

describe('a request of the console to an agent', () => {
  it('is carried out there as the person who is signed in', async () => {
    const { browser } = await startShop();
    const list = await browser.ask('GET', orders);
    expect(list.status).toBe(200);
    expect(((await list.json()) as { data: object[] }).data.length).toBeGreaterThan(0);
    const paid = { data: { type: 'orders', id: '1', attributes: { status: 'paid' } } };
    expect((await browser.ask('PUT', '/console/agent/development/orders/1?timezone=UTC', paid)).status).toBe(200);
    const missing = await browser.ask('GET', '/console/agent/development/nothing?timezone=UTC');
    expect(missing.status).toBe(404);
    const csv = await browser.ask(
      'GET',
      '/console/agent/development/orders.csv?timezone=UTC&fields[orders]=id&header=["id"]&filename=o',
    );
    expect([csv.status, csv.headers.get('content-disposition')]).toEqual([200, expect.stringContaining('o.csv')]);
  });

  it('comes from a page of the platform with a session, and from nothing else', async () => {
    const { browser, access } = await startShop();
    const bearer = { authorization: `Bearer ${access.userToken}` };
    expect((await browser.ask('GET', orders, undefined, bearer)).status).toBe(403);
    expect((await browser.ask('GET', orders, undefined, { 'service-client': undefined })).status).toBe(401);
    expect((await browser.ask('GET', orders, undefined, { 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await browser.ask('POST', orders, '{}', { 'content-type': 'text/plain' })).status).toBe(403);
    expect((await browser.ask('POST', '/console/sign-out')).status).toBe(204);
    expect((await browser.ask('GET', orders)).status).toBe(401);
  });

  it('answers as a page that may do nothing', async () => {
    const { browser } = await startShop();
    const { headers } = await browser.ask('GET', orders);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe('sandbox');
    expect(headers.get('access-control-allow-origin')).toBe(null);
  });

  it('follows new rights at once, also where they change team or tags', async () => {
    const { browser, call } = await startShop();
    expect((await browser.ask('GET', orders)).status).toBe(200);
    const { document, revision } = (await (await call('GET', '/api/rights')).json()) as {
      document: null;
      revision: number;
    };
    expect(document).toBe(null);
    const rights = { roles: { Administrators: { collections: {} } } };
    const set = await call('PUT', '/api/rights', { document: rights, base: revision, allowLockout: true });
    expect([set.status, await set.text()]).toEqual([200, expect.anything()]);
    await expect.poll(async () => (await browser.ask('GET', orders)).status).toBe(403);
  });

  it('is good again by itself when the agent has ended the sessions of the person', async () => {
    const { browser, call } = await startShop();
    expect((await browser.ask('GET', orders)).status).toBe(200);
    const printed = await call('POST', '/api/printed-tokens', { audience: 'agent' });
    expect(printed.status).toBe(201);
    const { sessions } = (await (await call('GET', '/api/sessions')).json()) as {
      sessions: { id: string; purpose: string }[];
    };
    const id = sessions.find(({ purpose }) => purpose === 'printed for the agent')?.id;
    expect((await call('DELETE', `/api/sessions/${id}`)).status).toBe(204);
    // A session of the second in which the others ended is refused as well, with a hint to come again.
    await expect.poll(async () => (await browser.ask('GET', orders)).status, { timeout: 5000 }).toBe(200);
  });

  it('is refused where the rules of the project do not let in the address of the browser', async () => {
    const { browser, call } = await startShop({ team: behindProxy });
    const rights = {
      roles: { Administrators: { collections: { '*': { browse: true, read: true } } } },
      ipRules: ['192.0.2.0/24'],
    };
    const set = await call('PUT', '/api/rights', { document: rights, base: 0 });
    expect([set.status, await set.text()]).toEqual([200, expect.anything()]);
    const from = (address: string) => browser.ask('GET', orders, undefined, { 'x-forwarded-for': address });
    expect((await from('192.0.2.7')).status).toBe(200);
    const refused = await from('198.51.100.1');
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('198.51.100.1')]);
    expect((await from('127.0.0.1')).status).toBe(403);
    // The browser of this machine is where the agent is.
    expect((await browser.ask('GET', orders)).status).toBe(200);
  });
});

/** A server in the place of an agent, which answers as `answer` says and writes down what it was sent. */
async function startFakeAgent(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  { lifeMs = 3_600_000, now = Date.now } = {},
) {
  const asked: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  let signIns = 0;
  const agent = await startHttpServer(async (sent, response) => {
    const { method = '', url = '', headers } = sent;
    if (url === '/base/authentication/exchange') {
      signIns += 1;
      const token = { token: `token-${signIns}`, expiresAt: new Date(now() + lifeMs).toISOString() };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(token));
      return;
    }
    asked.push({ method, url, headers });
    await answer(sent, response);
  });
  return { agentUrl: `${agent.origin}/base`, asked, signIns: () => signIns, close: agent.close };
}

async function startWithFake(
  answer: Parameters<typeof startFakeAgent>[0],
  options: Parameters<typeof startTeamPlatform>[0] = {},
  life: Parameters<typeof startFakeAgent>[1] = {},
) {
  const agent = await startFakeAgent(answer, life);
  const platform = await startTeamPlatform({
    reachAgent: ({ name }) => (name === 'development' ? agent.agentUrl : undefined),
    ...options,
  });
  const bobId = await platform.join('bob@example.test', { level: 'user' });
  return { ...agent, platform, bobId, browser: await consoleBrowserOf(platform, 'bob@example.test') };
}

const at = (path: string) => `/console/agent/development${path}`;

describe('requests between a browser and an agent', () => {
  it('is the request without what is of the platform: no cookie, no credential, no word of a proxy', async () => {
    const { browser, asked, platform } = await startWithFake((_sent, response) => response.end());
    await browser.ask(
      'POST',
      at('/a%2Fb/c?d=%2e&e=%20'),
      { x: 1 },
      {
        'accept-language': 'fr',
        'if-none-match': '"v1"',
        'service-links': 'none',
        'service-environment': 'development',
        'service-secret-key': platform.envSecret,
        'x-forwarded-for': '192.0.2.1',
        forwarded: 'for=192.0.2.1',
        via: '1.1 x',
      },
    );
    expect(asked).toEqual([
      {
        method: 'POST',
        url: '/base/a%2Fb/c?d=%2e&e=%20',
        headers: {
          host: expect.any(String),
          connection: expect.any(String),
          accept: '*/*',
          'accept-encoding': expect.any(String),
          'accept-language': 'fr',
          'content-type': 'application/json',
          'content-length': '7',
          'if-none-match': '"v1"',
          'service-links': 'none',
          authorization: 'Bearer token-1',
        },
      },
    ]);
  });

  it.each([
    ['/../admin', 400],
    ['/orders/%2e%2e/%2E./admin', 400],
    ['/./orders', 400],
    ['/authentication', 400],
    ['/authentication/callback', 400],
    ['/%61uthentication/exchange', 400],
    ['/%E0%A4%A/x', 400],
  ])('is only the routes of the agent: %s', async (path, status) => {
    const { browser, asked, platform } = await startWithFake((_sent, response) => response.end());
    const { port } = new URL(platform.url);
    const headers = {
      cookie: browser.cookieHeader(platform.url),
      'service-client': 'console',
      'sec-fetch-site': 'same-origin',
    };
    // `fetch` would resolve the dots.
    const sent = request({
      host: '127.0.0.1',
      port,
      path: at(path),
      headers: { ...headers, host: `127.0.0.1:${port}` },
    });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect([answer.statusCode, await text(answer)]).toEqual([status, expect.any(String)]);
    expect(asked).toEqual([]);
  });

  it('is the answer without what browsers would obey', async () => {
    const { browser } = await startWithFake((_sent, response) => {
      response.writeHead(418, {
        'set-cookie': 'evil=1; Path=/',
        'clear-site-data': '"*"',
        'content-security-policy': "script-src 'unsafe-inline'",
        'access-control-allow-origin': '*',
        'service-worker-allowed': '/',
        'strict-transport-security': 'max-age=1',
        refresh: '0; url=https://evil.example.test',
        location: 'https://evil.example.test',
        'content-type': 'text/html',
        'service-schema-revision': '7',
        etag: '"v2"',
      });
      response.end('<script>alert(1)</script>');
    });
    const answer = await browser.ask('GET', at('/x'));
    expect(answer.status).toBe(418);
    const {
      date: _date,
      connection: _connection,
      'keep-alive': _alive,
      ...headers
    } = Object.fromEntries(answer.headers);
    expect(headers).toEqual({
      'cache-control': 'no-store',
      'content-security-policy': 'sandbox',
      'content-type': 'text/html',
      'cross-origin-resource-policy': 'same-origin',
      etag: '"v2"',
      'service-schema-revision': '7',
      'transfer-encoding': 'chunked',
      'x-content-type-options': 'nosniff',
    });
    expect(browser.cookieNames()).not.toContain('evil');
  });

  it('is sent on as it comes, both ways, and compressed answers as they are', async () => {
    const packed = gzipSync('{"a":1}'.repeat(1000));
    let answerOf: ServerResponse | undefined;
    const { browser, platform } = await startWithFake(async (sent, response) => {
      if (sent.url?.endsWith('/packed')) {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(packed);
      } else if (sent.method === 'POST') {
        for await (const chunk of sent) response.write(chunk);
        response.end();
      } else {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        answerOf = response;
      }
    });
    const cookie = browser.cookieHeader(platform.url);
    const headers = { cookie, 'service-client': 'console', 'sec-fetch-site': 'same-origin', 'accept-encoding': 'gzip' };
    const raw = request(platform.url + at('/packed'), { headers });
    raw.end();
    const [answer] = (await once(raw, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(packed)).toBe(true);
    expect(gunzipSync(Buffer.concat(chunks)).length).toBe(7000);

    // The head comes before the first event, and each event when it is sent.
    const stream = await browser.ask('GET', at('/events'));
    const reader = stream.body?.getReader();
    answerOf?.write('data: 1\n\n');
    expect(new TextDecoder().decode((await reader?.read())?.value as Uint8Array)).toBe('data: 1\n\n');
    await reader?.cancel();

    // A body is not collected first: the agent echoes the first part before the second is sent.
    const echo = request(platform.url + at('/echo'), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    });
    echo.write('[1,');
    const [echoed] = (await once(echo, 'response')) as [IncomingMessage];
    const parts: string[] = [];
    for await (const part of echoed) {
      if (parts.length === 0) echo.end('2]');
      parts.push(String(part));
    }
    expect(parts).toEqual(['[1,', '2]']);
  });

  it('ends at the agent when the browser goes away, before the answer and in the middle of it', async () => {
    const closed: string[] = [];
    const begun: string[] = [];
    const { browser } = await startWithFake((sent, response) => {
      begun.push(sent.url ?? '');
      response.once('close', () => closed.push(sent.url ?? ''));
      if (sent.url?.endsWith('/stream')) response.writeHead(200).flushHeaders();
    });
    const leave = new AbortController();
    const gone = browser.open(new URL(at('/slow'), (await browser.ask('GET', at('/stream'))).url).href, {
      headers: { 'service-client': 'console', 'sec-fetch-site': 'same-origin' },
      signal: leave.signal,
    });
    await expect.poll(() => begun).toContain('/base/slow');
    leave.abort();
    await expect(gone).rejects.toThrow();
    await expect.poll(() => closed).toContain('/base/slow');
    const stream = await browser.ask('GET', at('/stream'));
    await stream.body?.cancel();
    await expect.poll(() => closed).toContain('/base/stream');
  });

  it('is cut for the browser as well where the agent cuts it', async () => {
    const { browser } = await startWithFake((_sent, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write('id\n1\n', () => response.destroy());
    });
    const answer = await browser.ask('GET', at('/x.csv'));
    await expect(answer.text()).rejects.toThrow();
  });
});

describe('the token that the platform has at an agent', () => {
  it('is kept for the session, and renewed after four fifths of its life and with other rights', async () => {
    const time = createManualTime();
    const life = { lifeMs: 3_600_000, now: () => time.clock.now() };
    const { browser, platform, asked, signIns, bobId } = await startWithFake(
      (_sent, response) => response.end(),
      { clock: time.clock },
      life,
    );
    const used = async () => {
      expect((await browser.ask('GET', at('/x'))).status).toBe(200);
      return asked.at(-1)?.headers.authorization;
    };
    expect([await used(), await used()]).toEqual(['Bearer token-1', 'Bearer token-1']);
    time.pass(0.8 * 3_600_000 - 1);
    expect(await used()).toBe('Bearer token-1');
    time.pass(1);
    expect([await used(), await used()]).toEqual(['Bearer token-2', 'Bearer token-2']);
    // Another level: the agent has to learn it.
    await platform.call('PATCH', `/api/people/${bobId}`, { level: 'developer' });
    await expect.poll(used).toBe('Bearer token-3');
    const other = await consoleBrowserOf(platform, 'bob@example.test');
    expect((await other.ask('GET', at('/x'))).status).toBe(200);
    expect(signIns()).toBe(4);
    expect((await browser.ask('POST', '/console/sign-out')).status).toBe(204);
    expect((await other.ask('GET', at('/x'))).status).toBe(200);
    expect(signIns()).toBe(4);
  });

  it('is asked for once by requests that come together', async () => {
    const { browser, signIns } = await startWithFake((_sent, response) => response.end());
    await Promise.all(Array.from({ length: 10 }, () => browser.ask('GET', at('/x'))));
    expect(signIns()).toBe(1);
  });

  it('is replaced where the agent refuses it; the browser is not signed out for that', async () => {
    let refused = 0;
    const { browser, signIns } = await startWithFake((sent, response) => {
      if (sent.headers.authorization === 'Bearer token-1') {
        refused += 1;
        response.writeHead(401);
      }
      response.end();
    });
    const first = await browser.ask('POST', at('/x'), { a: 1 });
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    expect(await first.json()).toMatchObject({
      errors: [{ code: 'AGENT_TOKEN_ENDED', detail: expect.stringContaining('Nothing was done') }],
    });
    expect((await browser.ask('POST', at('/x'), { a: 1 })).status).toBe(200);
    expect([refused, signIns()]).toEqual([1, 2]);
  });

  it('is made for nobody without a place in the environment, and for none that the platform does not reach', async () => {
    const { browser, platform, close } = await startWithFake((_sent, response) => response.end());
    await platform.call('POST', '/api/environments', { name: 'staging', type: 'development' });
    const staging = await browser.ask('GET', '/console/agent/staging/x');
    expect([staging.status, await staging.json()]).toEqual([
      404,
      {
        errors: [
          expect.objectContaining({
            detail: expect.stringContaining('does not reach the agent'),
            nextSteps: expect.arrayContaining([expect.stringContaining('--agent-address staging=')]),
          }),
        ],
      },
    ]);
    expect((await browser.ask('GET', '/console/agent/nowhere/x')).status).toBe(404);
    await close();
    const away = await browser.ask('GET', at('/x'));
    expect([away.status, await away.json()]).toEqual([
      502,
      {
        errors: [
          expect.objectContaining({ code: 'AGENT_UNREACHABLE', detail: expect.stringContaining('does not answer') }),
        ],
      },
    ]);
  });
});
