/** What a browser does with addresses and cookies, of every site together; pages are asked for and never shown. */
export interface Browser {
  /** Follows no redirect by itself. */
  open(url: string, init?: RequestInit): Promise<Response>;
  /** Open and follow redirects until `isEnd` holds for an address; that one is not opened. */
  follow(url: string, isEnd: (url: string) => boolean): Promise<{ readonly url: string; readonly response?: Response }>;
  cookieNames(): readonly string[];
}

const longestChain = 10;

export function createBrowser(): Browser {
  const cookies = new Map<string, string>();
  const browser: Browser = {
    async open(url, init = {}) {
      const headers = new Headers(init.headers);
      headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
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
    cookieNames: () => [...cookies.keys()],
  };
  return browser;
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';');
  const separator = pair.indexOf('=');
  const name = pair.slice(0, separator).trim();
  const value = pair.slice(separator + 1).trim();
  const isGone = attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute)) || value === '';
  if (isGone) cookies.delete(name);
  else cookies.set(name, value);
}
