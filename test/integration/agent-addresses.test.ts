import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { environmentListSchema } from '#contracts/environments';
import { createAgent, createSqlDataSource } from '../../src/exports/agent.ts';
import { createBrowser } from '../helpers/browser.ts';
import { hostApplications } from '../helpers/host-applications.ts';
import { createShopFile } from '../helpers/shop-agent.ts';
import { startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/** An agent inside an application of Express, which does not know where it is. */
async function startAgent({ url, envSecret }: TeamPlatform) {
  const folder = await temporaryFolder();
  const logged: { message: string; fields: unknown }[] = [];
  const agent = createAgent({
    authSecret: 'an auth secret for tests',
    envSecret,
    serverUrl: url,
    schemaPath: `${folder}/.service-schema.json`,
    logger: (_level, message, fields) => logged.push({ message, fields }),
  });
  agent.addDataSource(createSqlDataSource(await createShopFile(folder)));
  const host = await hostApplications['Express 5'](agent);
  await agent.start();
  onTestFinished(async () => {
    await host.close();
    await agent.stop();
  });
  return { origin: host.origin, logged };
}

/** Begins to sign in at an agent that the request calls by a name; `fetch` sends no Host of one's own. */
async function begin(agentUrl: string, host = new URL(agentUrl).host) {
  const request = httpRequest(`${agentUrl}/service/authentication`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', host },
  });
  request.end(JSON.stringify({ renderingId: 1 }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const cookie = (response.headers['set-cookie'] ?? []).join(';').split(';')[0] ?? '';
  return { status: response.statusCode, cookie, body: (await json(response)) as Record<string, unknown> };
}

const redirectOf = (body: Readonly<Record<string, unknown>>) =>
  new URL(String(body['authorizationUrl'])).searchParams.get('redirect_uri');

describe('an agent that does not know its own address', () => {
  it('signs in people of this machine where their browser found it', async () => {
    const platform = await startTeamPlatform();
    const { origin } = await startAgent(platform);
    const agentUrl = origin.replace('[::1]', 'localhost').replace('0.0.0.0', 'localhost');
    const browser = createBrowser();
    const { status, body, cookie } = await begin(agentUrl);
    expect([status, redirectOf(body)]).toEqual([200, `${agentUrl}/service/authentication/callback`]);
    const isBack = (url: string) => url.startsWith(agentUrl);
    const page = await browser.follow(String(body['authorizationUrl']), isBack);
    const posted = await browser.open(page.url, {
      method: 'POST',
      headers: { origin: platform.url },
      body: new URLSearchParams({ token: platform.token }),
    });
    const back = await browser.follow(new URL(posted.headers.get('location') ?? '', page.url).href, isBack);
    const answer = await fetch(back.url, { headers: { cookie } });
    expect([answer.status, await answer.json()]).toMatchObject([200, { tokenData: { email: 'ada@example.test' } }]);
  });

  it('says and logs why nobody can sign in elsewhere, until the environment names its address', async () => {
    const platform = await startTeamPlatform();
    const { origin, logged } = await startAgent(platform);
    const refused = await begin(origin, 'admin.example.test');
    const reason = expect.stringContaining('PATCH /api/environments/development');
    expect([refused.status, refused.body]).toMatchObject([401, { errors: [{ detail: reason }] }]);
    expect(logged).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('Nobody can sign in at this agent') }),
    );
    expect(platform.logged).toContainEqual({
      message: 'An agent cannot register for signing in.',
      fields: { environment: 'development', project: 'shop', reason },
    });
    const agentAddresses = ['https://admin.example.test/service/', 'https://second.example.test/service'];
    expect(await platform.call('PATCH', '/api/environments/development', { agentAddresses })).toMatchObject({
      status: 200,
      body: { name: 'development', agentAddresses },
    });
    const begun = await begin(origin, 'admin.example.test');
    expect(redirectOf(begun.body)).toBe('https://admin.example.test/service/authentication/callback');
  });
});

