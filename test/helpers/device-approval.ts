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
async function signIn(
  browser: Browser,
  platform: Pick<TeamPlatform, 'url'>,
  answer: Response,
  email: string,
): Promise<string> {
  const location = new URL(answer.headers.get('location') ?? '', platform.url).href;
  const page = await browser.follow(location, () => false);
  const posted = await postForm(browser, page.url, { email, password });
  expect(posted.status).toBe(303);
  const { response } = await browser.follow(
    new URL(posted.headers.get('location') ?? '', platform.url).href,
    () => false,
  );
  return (await response?.text()) ?? '';
}

/** Sign in, as Bob unless somebody else is named, and say yes to the device that shows the code. */
export async function approveDevice(
  platform: Pick<TeamPlatform, 'url'>,
  userCode: unknown,
  email: string = bob,
): Promise<void> {
  const browser = createBrowser();
  const confirmed = await enterCode(browser, platform, userCode, {});
  expect(await signIn(browser, platform, confirmed, email)).toContain('You are signed in');
}

/** Sign in with a device code, as `login` does; the access token that the platform gives for it. */
export async function redeemDeviceCode(url: string, email?: string): Promise<string> {
  const post = async (path: string, form: Readonly<Record<string, string>>) =>
    (await (await fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams(form) })).json()) as Readonly<
      Record<string, unknown>
    >;
  const client_id = 'vendor-cloud';
  const device = await post('/oidc/device/auth', { client_id, scope: 'openid' });
  await approveDevice({ url }, device['user_code'], email);
  const redeemed = await post('/oidc/token', {
    client_id,
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: String(device['device_code']),
  });
  return String(redeemed['access_token']);
}
