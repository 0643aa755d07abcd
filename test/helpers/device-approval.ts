import { expect } from 'vitest';
import { type Browser, createBrowser } from './browser.ts';
import { password, type TeamPlatform } from './team-platform.ts';

const bob = 'bob@example.test';

export const postForm = (browser: Browser, url: string, form: Readonly<Record<string, string>>) =>
  browser.open(url, { method: 'POST', headers: { origin: new URL(url).origin }, body: new URLSearchParams(form) });

export const xsrfOf = (html: string) => /name="xsrf" value="([^"]*)"/.exec(html)?.[1] ?? '';

/** Enters the code and says yes or no; the page that follows. */
export async function enterCode(
  browser: Browser,
  platform: Pick<TeamPlatform, 'url'>,
  user_code: unknown,
  answer: Readonly<Record<string, string>>,
) {
  const page = `${platform.url}/oidc/device`;
  const xsrf = xsrfOf(await (await browser.open(page)).text());
  const confirm = await (await postForm(browser, page, { xsrf, user_code: String(user_code) })).text();
  expect(confirm).toContain('shows the same code');
  return postForm(browser, page, { xsrf: xsrfOf(confirm), user_code: String(user_code), confirm: 'yes', ...answer });
}

/** Follows to the page that asks who it is, and signs in there; the last page. */
async function signIn(browser: Browser, platform: Pick<TeamPlatform, 'url'>, answer: Response): Promise<string> {
  const location = new URL(answer.headers.get('location') ?? '', platform.url).href;
  const page = await browser.follow(location, () => false);
  const posted = await postForm(browser, page.url, { email: bob, password });
  expect(posted.status).toBe(303);
  const { response } = await browser.follow(
    new URL(posted.headers.get('location') ?? '', platform.url).href,
    () => false,
  );
  return (await response?.text()) ?? '';
}

/** Sign in as Bob, and say yes to the device that shows the code. */
export async function approveDevice(platform: Pick<TeamPlatform, 'url'>, userCode: unknown): Promise<void> {
  const browser = createBrowser();
  expect(await signIn(browser, platform, await enterCode(browser, platform, userCode, {}))).toContain(
    'You are signed in',
  );
}
