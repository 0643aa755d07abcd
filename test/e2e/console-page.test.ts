import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInChromium } from '../helpers/chromium.ts';
import { consoleFolder } from '../helpers/console-folder.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  describeWithCertificates,
} from '../helpers/server-certificates.ts';
import { password, startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';

const bob = 'bob@example.test';

async function signIn(page: Page, { url }: Pick<TeamPlatform, 'url'>, path: string): Promise<void> {
  await page.goto(url + path);
  await page.getByLabel('E-mail').fill(bob);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Bob Example' }).waitFor();
}

/** Keep what the frame tells the page, in order. */
async function keepWhatFrameTells(page: Page): Promise<void> {
  await page.evaluate(`
    window.told = [];
    addEventListener('message', ({ data, origin }) => told.push({ ...data, origin }));
  `);
}

describeInChromium('the page of the console in Chromium', (openPage) => {
  it('knows who has signed in, where the person wanted to be, and runs under its policy', async () => {
    const platform = await startTeamPlatform({ consoleFolder: await consoleFolder() });
    await platform.join(bob);
    const { page, complaints } = await openPage();
    await signIn(page, platform, '/console/development?sort=a');
    expect(page.url()).toBe(`${platform.url}/console/development?sort=a`);
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).color")).toBe('rgb(1, 2, 3)');
    expect(complaints).toEqual([]);
    // The page may not write markup, and takes no style and no script that is written into it.
    const violations = await page.evaluate(`(() => {
      const kinds = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => kinds.push(effectiveDirective));
      try { document.body.innerHTML = '<b>x</b>'; } catch (error) { kinds.push(error.name); }
      try { trustedTypes.createPolicy('own', {}); } catch { kinds.push('no other policy'); }
      document.head.append(Object.assign(document.createElement('style'), { textContent: 'h1 { color: red }' }));
      return new Promise((resolve) => setTimeout(() => resolve(kinds), 100));
    })()`);
    expect(violations).toEqual(
      expect.arrayContaining(['TypeError', 'require-trusted-types-for', 'no other policy', 'style-src-elem']),
    );
  });

  it('lends its session to no other page: neither by a script nor by a form', async () => {
    const platform = await startTeamPlatform({ consoleFolder: await consoleFolder() });
    await platform.join(bob, { level: 'admin' });
    const { page } = await openPage();
    await signIn(page, platform, '/console/');
    const other = await startHttpServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Other</h1>'),
    );
    await page.goto(other.origin);
    const target = JSON.stringify(`${platform.url}/api/teams`);
    const call = (init: string) =>
      page.evaluate(`fetch(${target}, ${init}).then(({ status }) => status, ({ name }) => name)`);
    const named = "headers: { 'service-client': 'console' }, credentials: 'include'";
    const team = "method: 'POST', body: JSON.stringify({ name: 'Evil' }), credentials: 'include'";
    expect(await call(`{ ${named} }`)).toBe('TypeError');
    expect(await call(`{ ${team}, mode: 'no-cors' }`)).toBe(0);
    const submitted = page.waitForResponse(`${platform.url}/api/teams`);
    await page.evaluate(`(() => {
      const form = document.createElement('form');
      form.action = ${target}; form.method = 'post'; form.enctype = 'text/plain';
      document.body.append(form); form.submit();
    })()`);
    expect((await submitted).status()).toBe(403);
    expect((await platform.call('GET', '/api/teams')).body).toMatchObject({ teams: [{ name: 'Operations' }] });
    expect(JSON.stringify((await platform.call('GET', '/api/teams')).body)).not.toContain('Evil');
  });

  it('shows HTML from elsewhere in a frame that reaches nothing, and learns about its height and its links', async () => {
    const platform = await startTeamPlatform({ consoleFolder: await consoleFolder() });
    await platform.join(bob);
    const { page, complaints } = await openPage();
    await signIn(page, platform, '/console/');
    await keepWhatFrameTells(page);
    const frameOfPage = () => page.frames().find((each) => each.url().endsWith('/frame'));
    await expect.poll(frameOfPage).toBeDefined();
    const frame = frameOfPage();
    if (!frame) throw new Error('The page has no frame.');
    await frame.waitForLoadState();
    const html = `<p id="shown" style="height: 500px">Hello <a href="https://example.test/a">link</a></p>
      <img src="x" onerror="parent.postMessage('ran', '*')">
      <script>parent.postMessage('ran', '*')</script>
      <img src="${platform.url}/console/assets/app-1a2b3c.js">`;
    await page.evaluate(
      `document.querySelector('iframe').contentWindow.postMessage(${JSON.stringify({ html, style: '#shown { color: rgb(4, 5, 6) }' })}, '*')`,
    );
    await frame.getByText('Hello').waitFor();
    expect(await frame.evaluate('getComputedStyle(shown).color')).toBe('rgb(4, 5, 6)');
    await frame.getByRole('link').click();
    await expect.poll(() => page.evaluate("told.some(({ type }) => type === 'link')")).toBe(true);
    const told = (await page.evaluate('told')) as { type: string; height?: number; href?: string; origin: string }[];
    expect(told.filter(({ type }) => type === 'link')).toEqual([
      { type: 'link', href: 'https://example.test/a', origin: 'null' },
    ]);
    expect(Math.max(...told.map(({ height = 0 }) => height))).toBeGreaterThanOrEqual(500);
    // The frame says that it hears; on a busy machine it does so only now. What it was given says nothing.
    expect(told.filter(({ type }) => !['ready', 'link', 'height'].includes(type))).toEqual([]);
    // It has neither the cookie nor the storage of the platform, and cannot call it.
    const reached = await frame.evaluate(`Promise.all([
      Promise.resolve().then(() => document.cookie).catch(({ name }) => name),
      Promise.resolve().then(() => String(localStorage)).catch(({ name }) => name),
      fetch('/api/me', { headers: { 'service-client': 'console' } }).then(String, ({ name }) => name),
    ])`);
    expect(reached).toEqual(['SecurityError', 'SecurityError', 'TypeError']);
    expect(complaints.filter((text) => !/Content Security Policy/.test(text))).toEqual([]);
    expect(complaints.length).toBeGreaterThan(0);
  });

  it('is not shown in a page of another origin, and neither is the frame', async () => {
    const platform = await startTeamPlatform({ consoleFolder: await consoleFolder() });
    const { origin } = await startHttpServer((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(['/console/', '/frame'].map((path) => `<iframe src="${platform.url}${path}"></iframe>`).join('')),
    );
    const { page, complaints } = await openPage();
    await page.goto(origin);
    await expect.poll(() => complaints.filter((text) => text.includes('frame-ancestors')).length).toBe(2);
  });
});

