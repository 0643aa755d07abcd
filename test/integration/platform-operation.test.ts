import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { startSandbox } from '#sandbox/index';
import { createCertificateAuthority, describeWithCertificates } from '../helpers/server-certificates.ts';
import { setUp, startTeamPlatform } from '../helpers/team-server.ts';

const publicUrl = 'https://platform.example.test';
const secretHeader = (secret: string | undefined) => ({ 'service-secret-key': secret ?? '' });

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  const request = httpRequest(url, { headers });
  request.end();
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode;
}

async function metricsOf(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

describe('a platform of a team', () => {
  it('says that it is ready, and why it is not when its store is away', async () => {
    const platform = await startTeamPlatform();
    const { url, options } = platform;
    expect(await (await fetch(`${url}/ready`)).json()).toEqual({ status: 'ready' });
    const { storage } = options.store as { readonly storage: string };
    const connection = await openSqlite(storage);
    connection.execute('pragma user_version = 999');
    connection.close();
    const response = await fetch(`${url}/ready`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      status: 'not-ready',
      reason: expect.stringMatching(/^The store has version 999, .*install the same version/),
    });
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('is not ready any more while it stops, and answers what is in flight', { tags: 'long' }, async () => {
    const platform = await startTeamPlatform({ noticeMs: 400, drainMs: 3000 });
    const { port } = new URL(platform.url);
    const body = JSON.stringify({
      secret: 'f'.repeat(64),
      name: 'A',
      email: 'a@b.test',
      password: 'x'.repeat(12),
      project: 'p',
    });
    const socket = connect(Number(port), '127.0.0.1');
    const head = `POST /api/setup HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head + body.slice(0, 10));
    await expect.poll(() => metricsOf(platform.url)).toContain('vendor_cloud_requests_in_flight 2\n');
    const stopping = platform.stop();
    const response = await fetch(`${platform.url}/ready`);
    expect([response.status, await response.json()]).toEqual([
      503,
      { status: 'not-ready', reason: 'The platform is stopping.' },
    ]);
    // Nothing new is taken once the notice is over; what began before is answered.
    await expect.poll(() => fetch(`${platform.url}/ready`).catch(() => 'refused')).toBe('refused');
    socket.write(body.slice(10));
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
    await stopping;
  });

  it('cuts off what takes longer than the drain', async () => {
    const platform = await startTeamPlatform({ drainMs: 200 });
    const socket = connect(Number(new URL(platform.url).port), '127.0.0.1');
    socket.write(
      'POST /api/setup HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n',
    );
    await expect.poll(() => metricsOf(platform.url)).toContain('vendor_cloud_requests_in_flight 2\n');
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    const closed = once(socket, 'close');
    await platform.stop();
    await closed;
    expect(answer).toBe('');
  });

  it('counts requests, agents, hosts, deployments and transactions', async () => {
    const platform = await startTeamPlatform({ metricsToken: 'monitor-token' });
    const { environments } = await setUp(platform);
    const headers = secretHeader(environments[0]?.secret);
    const agent = new AbortController();
    const stream = await fetch(`${platform.url}/agent/v4/subscribe-to-events`, { headers, signal: agent.signal });
    const text = await metricsOf(platform.url);
    expect(text).toContain('vendor_cloud_requests_total{method="POST",route="/api/setup",status="201"} 1\n');
    expect(text).toContain('vendor_cloud_request_duration_seconds_count{method="POST",route="/api/setup"} 1\n');
    expect(text).toContain('vendor_cloud_agents_connected 1\n');
    expect(text).toContain('vendor_cloud_hosts_connected 0\n');
    expect(text).toMatch(/vendor_cloud_store_transactions_total\{outcome="committed"\} [1-9]/);
    expect(text).toContain('# TYPE vendor_cloud_deployments gauge\n');
    expect(text.endsWith('# EOF\n')).toBe(true);
    agent.abort();
    await stream.text().catch(() => undefined);
    await expect.poll(() => metricsOf(platform.url)).toContain('vendor_cloud_agents_connected 0\n');
  });

  it('shows its metrics to the monitor only', async () => {
    const { url } = await startTeamPlatform({ metricsToken: 'monitor-token' }, { publicUrl });
    const other = { host: 'platform.example.test' };
    expect(await statusOf(`${url}/metrics`)).toBe(200);
    expect(await statusOf(`${url}/metrics`, other)).toBe(401);
    expect(await statusOf(`${url}/metrics`, { 'x-forwarded-for': '203.0.113.9' })).toBe(401);
    expect(await statusOf(`${url}/metrics`, { ...other, authorization: 'Bearer wrong' })).toBe(401);
    expect(await statusOf(`${url}/metrics`, { ...other, authorization: 'Bearer monitor-token' })).toBe(200);
  });

  it('tells each request once, by its pattern and without its query', async () => {
    const { url, requests } = await startTeamPlatform();
    const response = await fetch(`${url}/health?token=secret`);
    await fetch(`${url}/nowhere/secret`);
    await expect.poll(() => requests.length).toBe(2);
    expect(requests).toEqual([
      {
        id: response.headers.get('x-request-id'),
        method: 'GET',
        route: '/health',
        status: 200,
        ms: expect.any(Number),
        ip: '127.0.0.1',
        isAborted: false,
      },
      expect.objectContaining({ route: null, status: 404 }),
    ]);
    expect(JSON.stringify(requests)).not.toContain('secret');
  });
});

describe('a proxy before the platform', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'from-the-proxy' };

  it('is believed when it is trusted, and nobody else is', async () => {
    const { url, requests } = await startTeamPlatform({ trustedProxies: ['127.0.0.0/8'] }, { publicUrl });
    await fetch(`${url}/health`, { headers: forwarded });
    // The client adds an address of its own; the proxy adds the true one behind it.
    await fetch(`${url}/health`, { headers: { ...forwarded, 'x-forwarded-for': '198.51.100.1, 203.0.113.9' } });
    const liar = await startTeamPlatform();
    await fetch(`${liar.url}/health`, { headers: forwarded });
    await expect.poll(() => requests.length + liar.requests.length).toBe(3);
    expect(requests.map(({ id, ip }) => [id, ip])).toEqual([
      ['from-the-proxy', '203.0.113.9'],
      ['from-the-proxy', '203.0.113.9'],
    ]);
    expect(liar.requests).toEqual([
      expect.objectContaining({ ip: '127.0.0.1', id: expect.not.stringContaining('proxy') }),
    ]);
  });

  it('is refused when it says that its client spoke plain http', async () => {
    const { url } = await startTeamPlatform({ trustedProxies: ['127.0.0.1'] }, { publicUrl });
    expect(await statusOf(`${url}/setup`, { 'x-forwarded-proto': 'https' })).toBe(200);
    expect(await statusOf(`${url}/setup`, { 'x-forwarded-proto': 'http' })).toBe(403);
    expect(await statusOf(`${url}/setup`, { 'x-forwarded-proto': 'https, http' })).toBe(403);
    expect(await statusOf(`${url}/ready`, { 'x-forwarded-proto': 'http' })).toBe(200);
  });

  it('cannot give the platform another name', async () => {
    const { url } = await startTeamPlatform({ trustedProxies: ['127.0.0.1'] }, { publicUrl });
    expect(await statusOf(`${url}/setup`, { host: 'evil.example' })).toBe(403);
    expect(await statusOf(`${url}/setup`, { 'x-forwarded-host': 'evil.example' })).toBe(200);
  });

  it.each(['10.0.0.0/0', '10.0.0.0/33', 'proxy.example.test', '10.0.0', '*', ''])(
    'is not trusted by "%s"',
    async (place) => {
      await expect(startTeamPlatform({ trustedProxies: [place] }, { publicUrl })).rejects.toMatchObject({
        code: 'USAGE_INVALID',
        nextSteps: [expect.stringContaining('10.0.0.0/8')],
      });
    },
  );
});

describe('a platform for other machines', () => {
  const everywhere = { host: '0.0.0.0' };

  it.each([
    ['no public address', {}, everywhere, 'PLATFORM_EXPOSED'],
    ['neither certificate nor trusted proxy', {}, { ...everywhere, publicUrl }, 'PLATFORM_EXPOSED'],
    ['a public address of plain http', {}, { publicUrl: 'http://platform.example.test' }, 'PLATFORM_ADDRESS_INVALID'],
    [
      'a plain public address behind a proxy',
      { trustedProxies: ['10.0.0.7'] },
      { ...everywhere, publicUrl: 'http://127.0.0.1:1' },
      'PLATFORM_EXPOSED',
    ],
    ['a certificate that is not one', { tls: { cert: 'x', key: 'y' } }, { publicUrl }, 'PLATFORM_CERTIFICATE_INVALID'],
  ])('does not start with %s', async (_what, team, change, code) => {
    await expect(startTeamPlatform(team, change)).rejects.toMatchObject({ code, nextSteps: [expect.any(String)] });
  });
});

describeWithCertificates('a platform with a certificate of its own', () => {
  it('serves https', async () => {
    const authority = await createCertificateAuthority();
    try {
      const files = await authority.issue(['IP:127.0.0.1', 'DNS:platform.example.test']);
      const tls = {
        cert: await readFile(files.certificatePath, 'utf8'),
        key: await readFile(files.keyPath, 'utf8'),
      };
      const { url } = await startTeamPlatform({ tls }, { host: '0.0.0.0', publicUrl });
      expect(url).toMatch(/^https:/);
      const { request } = await import('node:https');
      const port = new URL(url).port;
      const asking = request(`https://127.0.0.1:${port}/ready`, { ca: authority.certificate });
      asking.end();
      const [response] = await once(asking, 'response');
      expect(response.statusCode).toBe(200);
      response.resume();
    } finally {
      await authority.remove();
    }
  });
});

describe('the place of a platform', () => {
  it('is one server at a time: its folder and its port', { tags: 'long' }, async () => {
    const { options, url } = await startTeamPlatform();
    await expect(startSandbox(options)).rejects.toMatchObject({
      code: 'PLATFORM_STORE_IN_USE',
      nextSteps: [expect.stringContaining('Stop the other server')],
    });
    const port = { port: Number(new URL(url).port), isExact: true };
    await expect(startTeamPlatform({}, { port })).rejects.toMatchObject({
      code: 'MACHINE_PORT_IN_USE',
      nextSteps: [expect.stringContaining('ask for another port')],
    });
  });
});

describe('a clock that steps', () => {
  it('an hour back leaves people signed in, an hour on as well, and a day on does not', async () => {
    let now = Date.now();
    const platform = await startTeamPlatform({}, { clock: { ...systemClock, now: () => now } });
    const { userToken } = await setUp(platform);
    const status = () => statusOf(`${platform.url}/api/me`, { authorization: `Bearer ${userToken}` });
    const hour = 60 * 60 * 1000;
    now -= hour;
    expect(await status()).toBe(200);
    now += 2 * hour;
    expect(await status()).toBe(200);
    now += 24 * hour;
    expect(await status()).toBe(401);
  });

  it('takes a token that a process with a clock an hour ahead made', async () => {
    let now = Date.now() + 60 * 60 * 1000;
    const platform = await startTeamPlatform({}, { clock: { ...systemClock, now: () => now } });
    const { userToken } = await setUp(platform);
    now -= 60 * 60 * 1000;
    expect(await statusOf(`${platform.url}/api/me`, { authorization: `Bearer ${userToken}` })).toBe(200);
    expect(await statusOf(`${platform.url}/ready`)).toBe(200);
  });
});
