import { describe, expect, it } from 'vitest';
import { parseServerUrl } from '#platform-client/server-url';

describe('the address of a platform', () => {
  it.each([
    ['http://127.0.0.1:3310', 'http://127.0.0.1:3310/'],
    ['http://localhost:3310/base', 'http://localhost:3310/base/'],
    ['http://[::1]:3310', 'http://[::1]:3310/'],
    ['https://platform.example.com/a/b?x=1#y', 'https://platform.example.com/a/b/'],
  ])('is taken from %s', (text, expected) => {
    expect(parseServerUrl(text).href).toBe(expected);
  });

  it.each([
    'platform.example.com',
    'ftp://platform.example.com',
    'http://platform.example.com',
    'http://10.0.0.1:3310',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
  ])('is refused when it is %s', (text) => {
    expect(() => parseServerUrl(text)).toThrowError(expect.objectContaining({ code: 'PLATFORM_ADDRESS_INVALID' }));
  });

  it('is refused with a password, which the message does not repeat', () => {
    expect(() => parseServerUrl('https://me:hunter2@platform.example.com')).toThrowError(
      expect.objectContaining({ code: 'PLATFORM_ADDRESS_INVALID', message: expect.not.stringContaining('hunter2') }),
    );
  });
});
