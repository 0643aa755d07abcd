import { Secret, TOTP } from 'otpauth';
import type { Browser } from './browser.ts';
import { postForm } from './device-approval.ts';
import { password, type TeamPlatform } from './team-platform.ts';

/** The page of the platform on which people see what they sign in with. */
export const factorPage = '/settings/sign-in';

/** The code that an authenticator app shows at a time. */
export function codeAt(secret: string, now: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now });
}

/** A page as a browser shows it. */
export interface ShownPage {
  readonly url: string;
  readonly status: number;
  readonly html: string;
}

/** Open an address, and follow it to the page where it ends. */
export async function openPage(browser: Browser, url: string): Promise<ShownPage> {
  const { url: end, response } = await browser.follow(url, () => false);
  return { url: end, status: response?.status ?? 0, html: (await response?.text()) ?? '' };
}

/** Send a form of a page, and follow its answer. */
export async function sendForm(
  browser: Browser,
  page: Pick<ShownPage, 'url'>,
  form: Readonly<Record<string, string>>,
): Promise<ShownPage> {
  const answer = await postForm(browser, page.url, form);
  const location = answer.headers.get('location');
  if (location !== null) return openPage(browser, new URL(location, page.url).href);
  return { url: page.url, status: answer.status, html: await answer.text() };
}

/** Sign in with the password for the page of the factors; the page that comes next. */
export async function signInWithPassword(
  browser: Browser,
  { url }: Pick<TeamPlatform, 'url'>,
  email: string,
  path = factorPage,
): Promise<ShownPage> {
  return sendForm(browser, await openPage(browser, url + path), { email, password });
}

/** The secret of the app that a page offers. */
function secretOn({ html }: ShownPage): string {
  return (/<code>([A-Z2-7 ]{39})<\/code>/.exec(html)?.[1] ?? '').replaceAll(' ', '');
}

function recoveryCodesOn({ html }: ShownPage): readonly string[] {
  return (/id="recovery-codes">([^<]*)</.exec(html)?.[1] ?? '').split('\n').filter((code) => code !== '');
}

export function formTokenOn({ html }: ShownPage): string {
  return /name="formToken" value="([^"]*)"/.exec(html)?.[1] ?? '';
}

/** Set an app up on the page that demands it; its secret, and the recovery codes. */
export async function setUpApp(browser: Browser, page: ShownPage, now: number) {
  const secret = secretOn(page);
  const shown = await sendForm(browser, page, { do: 'add', name: 'Phone', code: codeAt(secret, now) });
  return { secret, shown, codes: recoveryCodesOn(shown) };
}
