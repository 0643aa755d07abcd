import { describe, expect, it } from 'vitest';
import { parseListenAddress } from '#cli/flags/platform-flags';

describe('an address to listen on', () => {
  it.each([
    ['127.0.0.1:3351', '127.0.0.1', 3351],
    ['[::1]:0', '::1', 0],
    [':8080', '127.0.0.1', 8080],
    ['platform.internal:65535', 'platform.internal', 65_535],
  ])('is read from %s', (text, host, port) => {
    expect(parseListenAddress(text)).toEqual({ host, port });
  });

  it.each([
    '',
    '3351',
    '127.0.0.1',
    '127.0.0.1:',
    '127.0.0.1:65536',
    '::1:3351',
    'http://127.0.0.1:80',
    '127.0.0.1:-1',
  ])('is refused as "%s"', (text) => {
    expect(() => parseListenAddress(text)).toThrow(expect.objectContaining({ code: 'USAGE_INVALID' }));
  });
});
