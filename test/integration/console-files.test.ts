import { describe, expect, it } from 'vitest';
import { schemaUploadOf } from '#contracts/schema-upload';
import { openConsoleBrowser, signInToConsole } from '../helpers/console-browser.ts';
import { consoleFolder, consoleScript } from '../helpers/console-folder.ts';
import { schemaDocument } from '../helpers/schema-document.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

async function start() {
  return startTeamPlatform({ consoleFolder: await consoleFolder() });
}

describe('the files of the console', () => {
  it('begin with a page that browsers do not keep, and that loads nothing from elsewhere', async () => {
    const { url } = await start();
    for (const path of ['/console/', '/console/development/data/orders', '/console/x.csv', '/console/a/b?c=d']) {
      const answer = await fetch(url + path);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Console of the tests')]);
      const headers = Object.fromEntries(answer.headers);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'same-origin',
        'permissions-policy': expect.stringContaining('camera=()'),
      });
      expect(headers['content-security-policy']?.split('; ')).toEqual(
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]),
      );
      expect(headers['content-security-policy']).not.toContain('unsafe');
    }
  });

  it('let the page of somebody call their agents that the platform does not reach, and nothing else', async () => {
    const platform = await startTeamPlatform({
      consoleFolder: await consoleFolder(),
      reachAgent: ({ name }) => (name === 'development' ? 'http://127.0.0.1:1/service' : undefined),
    });
    await platform.call('PATCH', '/api/environments/development', {
      agentAddresses: ['https://near.example.com/service'],
    });
    const staging = { name: 'staging', type: 'production', agentAddresses: ['https://far.example.com/a;b/service'] };
    expect((await platform.call('POST', '/api/environments', staging)).status).toBe(201);
    const browser = openConsoleBrowser(platform);
    const calls = async () => {
      const { headers } = await browser.open(`${platform.url}/console/`, {});
      const rules = headers.get('content-security-policy')?.split('; ') ?? [];
      return rules.filter((rule) => rule.startsWith('connect-src'));
    };
    expect(await calls()).toEqual(["connect-src 'self'"]);
    await signInToConsole(browser, platform, { token: platform.token });
    expect(await calls()).toEqual(["connect-src 'self' https://far.example.com/a%3Bb/service/"]);
  });

  it('let the page of somebody call the origins that agents list for webhooks, as each sent them last', async () => {
    const team = { trustedProxies: [], noticeMs: 0, drainMs: 1000, tellRequest: () => undefined };
    const platform = await startTeamPlatform({ consoleFolder: await consoleFolder(), team });
    const browser = openConsoleBrowser(platform);
    await signInToConsole(browser, platform, { token: platform.token });
    const calls = async () => {
      const { headers } = await browser.open(`${platform.url}/console/`, {});
      return (headers.get('content-security-policy')?.split('; ') ?? []).filter((rule) =>
        rule.startsWith('connect-src'),
      );
    };
    const send = (hash: string, origins?: readonly string[]) => {
      const document = schemaDocument([]);
      const meta = { ...document.meta, ...(origins ? { webhook_origins: [...origins] } : {}) };
      return fetch(`${platform.url}/service/apimaps`, {
        method: 'POST',
        headers: { 'service-secret-key': platform.envSecret, 'content-type': 'application/json' },
        body: JSON.stringify(schemaUploadOf({ ...document, meta }, hash)),
      });
    };
    expect(await calls()).toEqual(["connect-src 'self'"]);
    // An origin of this machine is for the platform of one developer.
    expect((await send('a', ['https://hooks.example.com:8443', 'http://127.0.0.1:9'])).status).toBe(204);
    expect(await calls()).toEqual(["connect-src 'self' https://hooks.example.com:8443"]);
    for (const origin of ['https://a.example;script-src', 'https://a.example *', 'https:', 'http://a.example', '*']) {
      expect((await send('b', [origin])).status).toBe(400);
    }
    expect(await calls()).toEqual(["connect-src 'self' https://hooks.example.com:8443"]);
    expect((await send('c')).status).toBe(204);
    expect(await calls()).toEqual(["connect-src 'self'"]);
  });

  it.each(['/', '/console'])('are where %s leads', async (path) => {
    const { url } = await start();
    const answer = await fetch(url + path, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/console/']);
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br;q=0', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.000, gzip;q=0', null],
    ['identity', null],
    ['brotli', null],
  ])('come compressed to who takes it: %s', async (accepted, encoding) => {
    const { url } = await start();
    const answer = await fetch(`${url}/console/assets/app-1a2b3c.js`, { headers: { 'accept-encoding': accepted } });
    expect(await answer.text()).toBe(consoleScript);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      // What a worker obeys.
      'content-security-policy': "default-src 'none'; connect-src 'self'",
    });
    expect(answer.headers.get('content-encoding')).toBe(encoding);
  });

  it('come as they are where the build has made no other form', async () => {
    const { url } = await start();
    const answer = await fetch(`${url}/console/assets/app-1a2b3c.css`, { headers: { 'accept-encoding': 'br, gzip' } });
    expect(answer.headers.get('content-encoding')).toBe(null);
    expect(answer.headers.get('content-type')).toBe('text/css; charset=utf-8');
  });

  it.each([
    '/console/assets/app-000000.js',
    '/console/assets/app-1a2b3c.js.map',
    '/console/assets/app-1a2b3c.js.br',
    '/console/assets/..%2fsecret.txt',
    '/console/assets/..%5csecret.txt',
  ])('are those of the build only, and a file that is not there is never a page: %s', async (path) => {
    const { url } = await start();
    const answer = await fetch(url + path);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('Load the page again')]);
  });

  it('are only read', async () => {
    const { url } = await start();
    for (const path of ['/console/', '/console/development/data/orders', '/frame', '/']) {
      expect((await fetch(url + path, { method: 'POST' })).status).toBe(404);
    }
  });

  it('say how to build them where they are not built', async () => {
    const platform = await startTeamPlatform({ consoleFolder: await temporaryFolder() });
    const answer = await fetch(`${platform.url}/console/`);
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('npm run build')]);
  });
});
