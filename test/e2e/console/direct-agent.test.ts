import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createSqlDataSource } from '#runtime/index';
import { describeInChromium } from '../../helpers/chromium.ts';
import { createEmbeddedShop } from '../../helpers/embedded-agent.ts';

describeInChromium('an agent that the platform does not reach', (openPage) => {
  it('is called by the page itself, with a token that its pages share, until the sign-out', {
    tags: 'long',
  }, async () => {
    const { agent, databaseUri, sandbox, access } = await createEmbeddedShop({}, { hasSignInLinks: true });
    agent.addDataSource(createSqlDataSource(databaseUri)).mountOnStandaloneServer(0);
    await agent.start();
    const address = `http://127.0.0.1:${agent.standaloneServerPort}/service`;
    const authorization = `Bearer ${access.userToken}`;
    const named = await fetch(`${sandbox.url}/api/environments/development`, {
      method: 'PATCH',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ agentAddresses: [address] }),
    });
    expect(named.status).toBe(200);
    const { page, complaints } = await openPage();
    const exchanges: string[] = [];
    page.context().on('request', (request) => {
      if (request.url().endsWith('/authentication/exchange')) exchanges.push(request.url());
    });
    // Browsers that block cookies of third parties change nothing: nothing is kept in one.
    const cookies: unknown[] = [];
    page.context().on('response', async (response) => {
      if (!response.url().startsWith(address)) return;
      cookies.push(response.request().headers()['cookie'], response.headers()['set-cookie']);
    });
    const tokensOf = (sender: Page) => {
      const sent: string[] = [];
      sender.on('request', (request) => sent.push(...[request.headers()['authorization'] ?? []].flat()));
      return sent;
    };
    const own = tokensOf(page);
    const { link } = sandbox.makeSignInLink(access.userId);
    await page.goto(link);
    await page.goto(`${sandbox.url}/console/development/data/orders`);
    await page.getByText('A-1', { exact: true }).waitFor();
    // The page that the link has opened may have got one too, before the browser left it.
    expect(exchanges.length).toBeGreaterThan(0);
    exchanges.length = 0;
    const other = await page.context().newPage();
    const others = tokensOf(other);
    await other.goto(`${sandbox.url}/console/development/data/customers`);
    await other.getByText('Zed', { exact: true }).waitFor();
    // The first page goes on with the newest token, which the second one has told it of.
    await page.getByRole('link', { name: 'customers' }).click();
    await page.getByText('Ünal', { exact: true }).waitFor();
    const [token = ''] = own.slice(-1);
    expect(others).toContain(token);
    // The agent forgets the token while both pages ask: each goes on.
    const refuse = async (tab: Page) => {
      let isFirst = true;
      await tab.route(`${address}/**`, async (route) => {
        if (!isFirst) return route.fallback();
        isFirst = false;
        return route.fulfill({ status: 401, headers: { 'access-control-allow-origin': new URL(sandbox.url).origin } });
      });
    };
    await Promise.all([page, other].map(refuse));
    await Promise.all([page, other].map((tab) => tab.getByRole('link', { name: 'lines' }).click()));
    await Promise.all(
      [page, other].map((tab) => tab.getByRole('grid', { name: 'lines' }).getByText('ab').first().waitFor()),
    );
    await page.getByRole('link', { name: 'customers' }).click();
    await page.getByText('Ünal', { exact: true }).waitFor();
    expect(cookies.filter(Boolean)).toEqual([]);
    expect(cookies.length).toBeGreaterThan(0);
    // One for the second page at its start, and at most one more for each page after the refusal.
    expect([2, 3]).toContain(exchanges.length);
    const read = () => fetch(`${address}/orders?timezone=UTC`, { headers: { authorization: token } });
    expect((await read()).status).toBe(200);
    // Anywhere else the page calls nothing.
    const elsewhere = await page.evaluate(
      "fetch('http://127.0.0.1:9/x').then(() => 'called', (error) => String(error))",
    );
    expect(elsewhere).toContain('TypeError');
    const refused = complaints.filter((text) => /Content Security Policy|violates/i.test(text));
    expect(refused).toHaveLength(complaints.length);
    expect(refused.length).toBeGreaterThan(0);
    await page.evaluate("fetch('/console/sign-out', { method: 'POST', headers: { 'service-client': 'console' } })");
    await expect.poll(async () => (await read()).status).toBe(401);
  });
});
