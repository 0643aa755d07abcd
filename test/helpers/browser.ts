/** What a browser does with addresses and cookies, of every site together; pages are asked for and never shown. */
export interface Browser {
  /** Follows no redirect by itself. */
  open(url: string, init?: RequestInit): Promise<Response>;
  /** Open and follow redirects until `isEnd` holds for an address; that one is not opened. */
  follow(url: string, isEnd: (url: string) => boolean): Promise<{ readonly url: string; readonly response?: Response }>;
  cookieNames(): readonly string[];
  /** The header that a request to `url` has. */
  cookieHeader(url: string): string;
}

const longestChain = 10;

/** @param more headers of every request. */
export function createBrowser(more: Readonly<Record<string, string>> = {}): Browser {
  const cookies = new Map<string, Cookie>();
  const browser: Browser = {
    async open(url, init = {}) {
      const headers = new Headers(init.headers);
      for (const [name, value] of Object.entries(more)) headers.set(name, value);
      headers.set('cookie', cookiesFor(new URL(url), [...cookies.values()]));
      const response = await fetch(url, { ...init, headers, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) keep(cookies, line);
      return response;
    },
    async follow(url, isEnd) {
      let next = url;
      for (let step = 0; step < longestChain; step++) {
        if (isEnd(next)) return { url: next };
        const response = await browser.open(next);
        const location = response.headers.get('location');
        if (location === null) return { url: next, response };
        next = new URL(location, next).href;
      }
      throw new Error(`There is no end to the redirects from ${url}.`);
    },
    cookieHeader: (url) => cookiesFor(new URL(url), [...cookies.values()]),
    cookieNames: () => [...cookies.values()].map(({ name }) => name),
  };
  return browser;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** Those of the longest path first, as browsers send them. */
function cookiesFor({ pathname }: URL, cookies: readonly Cookie[]): string {
  return cookies
    .filter(({ path }) => pathname.startsWith(path))
    .sort((one, other) => other.path.length - one.path.length)
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
}

function keep(cookies: Map<string, Cookie>, line: string): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const separator = pair.indexOf('=');
  const name = pair.slice(0, separator);
  const value = pair.slice(separator + 1);
  const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice('path='.length) ?? '/';
  const isGone = attributes.some((attribute) => /^max-age=0$/i.test(attribute)) || value === '';
  if (isGone) cookies.delete(`${name} ${path}`);
  else cookies.set(`${name} ${path}`, { name, value, path });
}
