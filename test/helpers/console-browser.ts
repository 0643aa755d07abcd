import { type Browser, createBrowser } from './browser.ts';
import { password, type TeamPlatform } from './team-platform.ts';

/** A browser that somebody has signed in with for the console. */
export interface ConsoleBrowser extends Browser {
  /** Send a request as a script of the console does. A header of `undefined` is left out. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string | undefined>>,
  ): Promise<Response>;
}

/** What Chromium adds to a request that a script sends to its own origin, and what the console adds itself. */
const consoleHeaders = {
  'service-client': 'console',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
};

/** A browser that nobody has signed in with yet. */
export function openConsoleBrowser({ url }: Pick<TeamPlatform, 'url'>): ConsoleBrowser {
  const browser = createBrowser();
  return {
    ...browser,
    ask: (method, path, body, headers = {}) => {
      const all = new Headers();
      const json = body === undefined ? {} : { 'content-type': 'application/json' };
      for (const [name, value] of Object.entries({ ...consoleHeaders, ...json, ...headers })) {
        if (value !== undefined) all.set(name, value);
      }
      const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
      return browser.open(url + path, { method, headers: all, ...(sent === undefined ? {} : { body: sent }) });
    },
  };
}

/** Sign somebody in with their password, or with a token; resolves to the address that the browser ends at. */
export async function signInToConsole(
  browser: Browser,
  { url }: Pick<TeamPlatform, 'url'>,
  who: Readonly<Record<string, string>>,
  place?: string,
): Promise<URL> {
  const asked = place === undefined ? '' : `?return=${encodeURIComponent(place)}`;
  const page = await browser.follow(`${url}/console/sign-in${asked}`, () => false);
  const body = new URLSearchParams(who);
  const posted = await browser.open(page.url, { method: 'POST', headers: { origin: url }, body });
  const location = posted.headers.get('location');
  if (location === null) throw new Error(`The sign-in was answered with ${posted.status}.`);
  const isInConsole = (next: string) => /^\/console\/(?!sign-in)/.test(new URL(next).pathname);
  return new URL((await browser.follow(new URL(location, page.url).href, isInConsole)).url);
}

/** A browser of somebody who has joined the platform with the password of the tests. */
export async function consoleBrowserOf(platform: Pick<TeamPlatform, 'url'>, email: string): Promise<ConsoleBrowser> {
  const browser = openConsoleBrowser(platform);
  await signInToConsole(browser, platform, { email, password });
  return browser;
}