describe('agents of an environment with addresses', () => {
  const register = async ({ url, envSecret }: TeamPlatform, redirect_uris: readonly string[]) => {
    const response = await fetch(`${url}/oidc/reg`, {
      method: 'POST',
      headers: { authorization: `Bearer ${envSecret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris }),
    });
    return { status: response.status, body: (await response.json()) as { redirect_uris?: string[] } };
  };

  it('lead back to the one that asks where it is named, and to the first one otherwise', async () => {
    const platform = await startTeamPlatform();
    const callbacks = ['one', 'two', 'three'].map(
      (name) => `https://${name}.example.test/service/authentication/callback`,
    );
    const [one = '', two = '', three = ''] = callbacks;
    expect((await register(platform, [three])).body.redirect_uris).toEqual([three]);
    const agentAddresses = ['https://one.example.test/service', 'https://two.example.test/service'];
    await platform.call('PATCH', '/api/environments/development', { agentAddresses });
    expect((await register(platform, [two])).body.redirect_uris).toEqual([two]);
    expect((await register(platform, [three])).body.redirect_uris).toEqual([one]);
    const mcp = ['https://two.example.test/oauth/signed-in', 'https://two.example.test/ai/oauth/signed-in'];
    for (const callback of mcp) expect((await register(platform, [callback])).body.redirect_uris).toEqual([callback]);
    for (const foreign of ['https://three.example.test/oauth/signed-in', 'https://two.example.test/oauth/signed-in?x'])
      expect((await register(platform, [foreign])).body.redirect_uris).toEqual([one]);
    expect(await register(platform, ['nonsense'])).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata', error_description: expect.stringContaining('redirect_uris') },
    });
    const query = { client_id: 'agent-of-environment-1', redirect_uri: three, response_type: 'code', scope: 'openid' };
    const authorization = `${platform.url}/oidc/auth?${new URLSearchParams(query)}`;
    const asked = await fetch(authorization, { redirect: 'manual' });
    expect([asked.status, await asked.json()]).toMatchObject([400, { error: 'invalid_redirect_uri' }]);
    const shown = await fetch(authorization, { redirect: 'manual', headers: { accept: 'text/html' } });
    expect([shown.status, await shown.text()]).toEqual([400, expect.stringContaining('<h1>This did not work</h1>')]);
  });
});

describe('environments', () => {
  it('are made with a secret that is reported once, and listed without it', async () => {
    const platform = await startTeamPlatform();
    const made = await platform.call('POST', '/api/environments', { name: 'staging', type: 'production' });
    expect(made).toMatchObject({ status: 201, body: { name: 'staging', type: 'production', agentAddresses: [] } });
    const { secret } = made.body as { secret: string };
    const listed = environmentListSchema.parse((await platform.call('GET', '/api/environments')).body);
    expect(listed.environments.map(({ name }) => name)).toEqual(['development', 'staging']);
    expect(JSON.stringify(listed)).not.toContain(secret);
    const environmentOf = (with_: string) =>
      fetch(`${platform.url}/agent/environment`, { headers: { 'service-secret-key': with_ } });
    expect(await (await environmentOf(secret)).json()).toMatchObject({ data: { attributes: { name: 'staging' } } });
    const rotated = await platform.call('POST', '/api/environments/staging/secret');
    const { secret: newer } = rotated.body as { secret: string };
    expect([(await environmentOf(secret)).status, (await environmentOf(newer)).status]).toEqual([401, 200]);
    const renderings = await fetch(`${platform.url}/agent/v4/permissions/renderings/2`, {
      headers: { 'service-secret-key': newer },
    });
    expect(await renderings.json()).toMatchObject({ team: { name: 'Operations' } });
  });

  it.each([
    [{ name: 'development', type: 'production' }, 409],
    [{ name: 'Not a name', type: 'production' }, 400],
    [{ name: 'staging', type: 'other' }, 400],
    [{ name: 'staging', type: 'production', agentAddresses: ['http://elsewhere.example.test/service'] }, 400],
    [{ name: 'staging', type: 'production', agentAddresses: ['https://user:secret@elsewhere.example.test'] }, 400],
    [{ name: 'staging', type: 'production', agentAddresses: ['javascript:alert(1)'] }, 400],
    [{ name: 'staging', type: 'production', secret: 'mine' }, 400],
  ])('are not made from %j', async (input, status) => {
    const platform = await startTeamPlatform();
    expect(await platform.call('POST', '/api/environments', input)).toMatchObject({ status });
    expect(await platform.call('PATCH', '/api/environments/stagin', { agentAddresses: [] })).toMatchObject({
      status: 404,
    });
  });
});
