import { describe, expect, it } from 'vitest';
import { simpleLowerCase } from '#kernel/text/simple-lower-case';
import { anyCaseSource, escapeLike, escapeRegExp, likeToRegExp } from '#runtime/query/like-pattern';
import { codePointLength, compareCodePoints } from '#runtime/query/value-order';

describe('texts', () => {
  it('are ordered as their UTF-8 bytes are', () => {
    const texts = ['😀', '\uffee', '\ue000', 'z', 'Z', '', 'é', 'e\u0301', 'aa', 'a', '\u{10ffff}', '😀a'];
    const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    expect(texts.toSorted(compareCodePoints)).toEqual(texts.toSorted(byBytes));
  });

  it('are as long as they have code points', () => {
    expect(['', 'é', 'e\u0301', '😀😀'].map(codePointLength)).toEqual([0, 1, 2, 2]);
  });

  it.each([
    ['ΑΣ', 'ασ'],
    ['İI', 'ii'],
    ['\u212a', 'k'],
    ['ÀÉ', 'àé'],
    ['ς', 'ς'],
    ['Ǆ', 'ǆ'],
    ['𐐀', '𐐨'],
  ])('%s in lower case is %s, letter by letter', (text, lower) => {
    expect(simpleLowerCase(text)).toBe(lower);
  });
});

describe('Like patterns', () => {
  it.each<[string, string, boolean]>([
    ['50%', '50 %', true],
    ['a_c', 'a😀c', true],
    ['a_c', 'ac', false],
    ['a%c', 'a\n\nc', true],
    ['50\\%', '50%', true],
    ['50\\%', '500', false],
    ['a\\', 'a\\', true],
    ['\\\\%', '\\x', true],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['', '', true],
    ['', 'a', false],
  ])('%j on %j', (pattern, text, isMatch) => {
    expect(likeToRegExp(pattern).test(text)).toBe(isMatch);
  });

  it('match a text literally when it is escaped', () => {
    const text = '50%_\\.*+?^$(){}[]|/-';
    expect(likeToRegExp(escapeLike(text)).test(text)).toBe(true);
    expect(new RegExp(`^${escapeRegExp(text)}$`, 'u').test(text)).toBe(true);
  });

  it('match in any case by lower case only, unlike the flag', () => {
    const matches = (text: string, found: string) => new RegExp(`^${anyCaseSource(text)}$`, 'u').test(found);
    expect(matches('kÉ', '\u212aé')).toBe(true);
    expect(matches('s', 'ſ')).toBe(false);
    expect(matches('σ', 'ς')).toBe(false);
    expect(matches('i', 'İ')).toBe(true);
  });
});
