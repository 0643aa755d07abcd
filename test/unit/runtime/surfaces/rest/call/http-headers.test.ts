import { describe, expect, it } from 'vitest';
import { cookieValue, setCookie } from '#runtime/surfaces/rest/call/http-headers';

describe('cookieValue', () => {
  it.each([
    ['other=1; token=abc', 'abc'],
    ['token=first; token=second', 'first'],
    ['token = abc ; other=1', 'abc'],
    ['token=a=b.c-d_e', 'a=b.c-d_e'],
    ['tokens=1; xtoken=2', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads the cookie "token" of %j', (header, value) => {
    expect(cookieValue(header, 'token')).toBe(value);
  });

  it.each(['__proto__', 'constructor', 'toString'])('finds no cookie "%s" that was not sent', (name) => {
    expect(cookieValue('token=abc', name)).toBeUndefined();
  });
});

describe('setCookie', () => {
  const scope = { path: '/service', maxAgeSeconds: 600 };

  it('keeps a cookie from scripts, and over plain HTTP from other sites', () => {
    expect(setCookie('token', 'a.b-c_d', { ...scope, isSecure: false })).toBe(
      'token=a.b-c_d; Max-Age=600; Path=/service; HttpOnly; SameSite=Lax',
    );
  });

  it('lets pages of other sites carry a cookie along over TLS only', () => {
    expect(setCookie('token', 'abc', { ...scope, isSecure: true })).toBe(
      'token=abc; Max-Age=600; Path=/service; HttpOnly; Secure; SameSite=None',
    );
  });

  it('takes a cookie away', () => {
    expect(setCookie('token', '', { ...scope, isSecure: false, maxAgeSeconds: 0 })).toBe(
      'token=; Max-Age=0; Path=/service; HttpOnly; SameSite=Lax',
    );
  });
});
