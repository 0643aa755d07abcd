import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import Provider from 'oidc-provider';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { authorizationUrl } from '../helpers/agent-authorization.ts';
import { type Browser, createBrowser } from '../helpers/browser.ts';
import { consoleBrowserOf } from '../helpers/console-browser.ts';
import { freePort } from '../helpers/free-port.ts';
import { followAdminLog } from '../helpers/read-admin-log.ts';
import { startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const callback = 'https://admin.example.test/service/authentication/callback';
const client = { client_id: 'platform', client_secret: 'a secret of the company, long enough' };

/** What the company says of whoever signs in there. */
interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly given_name?: string;
  readonly family_name?: string;
  readonly groups?: readonly string[] | string | undefined;
}

interface CompanyChange {
  readonly isOnly?: boolean;
  readonly secret?: string;
  readonly isAway?: boolean;
  /** What `amr` of the provider says of the sign-in there, and what of it counts at the platform. */
  readonly amr?: readonly string[];
  readonly secondFactors?: readonly string[];
}

/** The OpenID provider of a company, where a person is signed in already, and a platform that uses it. */
async function startCompany(account: Account, change: CompanyChange = {}) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const port = await freePort();
  const provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [`http://127.0.0.1:${port}/sign-in-company`] }],
    cookies: { keys: ['a key of the company'] },
    claims: {
      openid: ['sub', 'amr'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'name'],
      groups: ['groups'],
    },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: async (_context, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId, ...account }),
    }),
    loadExistingGrant: async (context) => {
      const grant = new provider.Grant({ clientId: client.client_id, accountId: 'somebody' });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return context.oidc.session?.accountId ? grant : undefined;
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/')) {
      void provider.interactionFinished(request, response, {
        login: { accountId: 'somebody', amr: [...(change.amr ?? [])] },
      });
    } else void answer(request, response);
  });
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(async () => {
    await http.close();
    server.closeAllConnections();
    server.close();
  });
  const store = { dialect: 'sqlite', storage: path.join(await temporaryFolder(), 'platform.sqlite') } as const;
  const platform = await startTeamPlatform({
    store,
    port: { port, isExact: true },
    companySignOn: {
      issuer: change.isAway ? `${issuer}/elsewhere` : issuer,
      clientId: client.client_id,
      clientSecret: change.secret ?? client.client_secret,
      domains: ['example.test'],
      isOnly: change.isOnly ?? false,
      secondFactors: change.secondFactors ?? [],
      groupsClaim: 'groups',
      scopes: ['groups'],
      http,
    },
  });
  return { ...platform, store };
}

const isBack = (url: string) => url.startsWith(callback);
const isFactorPage = (url: string) => url.endsWith('/factor');

async function openPage(browser: Browser, platform: TeamPlatform) {
  const page = await browser.follow(await authorizationUrl(platform, callback), isBack);
  return { url: page.url, html: (await page.response?.text()) ?? '' };
}

/** Signs in with the company's account; where the browser ends, and what it shows there. */
async function signOn(platform: TeamPlatform, browser = createBrowser()) {
  const { url, html } = await openPage(browser, platform);
  const link = /href="([^"]*company[^"]*)"/.exec(html)?.[1] ?? '';
  const end = await browser.follow(new URL(link, url).href, isBack);
  const text = (await end.response?.text()) ?? '';
  return { url: end.url, status: end.response?.status, problem: /role="alert"[^>]*>([^<]*)/.exec(text)?.[1] };
}

const all = { collections: { '*': { browse: true } } };
const ada = { email: 'ada@example.test', email_verified: true };

