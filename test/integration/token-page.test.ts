import { describe, expect, it } from 'vitest';
import { createBrowser } from '../helpers/browser.ts';
import { password, startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';

const bob = 'bob@example.test';
const page = '/settings/tokens';
const never = () => false;

/** A browser in which Bob has signed in for the page. */
async function signIn(platform: TeamPlatform, level = 'admin') {
  const userId = await platform.join(bob, { level });
  const browser = createBrowser();
  const begun = await browser.follow(platform.url + page, never);
  expect(begun.url).toContain('/sign-in/');
  expect(await begun.response?.text()).toContain('You want to open the settings of the platform.');
  const posted = await browser.open(begun.url, {
    method: 'POST',
    headers: { origin: platform.url },
    body: new URLSearchParams({ email: bob, password }),
  });
  const back = await browser.follow(new URL(posted.headers.get('location') ?? '', begun.url).href, never);
  const open = async (route = page) => (await browser.open(platform.url + route)).text();
  const send = async (fields: Readonly<Record<string, string | readonly string[]>>) => {
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(fields))
      for (const each of [value].flat()) form.append(name, String(each));
    const response = await browser.open(platform.url + page, {
      method: 'POST',
      headers: { origin: platform.url },
      body: form,
    });
    return { status: response.status, headers: response.headers, html: await response.text() };
  };
  return { browser, back, open, send, userId };
}

function fieldIn(html: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
}

const secretPattern = /svc_test_[0-9A-Za-z]{38}/;

describe('the page of the API tokens', () => {
  it('leads through the sign-in of the platform, and makes, rotates and revokes tokens', async () => {
    const platform = await startTeamPlatform();
    const { back, open, send } = await signIn(platform);
    expect(back.url).toBe(platform.url + page);
    const html = (await back.response?.text()) ?? '';
    expect(html).toContain('<h1>API tokens of shop</h1>');
    const common = { formToken: fieldIn(html, 'formToken'), project: 'shop' };
    const creation = { ...common, do: 'create', key: fieldIn(html, 'key'), name: '<b>siem</b>', life: '30' };
    const made = await send({ ...creation, scopes: ['notes:read', 'admin_logs:read'] });
    expect(made.status).toBe(200);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const [secret = ''] = secretPattern.exec(made.html) ?? [];
    expect(made.html).toContain('&#60;b&#62;siem&#60;/b&#62;');
    expect(made.html).not.toContain('<b>siem');
    const statusFor = async (token: string) => (await platform.call('GET', '/v1/rate-limit', undefined, token)).status;
    expect(await statusFor(secret)).toBe(200);
    expect(await open()).not.toMatch(secretPattern);
    const again = await send({ ...creation, scopes: ['notes:read', 'admin_logs:read'] });
    expect(again.html).toContain('This form was sent before.');
    const { body } = await platform.call('GET', '/api/projects/shop/tokens');
    const { tokens } = body as { tokens: { id: number }[] };
    expect(tokens).toMatchObject([{ scopes: ['notes:read', 'admin_logs:read'], createdBy: { email: bob } }]);
    const id = String(tokens[0]?.id);
    const rotated = await send({ ...common, do: 'rotate', id });
    const [second = ''] = secretPattern.exec(rotated.html) ?? [];
    expect([await statusFor(secret), await statusFor(second), second === secret]).toEqual([200, 200, false]);
    expect((await send({ ...common, do: 'revoke', id })).status).toBe(303);
    expect([await statusFor(secret), await statusFor(second)]).toEqual([401, 401]);
    expect(await open()).toContain(': revoked');
  });

  it('shows the form again with what is wrong', async () => {
    const platform = await startTeamPlatform();
    const { open, send } = await signIn(platform);
    const html = await open();
    const creation = {
      ...{ formToken: fieldIn(html, 'formToken'), project: 'shop', do: 'create', key: fieldIn(html, 'key') },
      ...{ name: 'siem', life: '30', scopes: 'notes:read' },
    };
    const { scopes: _none, ...nothing } = creation;
    const refused = await send(nothing);
    expect(refused.status).toBe(422);
    expect(refused.html).toMatch(/role="alert"[^>]*>The token may do nothing\. Choose at least one thing/);
    expect(refused.html).toContain('name="name" maxlength="100" value="siem"');
    expect(await send({ ...creation, life: '367' })).toMatchObject({ status: 422 });
    expect(await send({ ...creation, scopes: 'tokens:write' })).toMatchObject({ status: 422 });
    expect((await send(creation)).html).toMatch(secretPattern);
  });

  it('takes no form without its own token, from another site, or from nobody', async () => {
    const platform = await startTeamPlatform();
    const { browser, open, send } = await signIn(platform);
    const formToken = fieldIn(await open(), 'formToken');
    const revoke = { project: 'shop', do: 'revoke', id: '1' };
    expect((await send(revoke)).status).toBe(403);
    expect((await send({ ...revoke, formToken: `${formToken.slice(0, -1)}-` })).status).toBe(403);
    expect((await send({ ...revoke, formToken })).status).toBe(404);
    const body = new URLSearchParams({ ...revoke, formToken });
    const init = { method: 'POST', headers: { origin: 'https://evil.example' }, body };
    expect((await browser.open(platform.url + page, init)).status).toBe(403);
    expect((await fetch(platform.url + page, { method: 'POST', body })).status).toBe(401);
    expect((await fetch(`${platform.url}/settings/signed-in?code=x`)).status).toBe(401);
  });

  it('is for administrators only, and ends with their session', async () => {
    const platform = await startTeamPlatform();
    const { back, browser, open, userId } = await signIn(platform, 'developer');
    expect(back.response?.status).toBe(403);
    expect(await open()).toContain('You do not administer this project, or any project.');
    await platform.call('PATCH', `/api/people/${userId}`, { level: 'admin' });
    expect(await open()).toContain('API tokens of shop');
    expect((await browser.open(`${platform.url}${page}?project=market`)).status).toBe(403);
    await platform.call('DELETE', `/api/sessions?person=${userId}`);
    expect((await browser.open(platform.url + page)).status).toBe(303);
  });
});
