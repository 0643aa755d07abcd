import { expect, it } from 'vitest';
import { isSameSecret } from '#node/system/secrets';

it.each([
  ['a secret', 'a secret', true],
  ['ü', 'ü', true],
  ['a secret', 'a Secret', false],
  ['a secret', 'a secret ', false],
  ['', 'a secret', false],
])('the comparison of %j and %j gives %s', (one, other, isSame) => {
  expect(isSameSecret(one, other)).toBe(isSame);
});