describe('signing in with an account of the company', () => {
  it('leads a member back to the agent, whatever the case of the e-mail', async () => {
    const platform = await startCompany({ ...ada, email: 'Ada@Example.test' });
    expect((await signOn(platform)).url).toContain('code=');
  });

  it('accepts the invitation of somebody new, under the name that the company gives', async () => {
    const bob = { email: 'bob@example.test', email_verified: true, given_name: 'Bob', family_name: 'Builder' };
    const platform = await startCompany(bob);
    await platform.invite('bob@example.test', { level: 'editor' });
    expect((await signOn(platform)).url).toContain('code=');
    const { body } = await platform.call('GET', '/api/people');
    expect(body).toMatchObject({ people: [{}, { name: 'Bob Builder', email: bob.email, level: 'editor' }] });
    expect(await platform.call('GET', '/api/invitations')).toMatchObject({
      body: { invitations: [{ state: 'accepted' }] },
    });
    const logged = await (await followAdminLog(platform.store))();
    const joined = logged.filter(({ initiator }) => initiator === 'identityProvider');
    expect(joined).toMatchObject([
      { type: 'update', resource: 'invitation' },
      { type: 'add', resource: 'user-project', newValue: { user: { email: bob.email } } },
    ]);
    expect(joined.some((row) => 'user' in row)).toBe(false);
  });

  it.each([
    ['somebody who was not invited', { email: 'eve@example.test', email_verified: true }, 'Nobody has invited'],
    ['an e-mail that is not verified', { email: 'ada@example.test', email_verified: false }, 'not verified'],
    ['an e-mail that the company does not vouch for', { email: 'ada@example.test' }, 'not verified'],
    ['no e-mail', { email_verified: true }, 'no e-mail'],
    ['another domain', { email: 'ada@elsewhere.test', email_verified: true }, 'elsewhere.test are not taken'],
    ['a domain that ends alike', { email: 'ada@evil-example.test', email_verified: true }, 'are not taken'],
  ])('refuses %s, with the reason on the page and in the log', async (_who, account, reason) => {
    const platform = await startCompany(account);
    const refused = await signOn(platform);
    expect(refused).toMatchObject({ status: 403, problem: expect.stringContaining(reason) });
    expect(platform.logged).toContainEqual({
      message: 'A company account was refused.',
      fields: { reason: expect.stringContaining(reason) },
    });
  });

  it('refuses a member who is deactivated', async () => {
    const platform = await startCompany({ email: 'eve@example.test', email_verified: true });
    const id = await platform.join('eve@example.test');
    await platform.call('PATCH', `/api/people/${id}`, { isActive: false });
    expect(await signOn(platform)).toMatchObject({ status: 403, problem: expect.stringContaining('not a member') });
  });

  it('says what the company refuses', async () => {
    const platform = await startCompany(ada, { secret: 'a wrong secret of the company' });
    expect(await signOn(platform)).toMatchObject({ status: 403, problem: expect.stringContaining('was not accepted') });
  });

  it('says on the page and in the log when the company does not answer', async () => {
    const platform = await startCompany(ada, { isAway: true });
    expect(await signOn(platform)).toMatchObject({ status: 502, problem: expect.stringContaining('does not answer') });
    expect(platform.logged).toContainEqual(
      expect.objectContaining({ message: 'Signing in with company accounts does not work.' }),
    );
  });

  it('ends only in the browser that it was begun in, and once', async () => {
    const platform = await startCompany(ada);
    const browser = createBrowser();
    const { url, html } = await openPage(browser, platform);
    const link = new URL(/href="([^"]*company[^"]*)"/.exec(html)?.[1] ?? '', url).href;
    const back = await browser.follow(link, (at) => at.startsWith(`${platform.url}/sign-in-company`));
    const stolen = await createBrowser().follow(back.url, isBack);
    expect(stolen.response?.status).toBe(404);
    const forged = await browser.open(`${platform.url}/sign-in-company?state=made-up&code=x`);
    expect(forged.status).toBe(404);
    expect((await browser.follow(back.url, isBack)).url).toContain('code=');
    expect((await browser.follow(back.url, isBack)).response?.status).toBe(404);
  });

  it.each([
    [true, 403],
    [false, 303],
  ])('is the only way where that is said: %j', async (isOnly, status) => {
    const platform = await startCompany(ada, { isOnly });
    const browser = createBrowser();
    const { url, html } = await openPage(browser, platform);
    expect(html.includes('type="password"')).toBe(!isOnly);
    const headers = { origin: platform.url };
    const posted = await browser.open(url, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ token: platform.token }),
    });
    expect(posted.status).toBe(status);
  });

  it('leads somebody that SCIM has made to the agent, until SCIM deactivates them', async () => {
    const platform = await startCompany({ email: 'bob@example.test', email_verified: true });
    const made = await platform.call('POST', '/api/scim-tokens', { name: 'company', role: 'Administrators' });
    const { token } = made.body as { token: string };
    const scim = (method: string, path: string, body: object) =>
      fetch(`${platform.url}/scim/v2/Users${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
        body: JSON.stringify(body),
      });
    expect(await signOn(platform)).toMatchObject({ status: 403 });
    const { id } = (await (await scim('POST', '', { userName: 'bob@example.test' })).json()) as { id: string };
    expect((await signOn(platform)).url).toContain('code=');
    await scim('PUT', `/${id}`, { userName: 'bob@example.test', active: false });
    expect(await signOn(platform)).toMatchObject({ status: 403, problem: expect.stringContaining('not a member') });
  });

  it.each([
    ['counts where an administrator said so', ['pwd', 'mfa'], ['mfa'], isBack],
    ['does not count where nobody said so', ['pwd', 'mfa'], [], isFactorPage],
    ['does not count where the provider asked for none', ['pwd'], ['mfa'], isFactorPage],
  ] as const)('whose second factor %s', async (_when, amr, secondFactors, isEnd) => {
    const platform = await startCompany(ada, { amr, secondFactors });
    await platform.call('PATCH', '/api/roles/Administrators', { needsSecondFactor: true });
    const { url } = await signOn(platform);
    expect(url).toSatisfy(isEnd);
  });
});

describe('groups of the company', () => {
  it('are those that the provider names at each sign-in, and what an administrator gave stays', async () => {
    const account = { ...ada, groups: ['support', 'unmapped'] as string[] | string | undefined };
    const platform = await startCompany(account);
    const roles = { Administrators: all, support: all, sales: all };
    await platform.call('PUT', '/api/rights', { document: { roles }, base: 0 });
    await platform.call('PUT', '/api/groups/support', { roles: ['support'] });
    await platform.call('PUT', '/api/groups/sales', { roles: ['sales'] });
    const given = { name: 'Administrators', source: 'given' };
    const rolesNow = async () => {
      expect((await signOn(platform)).url).toContain('code=');
      const { body } = await platform.call('GET', '/api/people');
      return (body as { people: { role: string }[] }).people[0];
    };
    expect(await rolesNow()).toMatchObject({
      role: 'Administrators',
      roles: [given, { name: 'support', source: 'group', group: 'support' }],
    });
    account.groups = 'sales';
    expect(await rolesNow()).toMatchObject({
      role: 'Administrators',
      roles: [given, { name: 'sales', source: 'group', group: 'sales' }],
    });
    account.groups = undefined;
    expect(await rolesNow()).toMatchObject({ roles: [given] });
    expect(await platform.call('GET', '/api/groups')).toMatchObject({
      body: {
        groups: [
          { group: 'support', people: 0 },
          { group: 'sales', people: 0 },
        ],
      },
    });
  });
});

describe('the settings of the company sign-on', () => {
  it('is shown to administrators, without the secret', async () => {
    const platform = await startCompany({ email: 'ada@example.test', email_verified: true });
    const answer = await platform.call('GET', '/api/company-sign-on');
    expect(answer).toMatchObject({
      status: 200,
      body: {
        provider: {
          clientId: client.client_id,
          domains: ['example.test'],
          callbackUrl: `${platform.url}/sign-in-company`,
        },
        scimUrl: `${platform.url}/scim/v2`,
      },
    });
    expect(JSON.stringify(answer.body)).not.toContain(client.client_secret);
    await platform.join('bob@example.test', { level: 'developer' });
    const bob = await consoleBrowserOf(platform, 'bob@example.test');
    expect((await bob.ask('GET', '/api/company-sign-on')).status).toBe(403);
  });
});
