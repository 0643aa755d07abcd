import { expect, it } from 'vitest';
import { parseDuration } from '#cli/flags/duration-flag';

it.each([
  ['0s', 0],
  ['45s', 45],
  ['30m', 1800],
  ['12h', 43_200],
  ['90d', 7_776_000],
])('a time span %s has %i seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

it.each(['', '90', 'd', '1.5h', '-1d', '1w', ' 1d', '1d ', '1D', '1234567890d'])('"%s" is not a time span', (text) => {
  expect(() => parseDuration(text)).toThrow(`"${text}" is not a time span.`);
});

it('a time span has an end', () => {
  expect(parseDuration('24h', '1d')).toBe(86_400);
  expect(() => parseDuration('25h', '1d')).toThrow('"25h" is too long.');
});
