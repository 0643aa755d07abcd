import { expect, it } from 'vitest';
import { nameValuePairs } from '#cli/flags/name-value-pairs';

it('words give values to names, and a value may hold the sign itself', () => {
  expect([...nameValuePairs(['month=5', 'where=a=b', 'empty='], '--parameter')]).toEqual([
    ['month', '5'],
    ['where', 'a=b'],
    ['empty', ''],
  ]);
});

it.each([
  ['month', '--parameter month=<value>'],
  ['=5', '--parameter <name>=5'],
  ['', '--parameter <name>=<value>'],
])('a word without a name or a value is answered with the flag to write: "%s"', (word, flag) => {
  expect(() => nameValuePairs([word], '--parameter')).toThrow(
    expect.objectContaining({ code: 'USAGE_INVALID', nextSteps: [`Write ${flag}`] }),
  );
});
