import { expect, it } from 'vitest';
import { describeInChromium } from '../helpers/chromium.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { startShopAgent } from '../helpers/shop-agent.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';

/** A page of another program on this machine, which is of the same site: browsers send cookies along. */
async function startOtherPage(html: (target: string) => string = () => '') {
  let target = '';
  const server = await startHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html(target));
  });
  return {
    origin: server.origin,
    aimAt: (url: string) => {
      target = url;
    },
  };
}

describeInChromium('a page of another origin in Chromium', (openPage) => {
  it('gets nothing from the platform with the cookie of somebody, but may link to it', async () => {
    const { url } = await startTeamPlatform();
    const target = `${url}/health`;
    const other = await startOtherPage(
      (to) => `<img src="${to}"><script src="${to}"></script><iframe src="${to}"></iframe><a href="${to}">Go</a>`,
    );
    other.aimAt(target);
    const { page } = await openPage();
    await page.context().addCookies([{ name: '_session', value: '1', url }]);
    const seen: (readonly [string, number])[] = [];
    page.on('response', (response) => {
      if (response.url() === target) seen.push([response.request().resourceType(), response.status()]);
    });
    await page.goto(other.origin);
    await expect.poll(() => seen.length).toBe(3);
    expect(Object.fromEntries(seen)).toEqual({ image: 403, script: 403, document: 403 });
    await page.getByRole('link').click();
    await page.waitForURL(target);
    expect(seen.at(-1)).toEqual(['document', 200]);
  });

  it('reads from the agent with the session of somebody only where its origin is allowed', async () => {
    const [allowed, other] = [await startOtherPage(), await startOtherPage()];
    const agent = await startShopAgent(undefined, { allowedOrigins: [allowed.origin] });
    const target = `${agent.agentUrl}/customers?timezone=UTC`;
    const { page } = await openPage();
    await page.context().addCookies([{ name: 'service_session_token', value: agent.token, url: agent.agentUrl }]);
    const fetchFrom = async (origin: string, mode: 'cors' | 'no-cors') => {
      const answered = page.waitForResponse(target);
      await page.goto(origin);
      await page.evaluate(
        ([url, how]) =>
          fetch(url, { credentials: 'include', mode: how })
            .catch(() => undefined)
            .then(() => undefined),
        [target, mode] as const,
      );
      return (await answered).status();
    };
    expect(await fetchFrom(allowed.origin, 'cors')).toBe(200);
    expect(await fetchFrom(other.origin, 'cors')).toBe(403);
    expect(await fetchFrom(other.origin, 'no-cors')).toBe(403);
  });
});
