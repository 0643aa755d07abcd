import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createBrowser } from '../helpers/browser.ts';
import { describeInChromium } from '../helpers/chromium.ts';
import { installedPackage } from '../helpers/installed-package.ts';
import { KeptAuthorization } from '../helpers/kept-authorization.ts';
import { expectLabels } from '../helpers/keyboard.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { canOpenTerminal, TerminalProcess } from '../helpers/terminal-process.ts';

const pty = canOpenTerminal();
const anyPorts = '--agent-port 0 --sandbox-port 0 --mcp-port 0';
const linkPattern = /http:\/\/127\.0\.0\.1:\d+\/sign-in-link#[0-9a-f]{64}/;

/** The sample shop in a terminal, once it is served. */
async function startDemo() {
  const { bin } = installedPackage();
  const folder = await temporaryFolder();
  const demo = new TerminalProcess(`"${process.execPath}" "${bin}" demo shop ${anyPorts}`, folder);
  await demo.shows(/o sign in/);
  const [mcpUrl] = await demo.shows(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
  return { demo, mcpUrl: new URL(mcpUrl), project: path.join(folder, 'shop'), bin };
}

/** Press the key, and take the link that it shows. */
async function pressForLink(demo: TerminalProcess): Promise<string> {
  const from = demo.screen.length;
  demo.press('o');
  const [link] = await demo.shows(linkPattern, from);
  return link;
}

/** Nobody listens where the client would: the address that the browser is sent to is all that counts. */
async function answerOf(page: Page, { redirectUrl }: KeptAuthorization): Promise<URLSearchParams> {
  const sent = page.waitForRequest((request) => request.url().startsWith(redirectUrl));
  await page.getByRole('button', { name: 'Allow' }).click();
  return new URL((await sent).url()).searchParams;
}

const count = { name: 'aggregate', arguments: { collectionName: 'orders', groupBy: [{ field: 'status' }] } };

const reason = pty === true ? '' : ` (skipped: ${pty})`;
describe.skipIf(pty !== true)(`signing in at the platform of demo${reason}`, () => {
  describeInChromium('in Chromium', (openChromium) => {
    it('lets clients in that know the address of the MCP server only, by the key "o", and leaves no secret behind', {
      tags: 'long',
    }, async () => {
      const { demo, mcpUrl, project, bin } = await startDemo();
      const authProvider = new KeptAuthorization();
      const first = new StreamableHTTPClientTransport(mcpUrl, { authProvider });
      const client = new Client({ name: 'test', version: '1.0.0' });
      await expect(client.connect(first)).rejects.toBeInstanceOf(UnauthorizedError);

      const opened = await openChromium();
      const context = opened.page.context();
      const page = await context.newPage();
      await page.goto(String(authProvider.asked));
      expect(await page.locator('main').innerText()).toContain('Press o in the terminal');
      await expectLabels(page);
      const link = await pressForLink(demo);
      await opened.page.goto(link);
      await opened.page.waitForURL(({ pathname }) => pathname === '/console/');
      expect(opened.page.url()).not.toContain(new URL(link).hash.slice(1));
      // As the console asks, which may not be built here.
      const headers = { 'service-client': 'console', 'sec-fetch-site': 'same-origin' };
      const customers = new URL('/console/agent/development/customers?timezone=UTC&page[size]=1', opened.page.url());
      const shown = await opened.page.request.get(customers.href, { headers });
      expect(await shown.json()).toMatchObject({ data: [{ type: 'customers' }] });
      // As if somebody came back to the window.
      await page.evaluate('dispatchEvent(new Event("blur")); dispatchEvent(new Event("focus"))');
      await page.getByRole('button', { name: 'Continue' }).click();
      await first.finishAuth(await answerOf(page, authProvider));
      await client.connect(new StreamableHTTPClientTransport(mcpUrl, { authProvider }));
      expect(JSON.stringify((await client.callTool(count)).structuredContent)).toContain('shipped');
      await client.close();

      // The browser is signed in, so that another client asks only whether it may.
      const other = new KeptAuthorization();
      const modernFirst = new StreamableHTTPClientTransport(mcpUrl, { authProvider: other });
      const modern = new Client({ name: 'modern', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
      await expect(modern.connect(modernFirst)).rejects.toThrow();
      await page.goto(String(other.asked));
      await modernFirst.finishAuth(await answerOf(page, other));
      await modern.connect(new StreamableHTTPClientTransport(mcpUrl, { authProvider: other }));
      expect(JSON.stringify((await modern.callTool(count)).structuredContent)).toContain('shipped');
      await modern.close();

      // The link was good once: another browser learns that. One that the command makes lets it in.
      const stranger = await openChromium();
      await stranger.page.goto(link);
      await stranger.page.getByRole('alert').waitFor();
      expect(await stranger.page.getByRole('alert').innerText()).toContain('was used');
      const run = promisify(execFile);
      const { stdout } = await run(process.execPath, [bin, 'sign-in-link', '--json'], { cwd: project });
      const made = JSON.parse(stdout) as { link: string; url: string };
      expect(made).toEqual({
        link: expect.stringMatching(linkPattern),
        url: expect.any(String),
        expiresAt: expect.any(String),
      });
      await stranger.page.goto(made.link);
      await stranger.page.waitForURL(({ pathname }) => pathname === '/console/');

      for (const secret of [link, made.link].map((each) => new URL(each).hash.slice(1))) {
        expect(filesWith(secret, project)).toBe('');
      }
      expect([...opened.complaints, ...stranger.complaints]).toEqual([]);
    });

    it('takes the link on the page itself, without scripts', { tags: 'long' }, async () => {
      const { demo, mcpUrl } = await startDemo();
      const authProvider = new KeptAuthorization();
      const transport = new StreamableHTTPClientTransport(mcpUrl, { authProvider });
      await expect(new Client({ name: 'test', version: '1.0.0' }).connect(transport)).rejects.toThrow();
      const { page: other } = await openChromium({ javaScriptEnabled: false });
      const page = await other.context().newPage();
      await page.goto(String(authProvider.asked));
      await page.getByLabel('Link of the terminal').fill(await pressForLink(demo));
      await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
      expect((await answerOf(page, authProvider)).get('code')).toMatch(/./);
    });
  });

  it('does the same for "vendor-cloud mcp"', { tags: 'long' }, async () => {
    const { bin } = installedPackage();
    const folder = await temporaryFolder();
    execFileSync(process.execPath, [bin, 'bootstrap', 'shop', '--template', 'shop', '--no-install', '--json'], {
      cwd: folder,
      stdio: 'ignore',
    });
    const mcp = new TerminalProcess(`"${process.execPath}" "${bin}" mcp --mcp-port 0`, path.join(folder, 'shop'));
    await mcp.shows(/o makes a link/);
    mcp.press('o');
    const link = (await mcp.shows(linkPattern))[0];
    const { response } = await createBrowser().follow(link.split('#')[0] ?? '', () => false);
    expect(await response?.text()).toContain('Link of the terminal');
    mcp.press('\u0003');
    await once(mcp.child, 'exit');
    expect(mcp.child.exitCode).toBe(0);
  });
});

/** Names of the files in a folder that hold a text; logs and stores too. */
function filesWith(text: string, folder: string): string {
  return execFileSync('sh', ['-c', 'grep -rlaF -- "$0" "$1" || true', text, folder], { encoding: 'utf8' });
}
