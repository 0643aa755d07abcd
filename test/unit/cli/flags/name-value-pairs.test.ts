import { expect, it } from 'vitest';
import { nameValuePairs, toolArguments } from '#cli/flags/name-value-pairs';

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

it('single arguments go over those of the object, as JSON where they are JSON', () => {
  expect(toolArguments('{"collectionName":"orders","enableCount":false}', ['enableCount=true', 'search=a=b'])).toEqual({
    collectionName: 'orders',
    enableCount: true,
    search: 'a=b',
  });
});

it.each(['[1]', 'orders', '1', 'null'])('the arguments %s are refused, because they are not an object', (json) => {
  expect(() => toolArguments(json, [])).toThrow('--arguments is not a JSON object.');
});
