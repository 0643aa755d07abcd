import { expect, it } from 'vitest';
import { parseRatePolicies } from '#cli/flags/platform-flags';

it('limits of the public API are a number and a window each', () => {
  expect(parseRatePolicies(['300/min', '5000/hour', '1/day'])).toEqual([
    { name: 'min', quota: 300, windowSeconds: 60 },
    { name: 'hour', quota: 5000, windowSeconds: 3600 },
    { name: 'day', quota: 1, windowSeconds: 86_400 },
  ]);
  expect(parseRatePolicies([])).toBeUndefined();
});

it.each(['', '60', '0/min', '-1/min', '60/week', '6.5/min', '60/min '])('"%s" is no limit', (text) => {
  expect(() => parseRatePolicies([text])).toThrow(`"${text}" is no limit.`);
});

it('a window has one limit', () => {
  expect(() => parseRatePolicies(['60/min', '61/min'])).toThrow('There are two limits for "min".');
});
