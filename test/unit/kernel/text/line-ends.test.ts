import { expect, it } from 'vitest';
import { hasSameLines, withLineEndsOf } from '#kernel/text/line-ends';

it('a checkout on Windows has the same lines', () => {
  expect(hasSameLines('a\r\nb\r\n', 'a\nb\n')).toBe(true);
  expect(hasSameLines('a\r\nb', 'a\nb\n')).toBe(false);
});

it.each([
  ['of Windows', 'one\r\ntwo', 'a\nb\n', 'a\r\nb\r\n'],
  ['of Windows, also in a text that has some already', 'one\r\n', 'a\r\nb\n', 'a\r\nb\r\n'],
  ['of Unix', 'one\ntwo', 'a\nb\n', 'a\nb\n'],
  ['of Unix where there is only one line', '', 'a\r\nb\n', 'a\nb\n'],
])('a text gets the line ends %s', (_whose, other, text, expected) => {
  expect(withLineEndsOf(other, text)).toBe(expected);
});
