import { describe, expect, it } from 'vitest';
import { parseListenAddress, parseRatePolicies } from '#cli/flags/platform-flags';

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

it('limits of the public API are a number and a window each', () => {
  expect(parseRatePolicies(['300/min', '5000/hour', '1/day'])).toEqual([
    { name: 'min', quota: 300, windowSeconds: 60 },
    { name: 'hour', quota: 5000, windowSeconds: 3600 },
    { name: 'day', quota: 1, windowSeconds: 86_400 },
  ]);
  expect(parseRatePolicies([])).toBeUndefined();
});

it.each(['', '60', '0/min', '-1/min', '60/week', '6.5/min', '60/min '])('"%s" is not a limit', (text) => {
  expect(() => parseRatePolicies([text])).toThrow(`"${text}" is not a limit.`);
});

it('a window has one limit', () => {
  expect(() => parseRatePolicies(['60/min', '61/min'])).toThrow('There are two limits for "min".');
});
