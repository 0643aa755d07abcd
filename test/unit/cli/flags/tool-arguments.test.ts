import { expect, it } from 'vitest';
import { toolArguments } from '#cli/flags/name-value-pairs';

it('single arguments go over those of the object, as JSON where they are JSON', () => {
  expect(toolArguments('{"collectionName":"orders","enableCount":false}', ['enableCount=true', 'search=a=b'])).toEqual({
    collectionName: 'orders',
    enableCount: true,
    search: 'a=b',
  });
});

it.each(['[1]', 'orders', '1', 'null'])('the arguments %s are refused, because they are no object', (json) => {
  expect(() => toolArguments(json, [])).toThrow('--arguments is no JSON object.');
});
