import { parseCookie, stringifySetCookie } from 'cookie';

/** The value of a cookie in a `Cookie` header; the first of several. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  return header === undefined ? undefined : parseCookie(header)[name];
}

export interface CookieScope {
  readonly path: string;
  /** Over TLS a page of another site may carry the cookie along; without it only pages of the same site do. */
  readonly isSecure: boolean;
  /** 0 takes the cookie away. */
  readonly maxAgeSeconds: number;
}

/** A `Set-Cookie` header that no script can read. */
export function setCookie(name: string, value: string, { path, isSecure, maxAgeSeconds }: CookieScope): string {
  const site = isSecure ? ({ sameSite: 'none', secure: true } as const) : ({ sameSite: 'lax' } as const);
  return stringifySetCookie({ name, value, path, maxAge: maxAgeSeconds, httpOnly: true, ...site });
}
