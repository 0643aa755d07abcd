/** The value of a cookie in a `Cookie` header; the first of several. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const separator = pair.indexOf('=');
    if (separator > 0 && pair.slice(0, separator).trim() === name) return pair.slice(separator + 1).trim();
  }
  return undefined;
}

export interface CookieScope {
  readonly path: string;
  /** Over TLS a page of another site may carry the cookie along; without it only pages of the same site do. */
  readonly isSecure: boolean;
  /** 0 takes the cookie away. */
  readonly maxAgeSeconds: number;
}

/** A `Set-Cookie` header that no script can read. `value` holds nothing that would need quoting. */
export function setCookie(name: string, value: string, { path, isSecure, maxAgeSeconds }: CookieScope): string {
  const site = isSecure ? 'SameSite=None; Secure' : 'SameSite=Lax';
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; ${site}`;
}
