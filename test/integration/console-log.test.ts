import { expect, it } from 'vitest';
import { consoleBrowserOf } from '../helpers/console-browser.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';

const changes = '/console/v1/project/shop/admin-logs';
const acts = '/console/v1/project/shop/environment/development/activity-logs';

async function startWithAdmin() {
  const platform = await startTeamPlatform();
  await platform.join('carol@example.test', { level: 'admin' });
  return { platform, browser: await consoleBrowserOf(platform, 'carol@example.test') };
}

it('gives an administrator the answers of /v1 in a page', async () => {
  const { platform, browser } = await startWithAdmin();
  const page = await browser.ask('GET', `${changes}?include=all&limit=5&expand=source,integrity`);
  const same = await platform.call('GET', '/v1/project/shop/admin-logs?include=all&limit=5&expand=source,integrity');
  expect([page.status, await page.json()]).toEqual([200, same.body]);
  expect(page.headers.get('ratelimit')).toBeNull();
  const exported = await (await browser.ask('GET', `${changes}/export`)).text();
  expect(exported).toContain('"object":"end"');
  expect((await browser.ask('GET', `${acts}?status=odd`)).status).toBe(400);
  expect((await browser.ask('GET', acts)).status).toBe(200);
});

it('refuses everybody else, and everything that is not the log', async () => {
  const { platform, browser } = await startWithAdmin();
  await platform.join('bob@example.test', { level: 'developer' });
  const bob = await consoleBrowserOf(platform, 'bob@example.test');
  const integrity = '/console/v1/project/shop/integrity';
  for (const path of [changes, acts, `${acts}/export`, integrity, `${integrity}/register`]) {
    expect((await bob.ask('GET', path)).status).toBe(403);
    expect((await browser.ask('GET', path, undefined, { 'service-client': undefined })).status).toBe(401);
    expect((await browser.ask('GET', path, undefined, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await platform.call('GET', path)).status).toBe(403);
    expect((await browser.ask('GET', path.replace('/shop', '/other'))).status).toBe(404);
  }
  expect((await browser.ask('POST', '/console/v1/project/shop/integrity/cosignatures', {})).status).toBe(404);
  expect((await browser.ask('GET', '/console/v1/caller')).headers.get('content-type')).toContain('text/html');
});
