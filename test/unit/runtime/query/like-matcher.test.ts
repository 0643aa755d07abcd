import { describe, expect, it } from 'vitest';
import { likeMatcher } from '#runtime/query/like-matcher';

describe('likeMatcher', () => {
  it.each([
    ['', '', true],
    ['', 'a', false],
    ['%', '', true],
    ['a%', 'abc', true],
    ['%b%d', 'abcbd', true],
    ['%ab%ab', 'ab', false],
    ['_', '🎉', true],
    ['a_c', 'a\nc', true],
    ['\\%', '%', true],
    ['\\%', 'a', false],
    ['a\\', 'a\\', true],
    ['%a\0%', 'xa\0y', true],
    ['%\0%', 'a', false],
    ['a', 'ab', false],
  ])('takes %j for a pattern of %j: %s', (pattern, text, isMatch) => {
    expect(likeMatcher(pattern)(text)).toBe(isMatch);
  });

  it('has no limit to its length', () => {
    const long = 'é'.repeat(100_000);
    expect(likeMatcher(`%${long}%`)(`x${long}y`)).toBe(true);
    expect(likeMatcher(`%${long}%`)('é')).toBe(false);
  });

  it('looks at no text more often than its pattern is long', () => {
    expect(likeMatcher(`${'%a'.repeat(500)}%b`)('a'.repeat(5_000))).toBe(false);
  });
});