describeWithCertificates('the session of the console over TLS', () => {
  let authority: CertificateAuthority;
  beforeAll(async () => {
    authority = await createCertificateAuthority();
  });
  afterAll(() => authority.remove());

  describeInChromium('in Chromium', (openPage) => {
    it('is a cookie that only this host can set, and only by TLS, and goes when the person signs out', {
      tags: 'long',
    }, async () => {
      const { certificatePath, keyPath } = await authority.issue(['DNS:localhost', 'IP:127.0.0.1']);
      const tls = { cert: await readFile(certificatePath, 'utf8'), key: await readFile(keyPath, 'utf8') };
      const team = { tls, trustedProxies: [], noticeMs: 0, drainMs: 100, tellRequest: () => undefined };
      const platform = await startTeamPlatform({ consoleFolder: await consoleFolder(), team });
      const { page } = await openPage({ ignoreHTTPSErrors: true });
      await page.goto(`${platform.url}/console/`);
      await page.getByText('Sign in with a token').click();
      await page.getByLabel('Your token of this platform').fill(platform.token);
      await page.getByRole('button', { name: 'Sign in with the token' }).click();
      await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
      const cookies = async () => (await page.context().cookies()).filter(({ name }) => name.includes('session'));
      const name = `__Host-session_${new URL(platform.url).port}`;
      const shared = { path: '/', secure: true, httpOnly: true, sameSite: 'Lax', domain: '127.0.0.1' };
      expect(await cookies()).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name, ...shared }),
          expect.objectContaining({ name: `${name}.sig`, ...shared }),
        ]),
      );
      const out = "fetch('/console/sign-out', { method: 'POST', headers: { 'service-client': 'console' } })";
      expect(await page.evaluate(`${out}.then(({ status }) => status)`)).toBe(204);
      expect(await cookies()).toEqual([]);
    });
  });
});
