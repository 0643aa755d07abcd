import { request as httpRequest } from 'node:http';
import { expect, it } from 'vitest';
import { describeInChromium } from '../helpers/chromium.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { startShopAgent } from '../helpers/shop-agent.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';

interface Passed {
  /** What the browser wants the answer for: `image`, `document`, … */
  readonly dest: unknown;
  readonly site: unknown;
  readonly hasCookie: boolean;
  readonly status: number | undefined;
}

/** Passes requests on, and writes down how they are answered: a browser does not tell of answers that it keeps from a page. */
async function recorded(url: string) {
  const passed: Passed[] = [];
  const { origin } = await startHttpServer((asked, response) => {
    const { method, headers, url: path } = asked;
    const carried = httpRequest(`${url}${path}`, { method, headers }, (answer) => {
      const { 'sec-fetch-dest': dest, 'sec-fetch-site': site, cookie } = headers;
      passed.push({ dest, site, hasCookie: cookie !== undefined, status: answer.statusCode });
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    asked.pipe(carried);
  });
  return { origin, passed };
}

/** A page of another program on this machine, which is of the same site: browsers send cookies along. */
async function startOtherPage(html = ''): Promise<string> {
  const { origin } = await startHttpServer((request, response) => {
    const isPage = request.url === '/';
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' }).end(isPage ? html : '');
  });
  return origin;
}

describeInChromium('a page of another origin in Chromium', (openPage) => {
  it('gets nothing from the platform with the cookie of somebody, but may link to it', async () => {
    const platform = await recorded((await startTeamPlatform()).url);
    const to = `${platform.origin}/health`;
    const other = await startOtherPage(
      `<img src="${to}"><script src="${to}"></script><iframe src="${to}"></iframe><a href="${to}">Go</a>`,
    );
    const { page } = await openPage();
    await page.context().addCookies([{ name: '_session', value: '1', url: platform.origin }]);
    await page.goto(other);
    await expect.poll(() => platform.passed.length).toBe(3);
    const refused = { site: 'same-site', hasCookie: true, status: 403 };
    expect(platform.passed.toSorted((one, two) => String(one.dest).localeCompare(String(two.dest)))).toEqual(
      ['iframe', 'image', 'script'].map((dest) => ({ dest, ...refused })),
    );
    await page.getByRole('link').click();
    await page.waitForURL(to);
    expect(platform.passed[3]).toEqual({ dest: 'document', site: 'same-site', hasCookie: true, status: 200 });
  });

  it('reads from the agent with the session of somebody only where its origin is allowed', async () => {
    const [allowed, other] = [await startOtherPage(), await startOtherPage()];
    const shop = await startShopAgent(undefined, { allowedOrigins: [allowed] });
    const agent = await recorded(new URL(shop.agentUrl).origin);
    const target = `${agent.origin}/service/customers?timezone=UTC`;
    const { page } = await openPage();
    await page.context().addCookies([{ name: 'service_session_token', value: shop.token, url: agent.origin }]);
    const fetchFrom = async (origin: string, mode: 'cors' | 'no-cors') => {
      await page.goto(origin);
      const call = `fetch(${JSON.stringify(target)}, { credentials: 'include', mode: '${mode}' })`;
      await page.evaluate(`${call}.then(() => undefined, () => undefined)`);
      return agent.passed.at(-1);
    };
    const asked = { dest: 'empty', site: 'same-site', hasCookie: true };
    expect(await fetchFrom(allowed, 'cors')).toEqual({ ...asked, status: 200 });
    expect(await fetchFrom(other, 'cors')).toEqual({ ...asked, status: 403 });
    expect(await fetchFrom(other, 'no-cors')).toEqual({ ...asked, status: 403 });
  });
});
